// No storm: at most one notification per job and kind in a window, and none of what it stands for is forgotten.
import { expect, test } from 'vitest';
import { CrashingWorld, WEBHOOK } from './crashing-world.ts';

const MINUTE = 60_000;
const total = (told: readonly { folded: number }[]) => told.reduce((sum, { folded }) => sum + 1 + folded, 0);

test('a job that fails 1,000 times in a minute is told of twice: the first, and the other 999 when the window is over', async () => {
  const world = new CrashingWorld();
  const jobId = await world.create({
    task: 't',
    name: 'storm',
    retry: { maxAttempts: 1 },
    overlap: 'allow',
    schedule: { in: 'PT1H' },
    notify: [{ on: ['failed'], ...WEBHOOK }],
  });
  for (let second = 0; second < 60; second++) {
    for (let i = 0; i < (second < 40 ? 17 : 16); i++) await world.runNow(jobId);
    await world.pass(1000);
  }
  await world.pass(20 * MINUTE);
  expect(world.rows(jobId).filter(({ status }) => status === 'FAILED')).toHaveLength(1000);
  expect(world.told).toHaveLength(2);
  expect(world.told[0]).toMatchObject({ event: 'failed', job: { id: jobId, name: 'storm' }, folded: 0 });
  expect(world.told[1]).toMatchObject({ folded: 998, execution: { status: 'failed' } });
  expect(total(world.told)).toBe(1000);
  expect(world.rows(jobId).every(({ told }) => told)).toBe(true);
});

test('one that goes on failing is told of once per window', async () => {
  const world = new CrashingWorld({ windowMs: 2 * MINUTE });
  const endAt = new Date(world.clock.now() + 20 * MINUTE).toISOString();
  const jobId = await world.create({
    task: 't',
    retry: { maxAttempts: 1 },
    schedule: { every: 'PT10S', endAt },
    notify: [{ on: ['failed'], ...WEBHOOK }],
  });
  await world.pass(30 * MINUTE);
  const failed = world.rows(jobId).filter(({ status }) => status === 'FAILED').length;
  expect(failed).toBeGreaterThan(100);
  expect(world.told.length).toBeLessThanOrEqual(12);
  expect(total(world.told)).toBe(failed);
});

test('kinds have windows of their own, and so have jobs', async () => {
  const world = new CrashingWorld();
  const spec = {
    task: 't',
    retry: { maxAttempts: 2, backoffSeconds: 1 },
    schedule: { in: 'PT5S' },
    notify: [{ on: ['failed', 'retrying'] as ('failed' | 'retrying')[], ...WEBHOOK }],
  };
  const jobs = [await world.create(spec), await world.create(spec)];
  await world.pass(MINUTE);
  const told = world.told.map(({ event, job }) => `${event} ${jobs.indexOf(job.id)}`).sort();
  expect(told).toEqual(['failed 0', 'failed 1', 'retrying 0', 'retrying 1']);
});

test('a receiver that is down gets it when it is back; one that stays away ends in the dead letters, with the reason', async () => {
  const downUntil = { time: 0 };
  const world = new CrashingWorld({
    receive: async () => {
      if (world.clock.now() < downUntil.time) throw new Error('connection refused');
    },
  });
  const spec = { task: 't', retry: { maxAttempts: 1 }, notify: [{ on: ['failed' as const], ...WEBHOOK }] };
  downUntil.time = world.clock.now() + 10 * MINUTE;
  await world.create({ ...spec, schedule: { in: 'PT5S' } });
  await world.pass(30 * MINUTE);
  expect(world.told).toHaveLength(1);
  expect(world.notify.dead).toEqual([]);

  downUntil.time = Number.POSITIVE_INFINITY;
  const jobId = await world.create({ ...spec, schedule: { in: 'PT5S' } });
  await world.pass(90 * MINUTE);
  expect(world.told).toHaveLength(1);
  expect(world.notify.dead).toMatchObject([
    {
      body: { kind: 'delivery', payload: { job: { id: jobId } } },
      reason: 'gave up after 10 attempts; last error: Error: connection refused',
    },
  ]);
  expect(world.rows(jobId)).toMatchObject([{ status: 'FAILED' }]);
});
