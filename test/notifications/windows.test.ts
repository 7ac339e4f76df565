// Notification windows: at most one notification per job and kind of event in a window, and every event is counted.
import { expect, test } from 'vitest';
import { CrashingWorld, WEBHOOK } from './crashing-world.ts';

const MINUTE = 60_000;
const total = (sent: readonly { folded: number }[]) => sent.reduce((sum, { folded }) => sum + 1 + folded, 0);

test('1,000 failures in a minute cause two notifications: the first failure, and a summary of 999 at the end of the window', async () => {
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
  expect(world.notifications).toHaveLength(2);
  expect(world.notifications[0]).toMatchObject({
    event: 'failed',
    job: { id: jobId, name: 'storm' },
    folded: 0,
  });
  expect(world.notifications[1]).toMatchObject({ folded: 998, execution: { status: 'failed' } });
  expect(total(world.notifications)).toBe(1000);
  expect(world.rows(jobId).every(({ told }) => told)).toBe(true);
});

test('a job that keeps failing causes one notification per window', async () => {
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
  expect(world.notifications.length).toBeLessThanOrEqual(12);
  expect(total(world.notifications)).toBe(failed);
});

test('each kind of event and each job has its own window', async () => {
  const world = new CrashingWorld();
  const spec = {
    task: 't',
    retry: { maxAttempts: 2, backoffSeconds: 1 },
    schedule: { in: 'PT5S' },
    notify: [{ on: ['failed', 'retrying'] as ('failed' | 'retrying')[], ...WEBHOOK }],
  };
  const jobs = [await world.create(spec), await world.create(spec)];
  await world.pass(MINUTE);
  const sent = world.notifications.map(({ event, job }) => `${event} ${jobs.indexOf(job.id)}`).sort();
  expect(sent).toEqual(['failed 0', 'failed 1', 'retrying 0', 'retrying 1']);
});

test('a receiver that is down gets the notification later; after 10 attempts the message is dead-lettered with the reason', async () => {
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
  expect(world.notifications).toHaveLength(1);
  expect(world.notify.dead).toEqual([]);

  downUntil.time = Number.POSITIVE_INFINITY;
  const jobId = await world.create({ ...spec, schedule: { in: 'PT5S' } });
  await world.pass(90 * MINUTE);
  expect(world.notifications).toHaveLength(1);
  expect(world.notify.dead).toMatchObject([
    {
      body: { kind: 'delivery', payload: { job: { id: jobId } } },
      reason: 'gave up after 10 attempts; last error: Error: connection refused',
    },
  ]);
  expect(world.rows(jobId)).toMatchObject([{ status: 'FAILED' }]);
});
