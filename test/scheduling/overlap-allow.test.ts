// overlap: allow. Executions run beside each other, and nothing asks for a lock.
import { expect, test } from 'vitest';
import { asUser } from '../../src/domain/principal.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { pauseJob } from '../../src/jobs/pause-job.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { at, claimedOf, EVERY_MINUTE, MINUTE, standingWorld } from '../support/standing-world.ts';
import { beforeNext } from '../support/store-faults.ts';

const ANN = asUser('ann');

async function beside(spec: Record<string, unknown> = {}) {
  const world = standingWorld();
  const jobId = await world.create({ overlap: 'allow', ...EVERY_MINUTE, ...spec });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');
  world.now = message.fireAt;
  return { world, jobId, message };
}

test('two occurrences run at once, each by one worker, and their fences grow', async () => {
  const { world, jobId } = await beside();
  const claimAs = (workerId: string, time: string) =>
    claim(world.context, workerId, world.message(jobId, at(time)));
  world.now = at('12:02:00');
  const first = claimedOf(await claimAs('first', '12:01:00')).row;
  world.now += 1;
  const second = claimedOf(await claimAs('second', '12:02:00')).row;
  expect(second.number).toBeGreaterThan(first.number);
  expect(await claimAs('third', '12:02:00')).toMatchObject({ kind: 'later' });
  expect(world.head(jobId).lock).toBeUndefined();
});

test('if the response to the open of the row is lost, the execution runs as its first attempt', async () => {
  const { world, message } = await beside({ retry: { maxAttempts: 1 } });
  // as the SDK shows it: its own second try is refused by what the first one wrote
  const insert = world.store.insertRow.bind(world.store);
  world.store.insertRow = async (row) => {
    await insert(row);
    return false;
  };
  expect(claimedOf(await claim(world.context, 'worker', message)).row).toMatchObject({ attempt: 1 });
});

test('a pause that comes before the read of the head is seen, however stale other reads are', async () => {
  const { world, jobId, message } = await beside();
  await pauseJob(world.context, ANN, jobId);
  const read = world.store.readHead.bind(world.store);
  const before = { ...world.head(jobId), status: 'active' as const };
  world.store.readHead = async (id, options) => (options.consistent ? read(id, options) : before);
  expect(await claim(world.context, 'worker', message)).toEqual({ kind: 'drop' });
  expect(world.row(message)).toBeUndefined();
});

test('a job that is cancelled during a takeover does not start', async () => {
  const { world, jobId, message } = await beside();
  claimedOf(await claim(world.context, 'lost', message));
  world.now += MINUTE;
  beforeNext(world.store, 'updateRow', () => cancelJob(world.context, ANN, jobId));
  expect(await claim(world.context, 'another', message)).toEqual({ kind: 'drop' });
  expect(world.row(message)).toMatchObject({ status: 'CANCELLED', workerId: 'lost' });
});
