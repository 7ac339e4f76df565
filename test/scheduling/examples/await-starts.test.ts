import { expect, test } from 'vitest';
import { UnderWay } from '../../../src/concurrency/under-way.ts';
import { awaitStarts } from '../../../src/scheduling/claiming/await-starts.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld } from '../../support/standing-world.ts';

async function aJob(spec: Record<string, unknown> = {}) {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, ...spec });
  const waits: number[] = [];
  const clock = { ...world.context.clock, sleep: async (ms: number) => void waits.push(ms) };
  const context = { ...world.context, clock };
  const run = async () => {
    world.now = at('12:01:00');
    return claimedOf(await claim(world.context, 'worker', world.message(jobId, world.now)));
  };
  return { world, context, jobId, waits, run, change: () => awaitStarts(context, jobId) };
}

test('a change returns when a claim that has the lock must have started, and at once if there is none', async () => {
  const { world, context, waits, run, change } = await aJob();
  const { startWindowMs, clockSkewMs } = context.settings;
  await change();
  expect(waits).toEqual([]);

  const claimed = await run();
  world.now += startWindowMs + clockSkewMs - 1;
  await change();
  expect(waits).toEqual([startWindowMs]);
  // by every clock the claim was opened longer ago
  world.now += 1;
  await change();
  expect(waits).toHaveLength(1);

  world.now = at('12:01:00');
  await finishAttempt(world.context, claimed, SUCCEEDED, { receivedAt: world.now, startedAt: world.now });
  await change();
  expect(waits).toHaveLength(1);
});

test('with overlap: allow nothing shows a claim on its way, so a change always waits', async () => {
  const { context, waits, change } = await aJob({ overlap: 'allow' });
  await change();
  expect(waits).toEqual([context.settings.startWindowMs]);
});

test('in the process of the workers a change waits for their claims of the job, and for no time', async () => {
  const { context, jobId, waits, run } = await aJob({ overlap: 'allow' });
  const claims = new UnderWay();
  const embedded = { ...context, claims };
  await run();
  await awaitStarts(embedded, jobId);

  const order: string[] = [];
  const started = Promise.withResolvers<void>();
  const claiming = claims.track(jobId, started.promise).then(() => order.push('started'));
  const changing = awaitStarts(embedded, jobId).then(() => order.push('changed'));
  await awaitStarts(embedded, 'job_other');
  expect(order).toEqual([]);
  started.resolve();
  await Promise.all([claiming, changing]);
  expect(order).toEqual(['started', 'changed']);
  expect(waits).toEqual([]);
});
