import { describe, expect, test } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import { afterExecution } from '../../src/scheduling/running/after-execution.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';

const dueOf = (n: number): string => dueKey(NOON + n * MINUTE);

/** The first of 500 occurrences has ended; of the others those in `waiting` wait. Which of them are sent? */
async function wokenBy(
  n: number,
  waiting: readonly number[],
  spec: object,
  ranForMs = 5_000,
  lateMs = 0,
): Promise<string[]> {
  const startOf = (i: number) => NOON + i * MINUTE + lateMs;
  const world = standingWorld();
  const jobId = await world.create({ schedule: { every: 'PT1M', startAt: '2026-12-01T12:00:00Z' }, ...spec });
  const head = await world.store.readHead(jobId, { consistent: true });
  if (!head) throw new Error('there is no job');
  const rowOf = (i: number): Row => ({
    ...{ jobId, due: dueOf(i), userId: 'ann', revision: head.revision, attempt: 1, maxAttempts: 3 },
    ...{ status: waiting.includes(i) ? 'WAITING' : 'SUCCEEDED', fence: 'f' },
    ...(!waiting.includes(i) && { startedAt: startOf(i), finishedAt: startOf(i) + ranForMs }),
  });
  for (let i = 0; i < 500; i++) await world.store.insertRow(rowOf(i));
  world.sent.length = 0;
  world.now = NOON + 500 * MINUTE;
  const { revision } = head;
  const message = { jobId, due: dueOf(n), revision, fireAt: world.now, enqueuedAt: world.now };
  await afterExecution(world.context, head, message, rowOf(n));
  return world.sent.map(({ due }) => due);
}

describe('if occurrences wait for each other, an end wakes', () => {
  const spec = { overlap: 'queue' };
  test.each([
    ['the next', 0, [1, 2, 3], 1],
    ['an older one first', 20, [15, 18, 21], 15],
    ['the next that waits, however many have run in between', 0, [470, 480], 470],
  ])('%s', async (_name, n, waiting, woken) => {
    expect(await wokenBy(n, waiting, spec)).toEqual([dueOf(woken)]);
  });

  test('an occurrence far before it, if it was late itself', async () => {
    expect(await wokenBy(300, [20], spec, 10, 60_000)).toEqual([dueOf(20)]);
    // a run in time does not read so many rows
    expect(await wokenBy(300, [20], spec, 10, 1_000)).toEqual([]);
  });

  test('the next one after a short run too, and with `runAll`', async () => {
    expect(await wokenBy(0, [200], spec, 10)).toEqual([dueOf(200)]);
    const runAll = { misfire: { policy: 'runAll' } };
    expect(await wokenBy(0, [200], runAll, 10)).toEqual([dueOf(200)]);
  });

  test('no execution, if none waits', async () => {
    expect(await wokenBy(0, [], spec)).toEqual([]);
  });
});

test('if occurrences do not wait for each other, few rows are read, and none after a short run', async () => {
  expect(await wokenBy(0, [5], {})).toEqual([dueOf(5)]);
  expect(await wokenBy(0, [200], {})).toEqual([]);
  expect(await wokenBy(0, [5], {}, 10)).toEqual([]);
});
