// The worker of an attempt is lost, and before another takes over, the job is changed: what README promises of it.
import { describe, expect, test } from 'vitest';
import { executionId } from '../../src/domain/executions/ids.ts';
import { asUser } from '../../src/domain/principal.ts';
import { cancelExecution } from '../../src/jobs/cancel-execution.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { runNow } from '../../src/jobs/manual-runs.ts';
import { pauseJob } from '../../src/jobs/pause-job.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { findDefinition } from '../../src/scheduling/records/definitions.ts';
import { finishAttempt } from '../../src/scheduling/running/finish-attempt.ts';
import { claimedOf, MINUTE, standingWorld } from '../support/standing-world.ts';

const ANN = asUser('ann');

/** An attempt has begun, so long ago that it has by anybody's clock; its worker is lost. */
async function begun(spec: Record<string, unknown> = {}, beganMsAgo = 5_000) {
  const world = standingWorld();
  const { context, store } = world;
  const jobId = await world.create({ params: { result: 'old' }, schedule: { every: 'PT1H' }, ...spec });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');
  world.now = message.fireAt;
  const first = await claim(context, 'lost', message);
  if (first.kind !== 'run') throw new Error(`it did not start: ${first.kind}`);
  world.now += beganMsAgo;
  const pastLease = async () => {
    world.now += MINUTE;
    return claim(context, 'another', message);
  };
  const row = () => store.readRow(jobId, message.due, { consistent: true });
  return { world, context, store, jobId, message, claimed: first.claimed, pastLease, row };
}

const again = { kind: 'run', claimed: { row: { attempt: 2, workerId: 'another' } } };

describe('an execution that had begun is repeated by another worker', () => {
  test('after a pause has returned', async () => {
    const { context, jobId, pastLease } = await begun();
    await pauseJob(context, ANN, jobId);
    expect(await pastLease()).toMatchObject(again);
  });

  test('after an edit of the schedule has returned', async () => {
    const { context, jobId, pastLease } = await begun();
    await editJob(context, ANN, jobId, { schedule: { every: 'PT2H' } });
    expect(await pastLease()).toMatchObject(again);
  });

  test('after an edit of task and params has returned, with these', async () => {
    const { context, jobId, pastLease } = await begun();
    await editJob(context, ANN, jobId, { task: 'http', params: { url: 'https://example.com/' } });
    const answer = await pastLease();
    expect(answer).toMatchObject(again);
    if (answer.kind !== 'run') throw new Error();
    expect(answer.claimed.head.task).toBe('http');
    expect((await findDefinition(context, answer.claimed.head))?.params).toEqual({
      url: 'https://example.com/',
    });
  });

  test('with overlap: allow, if it is a retry', async () => {
    const { world, context, jobId, message, claimed, pastLease } = await begun({ overlap: 'allow' });
    const failed = {
      kind: 'failed',
      error: { name: 'Error', message: 'no' },
      retry: { afterMs: 0 },
    } as const;
    await finishAttempt(context, claimed, failed, { receivedAt: world.now, startedAt: message.fireAt });
    claimedOf(await claim(context, 'lost again', message));
    await pauseJob(context, ANN, jobId);
    expect(await pastLease()).toMatchObject({ kind: 'run', claimed: { row: { attempt: 3 } } });
  });

  test('if it is a manual run, whenever the job was paused', async () => {
    const { world, context, jobId } = await begun({ overlap: 'allow' });
    await pauseJob(context, ANN, jobId);
    await runNow(context, ANN, jobId);
    const message = world.sent.at(-1);
    if (!message) throw new Error('nothing was sent');
    expect(await claim(context, 'lost', message)).toMatchObject({ kind: 'run' });
    world.now += MINUTE;
    expect(await claim(context, 'another', message)).toMatchObject({ kind: 'run' });
  });
});

test('it counts as running as soon as it has the lock, so a pause at that moment does not withdraw it', async () => {
  const { context, jobId, pastLease } = await begun({}, 0);
  await pauseJob(context, ANN, jobId);
  expect(await pastLease()).toMatchObject(again);
});

describe('it is not repeated, and ends cancelled', () => {
  test.each(['skip', 'allow'])('after a cancel of the job, overlap: %s', async (overlap) => {
    const { context, jobId, pastLease, row } = await begun({ overlap });
    await cancelJob(context, ANN, jobId);
    expect(await pastLease()).toEqual({ kind: 'drop' });
    expect(await row()).toMatchObject({ status: 'CANCELLED', reason: 'cancelled while its worker was lost' });
  });

  test.each(['skip', 'allow'])('after a cancel of the execution, overlap: %s', async (overlap) => {
    const { context, jobId, message, pastLease, row } = await begun({ overlap });
    await cancelExecution(context, ANN, executionId(jobId, message.due));
    expect(await pastLease()).toEqual({ kind: 'drop' });
    expect(await row()).toMatchObject({ status: 'CANCELLED', attempt: 1 });
  });

  test.each([
    ['a pause', pauseJob],
    [
      'an edit of the schedule',
      (...[context, who, jobId]: Parameters<typeof pauseJob>) =>
        editJob(context, who, jobId, { schedule: { cron: '30 5 * * *' } }),
    ],
  ])('after %s, with overlap: allow, where nobody can tell whether it had begun', async (_name, change) => {
    const { context, jobId, pastLease, row } = await begun({ overlap: 'allow' });
    await change(context, ANN, jobId);
    expect(await pastLease()).toEqual({ kind: 'drop' });
    expect(await row()).toMatchObject({
      status: 'CANCELLED',
      reason: 'the job was withdrawn while this waited',
    });
  });
});
