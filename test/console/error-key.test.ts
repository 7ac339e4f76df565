// The page computes the key of an error as the server does.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { errorKeyOf } from '../../console/parts/error-key.ts';
import { errorKeyOf as serverKeyOf } from '../../src/domain/executions/error-key.ts';

it('equals the key of the server', async () => {
  const failure = fc.record(
    { error: fc.record({ name: fc.string(), message: fc.string({ unit: 'binary' }) }), reason: fc.string() },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(failure, async (one) => {
      expect(await errorKeyOf(one)).toBe(serverKeyOf(one));
    }),
  );
});
