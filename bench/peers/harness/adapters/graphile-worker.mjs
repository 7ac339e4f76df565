import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { chunk, packageVersion } from '../util.mjs';

export const name = 'graphile-worker';
export const version = packageVersion('graphile-worker');
export const store = 'postgres';
export const notes = [
  'Future jobs are found by polling, 2 s by default; 10 ms here is one query per poll and worker process (local queue). With 100 ms: p50 52, p99 104 ms.',
  'Batching as on the performance page, with the local queue enlarged from 500 to 2000 for C (25k instead of 19k jobs/s here).',
  'D singly: each add_job ends in NOTIFY, and PostgreSQL commits those one at a time.',
  'G: cron is minute-level (documented).',
  'Crash, defaults: jobs stay locked 4 h (documented). Tuned: a supervisor sees the exit and calls forceUnlockWorkers(); heartbeats are a paid add-on.',
];
const batching = { concurrentJobs: 24, maxPoolSize: 25, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
const plain = { concurrentJobs: 24, maxPoolSize: 26, pollInterval: 100 };
export const profiles = {
  punctual: { ...batching, localQueue: { size: 500 }, pollInterval: 10 },
  throughput: { ...batching, localQueue: { size: 2000 } },
  crashDefault: plain,
  crashTuned: plain,
};
const logger = new Logger(
  () => (level, message) => level === 'error' && console.error('graphile-worker:', message),
);

export function open(url, profile) {
  let utils, runner;
  const query = async (text) => (await utils.withPgClient((client) => client.query(text))).rows;
  return {
    async start() {
      utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 32, logger });
      await utils.migrate();
    },
    async createBatch(jobs) {
      for (const part of chunk(jobs, 5000)) {
        await utils.addJobs(
          part.map((job) => ({ identifier: 'job', payload: job, runAt: new Date(job.due) })),
        );
      }
    },
    createOne: (job) => utils.addJob('job', job, { runAt: new Date(job.due) }),
    async startWorker(onJob) {
      const preset = { worker: { connectionString: url, logger, ...profile } };
      runner = await run({ preset, taskList: { job: onJob }, parsedCronItems: [], noHandleSignals: true });
    },
    pending: async () => (await query('select count(*)::int as n from graphile_worker.jobs'))[0].n,
    async releaseDeadWorkers() {
      const rows = await query(
        'select distinct locked_by as id from graphile_worker.jobs where locked_by is not null',
      );
      await utils.forceUnlockWorkers(rows.map(({ id }) => id));
    },
    async stop() {
      await runner?.stop();
      await utils.release();
    },
  };
}
