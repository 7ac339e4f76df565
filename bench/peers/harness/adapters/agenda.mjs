import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda } from 'agenda';
import pg from 'pg';
import { eachConcurrently, packageVersion } from '../util.mjs';

export const name = 'agenda';
export const version = packageVersion('agenda');
export const store = 'postgres';
export const notes = [
  'PostgreSQL backend. Jobs due before the next scan are locked one by one, then started by a timer; without a lock limit it first locks every due job, which drained far slower.',
  'No bulk API: the bulk row is single saves, 32 at a time.',
  'Recurring: repeatEvery() with a seconds cron.',
  'Crash, defaults: lock lifetime 10 min. Tuned: 10 s with job.touch() every 3 s, as the docs ask of long jobs.',
];
const settings = {
  maxConcurrency: 500,
  defaultConcurrency: 500,
  defaultLockLimit: 200,
  processEvery: 100,
  removeOnComplete: true,
};
const crashTuned = { ...settings, defaultLockLifetime: 10_000 };
export const profiles = { punctual: settings, throughput: settings, crashDefault: settings, crashTuned };

export function open(url, profile) {
  let agenda, pool;
  const createOne = (job) => agenda.schedule(new Date(job.due), 'job', job);
  return {
    createOne,
    async start() {
      pool = new pg.Pool({ connectionString: url, max: 32 });
      agenda = new Agenda({ backend: new PostgresBackend({ pool }), ...profile });
      agenda.on('error', (error) => console.error('agenda:', error.message));
      await agenda.ready;
    },
    createBatch: (jobs) => eachConcurrently(jobs, 32, createOne),
    createRecurring: (ids) =>
      eachConcurrently(ids, 32, (id) => agenda.create('job', { id }).repeatEvery('* * * * * *').save()),
    async startWorker(onJob) {
      agenda.define('job', async (job) => {
        const { data, lastRunAt } = job.attrs;
        // nextRunAt has been moved on by now: a recurring run belongs to the second it began in.
        const due = Math.floor(lastRunAt.getTime() / 1000) * 1000;
        const keepAlive = data.hold && setInterval(() => job.touch(), 3000);
        try {
          await onJob({ due, ...data });
        } finally {
          clearInterval(keepAlive);
        }
      });
      await agenda.start();
    },
    pending: async () =>
      (
        await pool.query(
          'select count(*)::int as n from agenda_jobs where next_run_at is not null or locked_at is not null',
        )
      ).rows[0].n,
    stop: () => agenda.stop(), // the pool stays open: a scan may still be under way
  };
}
