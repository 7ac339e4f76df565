// A traced message has the whole port of its worker. Without the lines of the concurrency keys, keyed executions would skip
// admission.
import { expect, test } from 'vitest';
import type { WorkerPort } from '../../src/scheduling/running/worker-port.ts';
import { withTracing } from '../../src/worker/with-tracing.ts';
import type { Tracer } from '../../src/worker/xray.ts';
import { aMessage } from '../support/fixtures.ts';
import { standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

test.each([true, false])('with a trace (%s), every member of the port is handed on', async (begins) => {
  const { context } = standingWorld();
  const calls: string[] = [];
  const given: WorkerPort = {
    ...workerPort(new Map([['noop', { run: async () => undefined }]]) as never),
    handleAgain: () => void calls.push('again'),
  };
  let seen: WorkerPort | undefined;
  const handle = withTracing(
    async (_, worker) => {
      seen = worker;
      worker.handleAgain();
    },
    { begins: () => begins, put() {}, stop: async () => {} } as unknown as Tracer,
  );
  await handle(context, given, { message: aMessage() } as never);
  expect(Object.keys(seen ?? {}).sort()).toEqual(Object.keys(given).sort());
  expect(Object.keys(seen?.places ?? {}).sort()).toEqual(Object.keys(given.places).sort());
  expect(seen?.keys).toBe(given.keys);
  expect(seen?.shutdown).toBe(given.shutdown);
  expect(seen?.identity.workerId).toBe(given.identity.workerId);
  expect([...(seen?.identity.tasks.keys() ?? [])]).toEqual(['noop']);
  expect(calls).toEqual(['again']);
});
