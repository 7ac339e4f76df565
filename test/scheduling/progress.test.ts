// What a task reports with `progress`: it reaches the API with a heartbeat, and costs no write of its own.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MAX_PROGRESS_TEXT } from '../../src/domain/executions/progress.ts';
import { asUser } from '../../src/domain/principal.ts';
import { cancelExecution } from '../../src/jobs/cancel-execution.ts';
import { getExecution } from '../../src/queries/get-execution.ts';
import { getJob } from '../../src/queries/get-job.ts';
import { listExecutions } from '../../src/queries/list-executions.ts';
import { listJobExecutions } from '../../src/queries/list-job-executions.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { finishAttempt } from '../../src/scheduling/running/finish-attempt.ts';
import { runAttempt } from '../../src/scheduling/running/run-attempt.ts';
import { defineTask, type TaskContext } from '../../src/tasks/task.ts';
import { at, StandingClock, settle } from '../support/standing-clock.ts';
import { claimedOf, EVERY_MINUTE, standingWorld, USER } from '../support/standing-world.ts';

const user = asUser(USER);
const HEARTBEAT_MS = 10_000;

/** Starts an attempt that runs until `end` is called. The worker's row shows it. */
async function startAttempt(spec: Record<string, unknown> = {}) {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, ...spec });
  const clock = new StandingClock(at('12:01:00'));
  const context = { ...world.context, clock };
  const message = world.message(jobId, at('12:01:00'));
  const claimed = claimedOf(await claim(context, 'worker', message));
  const begun = Promise.withResolvers<TaskContext<unknown>>();
  const ended = Promise.withResolvers<void>();
  const task = defineTask({
    name: 'noop',
    description: '',
    params: z.unknown(),
    async run(given) {
      begun.resolve(given);
      await ended.promise;
    },
  });
  let writes = 0;
  const beat = world.store.extendLease.bind(world.store);
  world.store.extendLease = (...given) => {
    writes++;
    return beat(...given);
  };
  const port = { tasks: new Map([['noop', task]]), aborting: new AbortController().signal };
  const attempt = runAttempt(context, port, claimed);
  const running = await begun.promise;
  const id = running.executionId;
  const worker = { workerId: 'worker', startedAt: clock.now(), running: [{ id, since: clock.now() }] };
  const beatWorker = () => world.store.putWorker({ ...worker, beatAt: clock.now(), host: 'h' });
  return {
    ...{ context, world, clock, jobId, id, running, beatWorker },
    writes: () => writes,
    /** The execution in every response that shows the present state of one execution. */
    async seen() {
      await beatWorker();
      const page = { limit: 10 };
      const lists = [
        await listExecutions(context, user, { ...page, status: 'running' }),
        await listExecutions(context, user, { ...page, workerId: 'worker' }),
        await listJobExecutions(context, user, jobId, page),
      ];
      return [await getExecution(context, user, id), ...lists.map(({ items }) => items[0])];
    },
    async end() {
      ended.resolve();
      await settle();
      const { outcome, startedAt } = await attempt;
      if (outcome) await finishAttempt(context, claimed, outcome, { receivedAt: startedAt, startedAt });
    },
  };
}

describe.each(['skip', 'allow'])('overlap: %s', (overlap) => {
  test('the progress is shown after the next heartbeat, in the execution and in lists', async () => {
    const { clock, running, seen } = await startAttempt({ overlap });
    running.progress(0.25, 'page 1 of 4');
    for (const execution of await seen()) expect(execution).not.toHaveProperty('progress');
    await clock.advance(HEARTBEAT_MS);
    const progress = { fraction: 0.25, text: 'page 1 of 4', at: '2026-12-01T12:01:00.000Z' };
    for (const execution of await seen()) expect(execution).toMatchObject({ status: 'running', progress });
    await clock.advance(HEARTBEAT_MS);
    running.progress(2 / 3);
    await clock.advance(HEARTBEAT_MS);
    const later = { fraction: 0.667, at: '2026-12-01T12:01:20.000Z' };
    for (const execution of await seen()) expect(execution?.progress).toStrictEqual(later);
  });

  test('a cancel request leaves the progress, and both are shown', async () => {
    const { context, clock, id, running, seen } = await startAttempt({ overlap });
    running.progress(0.5, 'half');
    await clock.advance(HEARTBEAT_MS);
    const cancelling = cancelExecution(context, user, id);
    await settle();
    for (const execution of await seen())
      expect(execution).toMatchObject({ stopping: true, progress: { fraction: 0.5, text: 'half' } });
    await clock.advance(HEARTBEAT_MS);
    await cancelling;
  });

  test('an execution that has ended shows none', async () => {
    const { context, clock, id, running, end } = await startAttempt({ overlap });
    running.progress(1, 'done');
    await clock.advance(HEARTBEAT_MS);
    await end();
    const execution = await getExecution(context, user, id);
    expect(execution.status).toBe('succeeded');
    expect(execution).not.toHaveProperty('progress');
  });
});

test('the last execution of a job shows its progress', async () => {
  const { context, clock, jobId, running } = await startAttempt();
  await running.checkpoint(1);
  running.progress(0.5);
  await clock.advance(HEARTBEAT_MS);
  expect((await getJob(context, user, jobId)).lastExecution?.progress?.fraction).toBe(0.5);
});

test('the next execution of the job begins without progress', async () => {
  const { context, world, clock, jobId, running, end } = await startAttempt();
  running.progress(0.9, 'of the first');
  await clock.advance(HEARTBEAT_MS);
  await end();
  await clock.advance(50_000);
  const next = { ...world.message(jobId, at('12:01:00')), due: '1796126520000', fireAt: at('12:02:00') };
  claimedOf(await claim(context, 'worker', next));
  expect(world.row(next)).toMatchObject({ status: 'RUNNING' });
  expect(world.row(next)?.progress).toBeUndefined();
});

test('a thousand reports cost no write: the heartbeats are as many as without', async () => {
  const { clock, running, writes, end } = await startAttempt();
  for (let n = 0; n <= 1000; n++) running.progress(n / 1000, `row ${n}`);
  await clock.advance(HEARTBEAT_MS - 1);
  expect(writes()).toBe(0);
  await clock.advance(2 * HEARTBEAT_MS);
  expect(writes()).toBe(2);
  await end();
  expect(writes()).toBe(2);
});

test.each([
  [-0.1, undefined, 'the fraction of a progress must be a number from 0 to 1, got -0.1'],
  [1.001, undefined, 'got 1.001'],
  [Number.NaN, undefined, 'got NaN'],
  ['1' as unknown as number, undefined, 'from 0 to 1, got 1'],
  [0.5, 7 as unknown as string, 'the text of a progress must be a string, got number'],
  [0.5, 'x'.repeat(MAX_PROGRESS_TEXT + 1), 'may have 100 characters; this one has 101'],
])('progress(%s, %s) is refused, and the report before it stays', async (fraction, text, message) => {
  const { context, clock, id, running } = await startAttempt();
  running.progress(0.125, 'x'.repeat(MAX_PROGRESS_TEXT));
  expect(() => running.progress(fraction, text)).toThrow(message);
  await clock.advance(HEARTBEAT_MS);
  expect((await getExecution(context, user, id)).progress?.fraction).toBe(0.125);
});
