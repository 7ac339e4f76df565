import { describe, expect, test } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import { afterExecution } from '../../src/scheduling/running/after-execution.ts';
import { aRow } from '../support/fixtures.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';

const dueOf = (n: number): string => dueKey(NOON + n * MINUTE);

interface Line {
  /** Whether the items of executions in line that have ended since are still there. */
  readonly withEnded?: boolean;
  readonly ranForMs?: number;
}

/** Execution n of 60 has ended, and those in `waiting` stand in line. Which of them are sent, and how many rows are read? */
async function wokenBy(n: number, waiting: readonly number[], spec: object, line: Line = {}) {
  const { withEnded = false, ranForMs = 5_000 } = line;
  const world = standingWorld();
  const jobId = await world.create({ schedule: { every: 'PT1M', startAt: '2026-12-01T12:00:00Z' }, ...spec });
  const head = world.head(jobId);
  const rowOf = (i: number): Row => {
    const startedAt = NOON + i * MINUTE;
    const ended = { status: 'SUCCEEDED', startedAt, finishedAt: startedAt + ranForMs } as const;
    const { workerId: _, ...queued } = aRow({ status: 'QUEUED', number: 0 });
    const base = waiting.includes(i) ? queued : aRow(ended);
    return { ...base, jobId, due: dueOf(i), userId: head.userId, revision: head.revision };
  };
  for (let i = 0; i < 60; i++) {
    await world.store.insertRow(rowOf(i));
    if (waiting.includes(i) || withEnded) await world.store.putWait({ jobId, due: dueOf(i) }, NOON);
  }
  world.sent.length = 0;
  world.now = NOON + 60 * MINUTE;
  let reads = 0;
  const read = world.store.readRow.bind(world.store);
  world.store.readRow = (...args) => {
    reads++;
    return read(...args);
  };
  await afterExecution(world.context, head, rowOf(n));
  return { woken: world.sent.map(({ due }) => due), reads };
}

describe('if occurrences wait for each other, an end wakes', () => {
  const spec = { overlap: 'queue' };
  test.each([
    ['the next', 0, [1, 2, 3], 1],
    ['an older one first', 20, [15, 18, 21], 15],
    ['the next that waits, however many have run in between', 0, [47, 48], 47],
  ])('%s, with one read of a row', async (_name, n, waiting, woken) => {
    expect(await wokenBy(n, waiting, spec)).toEqual({ woken: [dueOf(woken)], reads: 1 });
  });

  test('the oldest that is open, if items of ended ones were left behind', async () => {
    expect((await wokenBy(0, [10], spec, { withEnded: true })).woken).toEqual([dueOf(10)]);
    // one look removes 20 of them. The others are removed by the next
    expect(await wokenBy(0, [50], spec, { withEnded: true })).toEqual({ woken: [], reads: 20 });
  });

  test('the next one after a short run too, and with `runAll`', async () => {
    const short = { ranForMs: 10 };
    expect((await wokenBy(0, [20], spec, short)).woken).toEqual([dueOf(20)]);
    const runAll = { misfire: { policy: 'runAll' } };
    expect((await wokenBy(0, [20], runAll, short)).woken).toEqual([dueOf(20)]);
  });

  test('no execution, if none waits', async () => {
    expect(await wokenBy(0, [], spec)).toEqual({ woken: [], reads: 0 });
  });
});

test('if occurrences do not wait for each other, a short run wakes none', async () => {
  expect((await wokenBy(0, [5], {})).woken).toEqual([dueOf(5)]);
  expect(await wokenBy(0, [5], {}, { ranForMs: 10 })).toEqual({ woken: [], reads: 0 });
  expect((await wokenBy(0, [5], { overlap: 'allow' })).woken).toEqual([]);
});
