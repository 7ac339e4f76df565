import { PgBoss } from 'pg-boss';
import { chunk, packageVersion } from '../util.mjs';

export const name = 'pg-boss';
export const version = packageVersion('pg-boss');
export const store = 'postgres';
export const notes = [
  'Future jobs are found by polling only (LISTEN/NOTIFY serves immediate jobs); 0.5 s is the smallest interval it accepts, 2 s the default.',
  'G: cron is minute-level (documented).',
  'Crash, defaults: expireInSeconds 15 min. Tuned: heartbeatSeconds 10 (the minimum), 1 s supervise and monitor intervals.',
];
const batches = {
  pollingIntervalSeconds: 0.5,
  batchSize: 1000,
  localConcurrency: 4,
  burstWhenBatchFull: true,
};
const singles = { pollingIntervalSeconds: 0.5, localConcurrency: 20 };
export const profiles = {
  punctual: { work: batches },
  throughput: { work: batches },
  crashDefault: { work: singles },
  crashTuned: {
    work: singles,
    queue: { heartbeatSeconds: 10 },
    boss: { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 },
  },
};

export function open(url, profile) {
  let boss;
  return {
    async start() {
      boss = new PgBoss({ connectionString: url, max: 32, ...profile.boss });
      boss.on('error', (error) => console.error('pg-boss:', error.message));
      await boss.start();
      if (!(await boss.getQueue('bench'))) await boss.createQueue('bench', { ...profile.queue });
    },
    async createBatch(jobs) {
      for (const part of chunk(jobs, 5000))
        await boss.insert(
          'bench',
          part.map((job) => ({ data: job, startAfter: new Date(job.due) })),
        );
    },
    createOne: (job) => boss.send('bench', job, { startAfter: new Date(job.due) }),
    async startWorker(onJob) {
      await boss.work('bench', profile.work, (jobs) => Promise.all(jobs.map((job) => onJob(job.data))));
    },
    pending: async () =>
      (
        await boss
          .getDb()
          .executeSql(
            `select count(*)::int as n from pgboss.job where name = 'bench' and state < 'completed'`,
          )
      ).rows[0].n,
    stop: () => boss.stop({ graceful: false }),
  };
}
