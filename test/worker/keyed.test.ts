// Jobs with a concurrency key in real workers, on the in-process queue and a database in memory.
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ConcurrencyLimit } from '../../src/domain/jobs/concurrency-key.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../src/domain/principal.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { createWorkQueue } from '../../src/queue/in-process/work-queue.ts';
import type { Message, Receiver } from '../../src/queue/queue.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { createMemorySqlite } from '../../src/store/sqlite/sqlite.ts';
import { defineTask } from '../../src/tasks/task.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { StandingClock } from '../support/standing-clock.ts';

const USER = 'ann';
const quiet = () => {};

function keyedWorld() {
  const clock = new StandingClock();
  const { sleep } = clock;
  // a time has whole milliseconds
  clock.sleep = (ms, signal) => sleep(Math.ceil(ms), signal);
  const settings = { ...DEFAULT_SETTINGS, shards: 1 };
  const work = createWorkQueue({
    timer: clock,
    earlyMs: 1_500,
    visibilityMs: settings.leaseMs,
    onDeadLetter: quiet,
  });
  const { store } = createMemorySqlite({ shards: 1 });
  const context: Context = {
    ...{ store, queue: work.queue, clock, settings, random: systemRandom },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  };
  /** The jobs that run. None of them ends. */
  const running: string[] = [];
  const run = ({ jobId }: { jobId: string }) => new Promise<void>(() => void running.push(jobId));
  const task = defineTask({ name: 'noop', description: '', params: z.unknown(), run });
  /** A worker that receives messages while `mayTake`. */
  const startOne = (workerId: string, mayTake: () => boolean = () => true): void => {
    const { receive, recheck } = work.receiver;
    const receiver: Receiver = {
      receive: (max, signal, admit) =>
        receive(max, signal, (message: Message) => mayTake() && (admit?.(message) ?? true)),
      ...(recheck && { recheck }),
    };
    startWorker(context, {
      ...{ workerId, host: 'host', tasks: new Map([['noop', task]]), receivers: [receiver] },
      ...{ pollersPerQueue: 1, maxPerReceive: Number.POSITIVE_INFINITY, pauseAfterFewMs: 0 },
    });
  };
  const create = async (limit: ConcurrencyLimit): Promise<string> => {
    const schedule = { in: 'PT1S' };
    const spec = jobSpecSchema.parse({ task: 'noop', schedule, timeoutSeconds: 43_200, limit });
    return (await createJob(context, { userId: USER, spec })).job.id;
  };
  return { clock, context, running, startWorker: startOne, create };
}

test.each([{ key: 'db', concurrent: 2 }, { key: 'other', concurrent: 1 }, null])(
  'an execution that waits for a long one starts within a minute after an edit of its limit to %j',
  async (limit) => {
    const { clock, context, running, create, startWorker } = keyedWorld();
    startWorker('worker');
    const first = await create({ key: 'db', concurrent: 1 });
    await clock.advance(2_000);
    const second = await create({ key: 'db', concurrent: 1 });
    await clock.advance(60_000);
    expect(running).toEqual([first]);
    await editJob(context, asUser(USER), second, { limit });
    await clock.advance(60_000);
    expect(running).toEqual([first, second]);
  },
);

test('a job with a larger limit starts at its time beside hundreds that wait for the first seat of the key', async () => {
  const { clock, running, create, startWorker } = keyedWorld();
  let isFirstAlone = true;
  startWorker('first', () => isFirstAlone);
  const long = await create({ key: 'db', concurrent: 1 });
  await clock.advance(2_000);
  isFirstAlone = false;
  startWorker('second');
  for (let i = 0; i < 200; i++) await create({ key: 'db', concurrent: 1 });
  await clock.advance(30_000);
  const larger = await create({ key: 'db', concurrent: 2 });
  await clock.advance(1_100);
  expect(running).toEqual([long, larger]);
});
