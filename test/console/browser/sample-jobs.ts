// Jobs of all kinds with executions of all kinds, for pages that need data.
import { until } from '../../support/until.ts';
import type { Call } from './console-session.ts';

export interface SampleIds {
  readonly job: string;
  /** An execution that succeeded in its third attempt. */
  readonly execution: string;
}

const JOBS = [
  {
    ...{ name: 'import-orders', task: 'noop', params: { durationMs: 120 }, schedule: { every: 'PT2S' } },
    tags: { team: 'billing' },
  },
  {
    ...{ name: 'nightly-report', task: 'http', params: { url: 'https://example.com/report' } },
    schedule: { cron: '30 2 * * MON-FRI', timezone: 'Europe/Paris' },
    tags: { team: 'finance', env: 'production' },
  },
  { name: 'hourly-cleanup', task: 'noop', schedule: { cron: '0 * * * *', timezone: 'UTC' } },
  { name: 'hourly-export', task: 'noop', schedule: { cron: '0 * * * *', timezone: 'UTC' } },
  {
    ...{ name: 'refresh-prices', task: 'noop', params: { failTimes: 2, result: { rows: 1204 } } },
    retry: { maxAttempts: 3, backoffSeconds: 1 },
  },
  { name: 'sync-inventory', task: 'noop', params: { fail: true }, schedule: { every: 'PT3S' } },
  {
    ...{ name: 'notify-partner', task: 'http', params: { url: 'http://127.0.0.1:9/hook' } },
    ...{ retry: { maxAttempts: 1 }, schedule: { every: 'PT5S' } },
  },
  { name: 'rebuild-index', task: 'noop', params: { durationMs: 600_000 } },
  { name: 'archive-logs', task: 'noop', schedule: { cron: '@daily', timezone: 'America/New_York' } },
];

export async function createSampleJobs(call: Call): Promise<SampleIds> {
  const { body } = await call('POST', '/jobs/batch', { jobs: JOBS });
  const ids = new Map<string, string>(
    body.results.map(({ job }: { job: { id: string; name: string } }) => [job.name, job.id]),
  );
  await call('POST', `/jobs/${ids.get('archive-logs')}/pause`, { note: 'the bucket is being moved' });
  let execution = '';
  await until(
    'the sample jobs have run',
    async () => {
      const retried = await call('GET', `/jobs/${ids.get('refresh-prices')}/executions`);
      const failed = await call('GET', '/dead-letters');
      execution = retried.body.items.find(({ status }: { status: string }) => status === 'succeeded')?.id;
      return execution !== undefined && failed.body.items.length > 2;
    },
    { withinMs: 60_000, everyMs: 500 },
  );
  return { job: ids.get('import-orders') ?? '', execution };
}
