// Each rule of the protocol is taken out, one at a time. A seed of the simulator must then find a broken promise.
import { expect, test } from 'vitest';
import { runSimulator } from './children.ts';
import { MUTATIONS } from './mutations.ts';

const MAX_SEEDS = 20_000;

for (const { rule, takesOut, theme, embedded, from = 1 } of MUTATIONS) {
  test.concurrent(`without ${rule} (${takesOut}) a promise is broken`, { timeout: 1_500_000 }, async () => {
    const { code, output } = await runSimulator(
      ...['--mutate', rule, '--seeds', String(MAX_SEEDS), '--from', String(from), '--brief'],
      ...(theme ? ['--theme', theme] : []),
      ...(embedded ? ['--embedded'] : []),
    );
    const found = output.trim().split('\n').at(-1) ?? '';
    expect(code, `${MAX_SEEDS} seeds found nothing\n${output}`).toBe(1);
    expect(found).toContain('"invariant"');
    console.log(`${rule}: ${found}`);
  });
}
