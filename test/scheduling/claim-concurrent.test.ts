// overlap: allow. Each execution has a hold of its own.
import { expect, test } from 'vitest';
import { asUser } from '../../src/domain/principal.ts';
import { cancelExecution } from '../../src/jobs/cancel-execution.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { MINUTE, standingWorld } from '../support/standing-world.ts';

const ANN = asUser('ann');

async function beside(spec: Record<string, unknown> = {}) {
  const world = standingWorld();
  const jobId = await world.create({ overlap: 'allow', ...spec });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');
  return { world, jobId, message };
}

test('if the response to the insert of the hold is lost, the execution runs as its first attempt', async () => {
  const { world, message } = await beside({ retry: { maxAttempts: 1 } });
  // as the SDK shows it: its own second try is refused by what the first one wrote
  const insert = world.store.insertHoldItem.bind(world.store);
  world.store.insertHoldItem = async (item) => {
    await insert(item);
    return false;
  };
  const answer = await claim(world.context, 'worker', message);
  expect(answer).toMatchObject({ kind: 'run', claimed: { hold: { attempt: 1 } } });
});

test('a cancel that found the hold of a worker which may not run is not lost with that hold', async () => {
  const schedule = { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' };
  const { world, jobId, message } = await beside({ schedule });
  const { context, store } = world;
  world.now = message.fireAt;
  // the worker has read the head as it was, and has its hold; then the job is edited to the same occurrence, and that cancelled
  const insert = store.insertHoldItem.bind(store);
  store.insertHoldItem = async (item) => {
    store.insertHoldItem = insert;
    const done = await insert(item);
    world.now = message.fireAt - 1000;
    await editJob(context, ANN, jobId, { schedule });
    world.now = message.fireAt;
    await cancelExecution(context, ANN, `${jobId}.${message.due}`);
    return done;
  };
  await claim(context, 'worker', message);

  const own = world.sent.find(({ due, revision }) => due === message.due && revision !== message.revision);
  if (!own) throw new Error('the new schedule has not planned it');
  expect(await claim(context, 'another', own)).toMatchObject({ kind: 'later' });
  world.now += MINUTE;
  expect(await claim(context, 'another', own)).toEqual({ kind: 'drop' });
  expect(await store.readRow(jobId, message.due, { consistent: true })).toMatchObject({
    status: 'CANCELLED',
  });
});

test('a job that is cancelled during a takeover does not start', async () => {
  const { world, jobId, message } = await beside();
  const { context, store } = world;
  expect(await claim(context, 'lost', message)).toMatchObject({ kind: 'run' });
  world.now += MINUTE;
  const update = store.updateHoldItem.bind(store);
  store.updateHoldItem = async (...args) => {
    store.updateHoldItem = update;
    await cancelJob(context, ANN, jobId);
    return update(...args);
  };
  expect(await claim(context, 'another', message)).toEqual({ kind: 'drop' });
  expect(await store.readRow(jobId, message.due, { consistent: true })).toMatchObject({
    status: 'CANCELLED',
  });
});
