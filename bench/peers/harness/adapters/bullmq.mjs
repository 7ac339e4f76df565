import { Queue, Worker } from 'bullmq';
import { chunk, packageVersion } from '../util.mjs';

export const name = 'bullmq';
export const version = packageVersion('bullmq');
export const store = 'redis';
export const notes = [
  'Concurrency 100 is the low end of what the docs call usual for I/O jobs; 50 and 300 drained no faster here.',
  'Delayed jobs need no polling but wait in a blocking read, which Redis ends only every 1/hz s: with the default hz 10 lateness is 50 ms on average, 100 ms at worst.',
  'Recurring: job schedulers with a seconds cron; the next job is created when the previous one starts.',
  'Crash, defaults: lockDuration and stalledInterval 30 s. Two checks must pass, and one may find the key of the one before still there: 58 or 88 s.',
];
const settings = { concurrency: 100 };
const crashTuned = { ...settings, lockDuration: 10_000, stalledInterval: 5_000 };
export const profiles = { punctual: settings, throughput: settings, crashDefault: settings, crashTuned };

export function open(url, profile) {
  const { hostname: host, port, pathname } = new URL(url);
  const connection = { host, port: Number(port), db: Number(pathname.slice(1)) };
  let queue, worker;
  const options = ({ due }, now = Date.now()) => ({
    timestamp: now,
    delay: Math.max(0, due - now),
    removeOnComplete: true,
  });
  return {
    async start() {
      queue = new Queue('bench', { connection });
      await queue.waitUntilReady();
    },
    async createBatch(jobs) {
      for (const part of chunk(jobs, 500))
        await queue.addBulk(part.map((job) => ({ name: 'job', data: job, opts: options(job) })));
    },
    createOne: (job) => queue.add('job', job, options(job)),
    createRecurring: (ids) =>
      Promise.all(
        ids.map((id) =>
          queue.upsertJobScheduler(
            `every-second-${id}`,
            { pattern: '* * * * * *' },
            { name: 'job', data: { id }, opts: { removeOnComplete: true } },
          ),
        ),
      ),
    async startWorker(onJob) {
      // The id of a scheduler's job ends in the instant it stands for.
      const handle = async ({ id, data }) => onJob({ due: Number(id.split(':').at(-1)), ...data });
      worker = new Worker('bench', handle, { connection, ...profile });
      worker.on('error', (error) => console.error('bullmq:', error.message));
      await worker.waitUntilReady();
    },
    async pending() {
      const { wait, active, delayed } = await queue.getJobCounts('wait', 'active', 'delayed');
      return wait + active + delayed;
    },
    async stop() {
      await worker?.close();
      await queue.close();
    },
  };
}
