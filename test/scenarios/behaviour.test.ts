// What a job does over time, as its owner sees it: one worker, one watcher, real tables and queues, time that runs ten
// times as fast. Nothing goes wrong here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backfill } from '../../src/jobs/begin-backfill.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { runNow } from '../../src/jobs/manual-runs.ts';
import { getOperation } from '../../src/jobs/operations/operation-requests.ts';
import { pauseJob, resumeJob } from '../../src/jobs/pause-job.ts';
import { getJob } from '../../src/queries/get-job.ts';
import { AcceleratedWorld, type Engines, OWNER, startEngines } from '../support/faults/accelerated-world.ts';
import type { Accepted } from '../support/faults/check.ts';
import type { Run } from '../support/faults/probe.ts';

let engines: Engines;
let world: AcceleratedWorld;
beforeAll(async () => {
  engines = await startEngines();
  world = await AcceleratedWorld.open(engines, 'behaviour', { speed: 10 });
  await world.start('all', ['worker', 'watcher']);
  await world.watched();
});
afterAll(async () => {
  await world.close();
  await engines.stop();
});

const MINUTE = 60_000;
const statuses = async (job: Accepted) => (await world.rows(job)).map((row) => row.status);
const ended = (job: Accepted, count: number) =>
  world.until(
    `${count} ends`,
    async () =>
      (await statuses(job)).filter((s) => s !== 'RUNNING' && s !== 'RETRYING' && s !== 'QUEUED').length >=
      count,
  );
const began = (job: Accepted, count: number) =>
  world.until(`${count} starts`, () => world.runs(job).length >= count);
const overlapping = (runs: readonly Run[]) =>
  runs.some((run, i) => runs.slice(i + 1).some((later) => later.at < (run.end?.at ?? 0)));

describe.concurrent('a task that takes longer than its interval', () => {
  const every10s = (overlap: 'skip' | 'queue' | 'allow') =>
    world.create({
      schedule: { every: 'PT10S', startAt: world.at(10_000), endAt: world.at(49_000) },
      overlap,
      params: { durationMs: 25_000 },
    });

  test('overlap skip: what comes due during a run is skipped, and its row says why', async () => {
    const job = await every10s('skip');
    await ended(job, 4);
    const rows = await world.rows(job);
    const skipped = rows.filter((row) => row.status === 'SKIPPED');
    expect(skipped.length).toBeGreaterThanOrEqual(1);
    for (const row of skipped)
      expect(row.reason).toMatch(/^overlap: the execution due .* was still running$/);
    expect(world.runs(job).length).toBe(rows.length - skipped.length);
    expect(overlapping(world.runs(job))).toBe(false);
  });

  test('overlap queue: each one runs, one after the other', async () => {
    const job = await every10s('queue');
    await ended(job, 4);
    expect(await statuses(job)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
    expect(world.runs(job).length).toBe(4);
    expect(overlapping(world.runs(job))).toBe(false);
  });

  test('overlap allow: they run side by side', async () => {
    const job = await every10s('allow');
    await ended(job, 4);
    expect(await statuses(job)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
    expect(overlapping(world.runs(job))).toBe(true);
  });
});

describe.concurrent('a task that does not succeed', () => {
  test('is tried again with growing pauses, then it has failed for good', async () => {
    const job = await world.create({
      schedule: { in: 'PT2S' },
      retry: { maxAttempts: 3, backoffSeconds: 10, maxBackoffSeconds: 60 },
      params: { failTimes: 9 },
    });
    await ended(job, 1);
    expect(await world.rows(job)).toMatchObject([
      { status: 'FAILED', attempt: 3, error: { message: 'told to fail 9 times' } },
    ]);
    const [first, second, third] = world.runs(job);
    if (!first || !second || !third) throw new Error('three attempts');
    expect(second.at - first.at).toBeGreaterThanOrEqual(8_000);
    expect(third.at - second.at).toBeGreaterThanOrEqual(16_000);
    await world.until(
      'the job has failed',
      async () => (await getJob(world.context, OWNER, job.jobId)).status === 'failed',
    );
  });

  test('is not tried again when it says that this would not help', async () => {
    const job = await world.create({ schedule: { in: 'PT2S' }, params: { fail: true } });
    await ended(job, 1);
    expect(await world.rows(job)).toMatchObject([
      { status: 'FAILED', attempt: 1, error: { name: 'DoNotRetry' } },
    ]);
    expect(world.runs(job).length).toBe(1);
  });

  test('is told to stop when its time is over', async () => {
    const job = await world.create({
      schedule: { in: 'PT2S' },
      timeoutSeconds: 15,
      retry: { maxAttempts: 2, backoffSeconds: 1, maxBackoffSeconds: 1 },
      params: { durationMs: 10 * MINUTE },
    });
    await ended(job, 1);
    expect(await world.rows(job)).toMatchObject([
      { status: 'FAILED', attempt: 2, error: { name: 'Timeout' } },
    ]);
    expect(world.runs(job)).toMatchObject([{ end: { how: 'aborted' } }, { end: { how: 'aborted' } }]);
  });
});

describe.concurrent('its owner changes a job', () => {
  test('pause: nothing starts from then on; resume: it goes on from then, and the pause stays empty', async () => {
    const job = await world.create({ schedule: { every: 'PT5S' } });
    await began(job, 2);
    job.withdrawAskedAt = world.now;
    await pauseJob(world.context, OWNER, job.jobId);
    const paused = world.now;
    await world.sleep(40_000);
    const resumed = world.now;
    await resumeJob(world.context, OWNER, job.jobId);
    await world.until('it runs again', () => world.runs(job).some((run) => run.due > resumed));
    await world.cancel(job);
    const between = (t: number) => t > paused && t < resumed;
    expect(
      world.runs(job).filter((run) => between(run.at)),
      'a run in the pause',
    ).toEqual([]);
    const dues = (await world.rows(job)).map((row) => Number(row.due));
    expect(dues.filter(between), 'rows of what fell into the pause').toEqual([]);
  });

  test('run-now works while it is paused, and leaves it paused', async () => {
    const job = await world.create({ schedule: { every: 'PT1H', startAt: world.at(60 * MINUTE) } });
    await pauseJob(world.context, OWNER, job.jobId);
    const execution = await runNow(world.context, OWNER, job.jobId);
    await ended(job, 1);
    expect(world.runs(job)).toMatchObject([{ executionId: execution.id, end: { how: 'done' } }]);
    expect((await getJob(world.context, OWNER, job.jobId)).status).toBe('paused');
  });

  test('another schedule counts at once: the new one fires, the old one never again', async () => {
    const job = await world.create({ schedule: { every: 'PT1H', startAt: world.at(60 * MINUTE) } });
    job.withdrawAskedAt = world.now;
    await editJob(world.context, OWNER, job.jobId, { schedule: { every: 'PT5S', startAt: world.at(5_000) } });
    await began(job, 3);
    await editJob(world.context, OWNER, job.jobId, { schedule: { cron: '0 0 1 1 *', timezone: 'UTC' } });
    const edited = world.now;
    await world.sleep(40_000);
    // what had been taken when the edit came may still have had a step to go
    expect(world.runs(job).filter((run) => run.at > edited && run.due > edited)).toEqual([]);
  });

  test('backfill runs what has no row, one after the other', async () => {
    const startAt = world.at(-10 * MINUTE);
    const job = await world.create({
      schedule: { every: 'PT1M', startAt, endAt: world.at(90_000) },
      params: { durationMs: 3_000 },
    });
    const to = Date.parse(startAt) + 5 * MINUTE;
    const fill = () => backfill(world.context, OWNER, job.jobId, { from: Date.parse(startAt), to });
    const { planned, operation } = await fill();
    expect(planned).toBe(5);
    const isDone = async () => (await getOperation(world.context, OWNER, operation)).status === 'done';
    await world.until('the watcher has done the rest', isDone);
    expect(await fill()).toMatchObject({ planned: 0 });
    const backfilled = async () => (await statuses(job)).slice(0, 5);
    await world.until('they have run', async () => (await backfilled()).every((s) => s === 'SUCCEEDED'));
    expect(world.runs(job).filter((run) => run.due < to).length).toBe(5);
    expect(overlapping(world.runs(job))).toBe(false);
  });
});

describe('all of them', () => {
  test('kept every promise', () => world.check(world.now));
});
