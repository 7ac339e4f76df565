// What waits and what is between two attempts goes on after an outage by itself: settle comes by hours later here.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelExecution } from '../../src/jobs/cancel-execution.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { startQueueServer } from '../support/engines.ts';
import {
  type AcceleratedWorld,
  type Engines,
  inWorld,
  makeQueues,
  OWNER,
  startEngines,
  TEST_SETTINGS,
} from '../support/faults/accelerated-world.ts';
import { endRow } from '../support/faults/calls.ts';
import type { Accepted } from '../support/faults/check.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

const BACKLOG = 50;
const NO_SETTLE = { settleLagMs: 3 * 3_600_000 };
/** Slow enough for so many claims of one job on a busy machine. */
const speed = 8;

/** One runs for an hour, the others wait for it; they are short themselves. */
async function backlog(world: AcceleratedWorld): Promise<Accepted> {
  const job = await world.create({
    schedule: { every: 'PT1S', startAt: world.at(2_000), endAt: world.at(2_000 + (BACKLOG - 1) * 1_000) },
    overlap: 'queue',
    misfire: { policy: 'runAll', graceSeconds: 3_600 },
    timeoutSeconds: 7_200,
    params: { durationMs: 3_600_000 },
  });
  await world.until('one runs', () => world.runs(job).length === 1);
  await editJob(world.context, OWNER, job.jobId, { params: { durationMs: 100 } });
  const waiting = async () => (await world.rows(job)).filter(({ status }) => status === 'QUEUED').length;
  await world.until('the others wait', async () => (await waiting()) === BACKLOG - 1);
  return job;
}

const ends = async (world: AcceleratedWorld, job: Accepted) =>
  (await world.rows(job)).map(({ status }) => status).sort();

test('a worker is killed between the end of a run and the wake: the occurrences that wait go on', () =>
  inWorld(
    engines,
    'killed-before-wake',
    async (world) => {
      const victim = await world.start('victim', ['worker']);
      const job = await backlog(world);
      const first = world.runs(job)[0]?.executionId ?? '';
      const ended = world.dynamodb.stopAfter(endRow(job.jobId, 'CANCELLED'));
      await cancelExecution(world.context, OWNER, first);
      await ended;
      await world.kill(victim);
      await world.start('next', ['worker', 'watcher']);
      await world.check();
      expect(await ends(world, job)).toEqual(['CANCELLED', ...Array(BACKLOG - 1).fill('SUCCEEDED')]);
    },
    { speed, groupCommit: false, settings: NO_SETTLE },
  ));

test('everything is killed and the queue forgets everything: a backlog and retries go on after the restart', async () => {
  let queues = await startQueueServer();
  try {
    await inWorld(
      { ...engines, sqs: queues.endpoint },
      'backlog-wiped',
      async (world) => {
        const worker = await world.start('worker', ['worker']);
        const watcher = await world.start('watcher', ['watcher']);
        const job = await backlog(world);
        const retry = { maxAttempts: 3, backoffSeconds: 60, maxBackoffSeconds: 60 };
        const retrying = await Promise.all(
          Array.from({ length: 5 }, () => world.create({ retry, params: { failTimes: 1 } })),
        );
        const isRetrying = async (one: Accepted) => (await world.rows(one))[0]?.status === 'RETRYING';
        for (const one of retrying) await world.until('it is between two attempts', () => isRetrying(one));
        await world.kill(worker);
        // until their slots are settled: nothing but checks is left of them in the timetable then
        await world.sleep(2 * 60_000 + TEST_SETTINGS.settleLagMs);
        await world.kill(watcher);
        await queues.stop();
        queues = await startQueueServer();
        await makeQueues(queues.endpoint, world.tablePrefix, world.speed);
        world.sqs.upstream = queues.endpoint;

        const settings = { ...TEST_SETTINGS, ...NO_SETTLE };
        await world.start('again', ['worker', 'watcher'], { refill: true, settings });
        await world.check();
        for (const one of retrying)
          expect(await world.rows(one)).toMatchObject([{ status: 'SUCCEEDED', attempt: 2 }]);
        expect(await ends(world, job)).toEqual(Array(BACKLOG).fill('SUCCEEDED'));
      },
      { speed },
    );
  } finally {
    await queues.stop();
  }
});
