import { expect, test } from 'vitest';
import { runSimulator } from './children.ts';
import { simulate } from './simulate.ts';

/** The first seed is fixed, so a failure is the same for everybody. `.ci/run` continues with later seeds. */
const FROM = 1;
const SEEDS = 2_000;
const PROCESSES = 2;

test(`${SEEDS} seeds: crashes, stalls, lost answers, stale reads and lost messages break no promise`, {
  timeout: 1_200_000,
}, async () => {
  const share = SEEDS / PROCESSES;
  const parts = Array.from({ length: PROCESSES }, (_, i) =>
    runSimulator('--from', String(FROM + i * share), '--seeds', String(share)),
  );
  for (const { code, output } of await Promise.all(parts)) expect(code, output).toBe(0);
});

const EMBEDDED_SEEDS = 300;

test(`${EMBEDDED_SEEDS} seeds of an embedded server: restarts break no promise, and SQLite answers like the store in memory`, {
  timeout: 400_000,
}, async () => {
  const { code, output } = await runSimulator('--embedded', '--seeds', String(EMBEDDED_SEEDS));
  expect(code, output).toBe(0);
});

test('a seed replays exactly', async () => {
  const replay = async (seed: number) => {
    const lines: string[] = [];
    await simulate(seed, { trace: (line) => lines.push(line) });
    return lines;
  };
  const first = await replay(4711);
  expect(first.length).toBeGreaterThan(100);
  expect(await replay(4711)).toEqual(first);
});
