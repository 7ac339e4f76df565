// A queue that has lost its contents is filled again: every execution that has not ended gets its message, at once.
import { beforeEach, describe, expect, test } from 'vitest';
import { dueAtOf, dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import { recoverShard } from '../../src/scheduling/planning/recover.ts';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';

let world: ReturnType<typeof standingWorld>;
beforeEach(() => {
  world = standingWorld();
});

const pass = (options = {}) => watch(world.context, [0], new AbortController().signal, options);

async function minutes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    world.now += MINUTE;
    await pass();
  }
}

/** What is sent when the queue has just lost everything. */
async function recovered(): Promise<(number | string)[]> {
  const row = await world.store.readShard(0);
  if (!row) throw new Error('there is no shard');
  world.sent.length = 0;
  const { sent } = await recoverShard(world.context, row);
  expect(sent).toBe(world.sent.length);
  return world.sent.map(({ due }) => minuteOfDay(due));
}

/** Occurrences are named by their minute after noon. */
const minuteOfDay = (due: string): number | string =>
  due.length === 13 ? (dueAtOf(due) - NOON) / MINUTE : due;

const insert = async (jobId: string, minute: number, row: Partial<Row>): Promise<void> => {
  const head = world.store.heads.get(jobId);
  if (!head) throw new Error('there is no job');
  const due = dueKey(NOON + minute * MINUTE);
  const base = { jobId, due, userId: 'ann', revision: head.revision, attempt: 1, maxAttempts: 3 };
  await world.store.insertRow({ ...base, status: 'SUCCEEDED', number: 1, ...row });
};

const EVERY_MINUTE = { schedule: { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' } };

test('a retry that has only a check left in the timetable comes at its time', async () => {
  await pass();
  const jobId = await world.create({ schedule: { at: '2026-12-01T12:01:00Z' } });
  const nextAttemptAt = NOON + 30 * MINUTE;
  await insert(jobId, 1, { status: 'RETRYING', nextAttemptAt });
  await minutes(10);
  const shard = world.store.shards.get(0);
  expect(shard?.settledUntil, 'its own slot is settled').toBeGreaterThan((NOON + MINUTE) / MINUTE);
  expect(await recovered()).toEqual([1]);
  expect(world.sent).toMatchObject([{ fireAt: nextAttemptAt }]);
});

test('of a job whose occurrences wait for each other, all that are open are sent', async () => {
  await pass();
  const jobId = await world.create({ ...EVERY_MINUTE, overlap: 'queue' });
  for (const waiting of [2, 3, 4]) await insert(jobId, waiting, { status: 'QUEUED' });
  await insert(jobId, 1, {});
  await minutes(10);
  const sent = (await recovered()).sort((a, b) => Number(a) - Number(b));
  // five minutes ahead are in the queue
  expect(sent).toEqual(Array.from({ length: 14 }, (_, i) => i + 2));
});

test('a running execution is sent too, because its worker may be lost', async () => {
  await pass();
  const jobId = await world.create({ schedule: { at: '2026-12-01T12:01:00Z' } });
  await insert(jobId, 1, { status: 'RUNNING' });
  await minutes(10);
  expect(await recovered()).toEqual([1]);
});

test('an occurrence that jitter keeps back for most of an hour is sent', async () => {
  await pass();
  const at = { startAt: '2026-12-01T12:01:00Z', endAt: '2026-12-01T12:01:30Z' };
  const jobs = await Promise.all(
    Array.from({ length: 8 }, () =>
      world.create({ schedule: { every: 'PT1H', jitterSeconds: 3600, ...at } }),
    ),
  );
  const latest = world.sent.reduce((a, b) => (a.fireAt > b.fireAt ? a : b));
  await minutes(5);
  expect(await recovered()).toHaveLength(jobs.length);
  expect(world.sent.find(({ jobId }) => jobId === latest.jobId)?.fireAt).toBe(latest.fireAt);
});

test('what has ended or was withdrawn is not sent, and nothing is written', async () => {
  await pass();
  const ended = await world.create({ schedule: { at: '2026-12-01T12:01:00Z' } });
  await insert(ended, 1, { status: 'FAILED' });
  const paused = await world.create(EVERY_MINUTE);
  await minutes(3);
  const head = world.store.heads.get(paused);
  if (head) world.store.heads.set(paused, { ...head, status: 'paused' });
  const before = world.store.snapshot();
  expect(await recovered()).toEqual([]);
  expect(world.store.snapshot()).toEqual(before);
});

describe('a watcher', () => {
  test('recovers if no watcher came for longer than the look-ahead, and only then', async () => {
    await pass();
    const jobId = await world.create({ schedule: { at: '2026-12-01T12:01:00Z' } });
    await insert(jobId, 1, { status: 'RETRYING', nextAttemptAt: NOON + 2 * MINUTE });
    world.now += MINUTE;
    expect(await pass()).toMatchObject({ recovered: 0 });
    world.now += 4 * MINUTE;
    expect(await pass()).toMatchObject({ recovered: 0 });
    world.now += 7 * MINUTE;
    expect((await pass()).recovered).toBeGreaterThan(0);
    world.now += MINUTE;
    expect(await pass()).toMatchObject({ recovered: 0 });
  });

  test('recovers on request, also a shard that another watcher holds', async () => {
    await pass();
    const jobId = await world.create({ schedule: { at: '2026-12-01T12:01:00Z' } });
    await insert(jobId, 1, { status: 'RETRYING', nextAttemptAt: NOON + 2 * MINUTE });
    await minutes(2);
    await world.store.takeShard(0, world.store.shards.get(0)?.token, 'another', world.now + 20_000);
    expect(await pass({ recover: true })).toMatchObject({ recovered: 1, busy: 1 });
  });
});
