// What a watcher meets in a long life: a schedule that it cannot compute, a clock that was wrong, a slot that takes long.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';

let world: ReturnType<typeof standingWorld>;
beforeEach(() => {
  world = standingWorld();
});

const pass = () => watch(world.context, [0], new AbortController().signal);
async function minutes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    world.now += MINUTE;
    await pass();
  }
}
const dues = (jobId: string): Set<string> =>
  new Set(world.sent.filter((m) => m.jobId === jobId).map((m) => m.due));

describe('a job whose schedule cannot be computed', () => {
  const poison = (jobId: string, timezone: string) => {
    const head = world.store.heads.get(jobId);
    if (head) world.store.heads.set(jobId, { ...head, schedule: { cron: '* * * * *', timezone } });
  };

  test('does not keep the others of its shard from being sent', async () => {
    await pass();
    const bad = await world.create({ schedule: { cron: '* * * * *' } });
    const good = await world.create({ schedule: { cron: '* * * * *' } });
    poison(bad, 'Mars/Olympus');
    await minutes(30);
    expect(dues(good).size).toBeGreaterThanOrEqual(30);
    expect(world.errors).toContain('failed to compute a schedule; postponed the job');
  });

  test('goes on, what it has missed included, once it can be computed again', async () => {
    await pass();
    const job = await world.create({ schedule: { cron: '* * * * *' } });
    poison(job, 'Mars/Olympus');
    await minutes(20);
    poison(job, 'UTC');
    await minutes(40);
    const expected = Array.from({ length: 60 }, (_, i) => String(NOON + (i + 1) * MINUTE));
    expect([...dues(job)].sort()).toEqual(expect.arrayContaining(expected));
  });
});

test('cursors that a wrong clock has moved a day ahead do not keep new jobs from being sent', async () => {
  world.now = NOON + 24 * 60 * MINUTE;
  await pass();
  world.now = NOON;
  await pass();
  const later = await world.create({ schedule: { in: 'PT1H' } });
  const often = await world.create({ schedule: { every: 'PT1M' } });
  await minutes(90);
  expect(dues(later).size).toBe(1);
  expect(dues(often).size).toBeGreaterThanOrEqual(90);
  expect(world.errors).toContain('the cursor of a shard is in the future; a clock may be wrong');
});

test('after days without a watcher empty slots cost few commits, and the cursor reaches the horizon', async () => {
  await pass();
  const job = await world.create({ schedule: { in: 'P3D' } });
  const { store } = world.context;
  const committing = vi.spyOn(store, 'commitShard');
  world.now = NOON + 3 * 1_440 * MINUTE + MINUTE;
  await pass();
  const commits = committing.mock.calls.filter(([, , change]) => change.dispatchedUntil !== undefined).length;
  expect(dues(job).size).toBe(1);
  expect(commits).toBeGreaterThan(1);
  expect(commits).toBeLessThan(3 * 24 + 10);
  const horizon = Math.floor((world.now + world.context.settings.lookAheadMs) / MINUTE);
  expect((await store.readShard(0))?.dispatchedUntil).toBe(horizon);
});

test('after five days without a watcher one pass catches up, with few commits for the empty slots', async () => {
  await pass();
  const weekly = await world.create({ schedule: { every: 'P7D', startAt: '2026-12-08T12:00:00Z' } });
  const daily = await world.create({ schedule: { cron: '0 15 * * *' } });
  let commits = 0;
  const { commitShard } = world.store;
  world.store.commitShard = (...args) => {
    commits++;
    return commitShard.apply(world.store, args);
  };
  world.now = NOON + 5 * 24 * 60 * MINUTE;
  await pass();
  const shard = await world.store.readShard(0);
  expect((shard?.dispatchedUntil ?? 0) * MINUTE).toBeGreaterThanOrEqual(world.now);
  expect(dues(daily).size).toBe(5);
  expect(dues(weekly).size).toBe(0);
  // 7,200 slots to dispatch and 3,600 to settle
  expect(commits).toBeLessThan(400);
});
