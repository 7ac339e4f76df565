// Each kind of event: when it causes a notification, and when not.
import { describe, expect, test } from 'vitest';
import { asUser } from '../../src/domain/principal.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { retryExecution } from '../../src/jobs/manual-runs.ts';
import { pauseJob } from '../../src/jobs/pause-job.ts';
import { CrashingWorld, WEBHOOK } from './crashing-world.ts';

const MINUTE = 60_000;
const ALL = ['succeeded', 'failed', 'retrying', 'late', 'skipped'] as const;
const me = asUser('u');

const everything = { on: [...ALL], ...WEBHOOK };

describe('a notification is sent for', () => {
  test('succeeded, with the execution as the API shows it', async () => {
    const world = new CrashingWorld({ task: async () => ({ rows: 7 }) });
    const jobId = await world.create({
      task: 't',
      name: 'import',
      schedule: { in: 'PT5S' },
      notify: [everything],
    });
    await world.pass(MINUTE);
    expect(world.notifications).toMatchObject([
      {
        event: 'succeeded',
        job: { id: jobId, name: 'import' },
        execution: { jobId, status: 'succeeded', attempt: 1, result: { rows: 7 } },
        folded: 0,
        at: expect.stringMatching(/^2026-.*Z$/),
      },
    ]);
  });

  test('skipped, with the reason', async () => {
    const world = new CrashingWorld({ task: () => world.clock.sleep(70_000) });
    const endAt = new Date(world.clock.now() + 65_000).toISOString();
    await world.create({
      task: 't',
      schedule: { every: 'PT30S', endAt },
      notify: [{ on: ['skipped'], ...WEBHOOK }],
    });
    await world.pass(10 * MINUTE);
    const skipped = world.store.rows.all().filter(({ status }) => status === 'SKIPPED').length;
    expect(skipped).toBeGreaterThan(0);
    expect(world.notifications[0]?.execution.reason).toContain('overlap');
    expect(world.notifications.reduce((sum, { folded }) => sum + 1 + folded, 0)).toBe(skipped);
  });

  test('retrying, if the worker was lost and another one takes over', async () => {
    const world = new CrashingWorld({
      death: { role: 'worker', at: 6, when: 'after' },
      task: () => world.clock.sleep(40_000),
    });
    await world.create({ task: 't', schedule: { in: 'PT5S' }, notify: [everything] });
    await world.pass(5 * MINUTE);
    expect(world.deaths).toBe(1);
    expect(world.notificationsOf('retrying')).toMatchObject([
      { execution: { attempt: 1, error: { name: 'WorkerLost' } } },
    ]);
    expect(world.notificationsOf('succeeded')).toHaveLength(1);
  });

  test('failed once more, if a manual retry failed too', async () => {
    const world = new CrashingWorld({ windowMs: 0 });
    await world.create({
      task: 't',
      retry: { maxAttempts: 1 },
      schedule: { in: 'PT5S' },
      notify: [{ on: ['failed'], ...WEBHOOK }],
    });
    await world.pass(MINUTE);
    expect(world.notifications).toHaveLength(1);
    await retryExecution(world.people(), me, world.notifications[0]?.execution.id ?? '');
    await world.pass(10 * MINUTE);
    expect(world.notifications).toHaveLength(2);
  });

  test('the targets in force: an edit applies to events that are not sent yet', async () => {
    const world = new CrashingWorld();
    const jobId = await world.create({ task: 't', schedule: { in: 'PT5S' }, notify: [everything] });
    await editJob(world.people(), me, jobId, { notify: [] });
    await world.pass(10 * MINUTE);
    expect(world.rows(jobId)[0]?.notifies).toBeUndefined();
    expect(world.notifications).toEqual([]);
  });
});

describe('late', () => {
  const late = { on: ['late' as const], ...WEBHOOK };

  test('not for a start on time', async () => {
    const world = new CrashingWorld({ task: async () => {} });
    await world.create({ task: 't', schedule: { in: 'PT5S' }, notify: [late] });
    await world.pass(10 * MINUTE);
    expect(world.notifications).toEqual([]);
  });

  test('for a start after the threshold, at the start', async () => {
    const world = new CrashingWorld({ task: () => world.clock.sleep(20 * MINUTE) });
    await world.create({ task: 't', timeoutSeconds: 3600, schedule: { in: 'PT5S' }, notify: [late] });
    world.noWorkers = true;
    await world.pass(50_000);
    world.noWorkers = false;
    await world.pass(5_000);
    expect(world.notifications).toMatchObject([{ event: 'late', execution: { status: 'running' } }]);
    expect(world.notifications[0]?.execution.latenessMs).toBeGreaterThan(30_000);
  });

  test('once for an execution that has not started, by settle, with a threshold per target', async () => {
    const world = new CrashingWorld({ task: async () => {} });
    world.noWorkers = true;
    const jobId = await world.create({
      task: 't',
      schedule: { in: 'PT5S' },
      notify: [late, { on: ['late'], lateSeconds: 3600, ...WEBHOOK }],
    });
    await world.pass(20 * MINUTE);
    expect(world.rows(jobId)).toEqual([]);
    expect(world.notifications).toMatchObject([
      { event: 'late', execution: { status: 'queued', attempt: 0 } },
    ]);
  });

  test('not for a withdrawn occurrence', async () => {
    const world = new CrashingWorld({ task: async () => {} });
    const jobId = await world.create({ task: 't', schedule: { in: 'PT5S' }, notify: [late] });
    world.noWorkers = true;
    await pauseJob(world.people(), me, jobId);
    await world.pass(15 * MINUTE);
    expect(world.notifications).toEqual([]);
  });
});

test('a job without notify sends no message', async () => {
  const world = new CrashingWorld();
  const jobId = await world.create({ task: 't', schedule: { every: 'PT10S' } });
  await world.pass(5 * MINUTE);
  expect(world.rows(jobId).length).toBeGreaterThan(5);
  expect(world.notify.sent).toBe(0);
});

test('with an event bus every change is sent to it, also for jobs without notify', async () => {
  const world = new CrashingWorld({ changes: true });
  await world.create({ task: 't', schedule: { in: 'PT5S' }, retry: { maxAttempts: 2, backoffSeconds: 1 } });
  const other = await world.create({ task: 't', schedule: { in: 'PT1H' }, retry: { maxAttempts: 1 } });
  await world.pass(MINUTE);
  expect(world.changes).toEqual(['started', 'retrying', 'started', 'failed']);
  await world.runNow(other);
  await world.pass(MINUTE);
  expect(world.changes.slice(4)).toEqual(['queued', 'started', 'failed']);
  expect(world.notifications).toEqual([]);
});
