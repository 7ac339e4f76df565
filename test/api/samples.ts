// A valid request for every operation of the contract, on resources of alice.
import type { Operation } from '../../src/api/contract/endpoint.ts';
import { docsFile } from '../support/docs-file.ts';
import type { testApi } from './api.ts';

/** A job of a name. */
const NAMED = { task: 'noop', schedule: { every: 'PT1H', startAt: '2026-11-17T00:00:00Z' } };

/** A job with a schedule, a failed manual run of it, and a job with a name. */
export async function prepare(api: ReturnType<typeof testApi>) {
  const job = await api.create({ schedule: { every: 'PT1H' } });
  const run = await api.call('POST', `/jobs/${job.id}/run`);
  await api.endRow(run.body.id, 'FAILED');
  const body = { from: '2026-11-16T00:00:00Z', to: '2026-11-16T00:00:00Z' };
  const { operation } = (await api.call('POST', `/jobs/${job.id}/backfill`, { body })).body;
  await api.call('PUT', '/jobs/by-name/billing/nightly', { body: NAMED });
  return { jobId: job.id as string, executionId: run.body.id as string, operationId: operation as string };
}

export type Prepared = Awaited<ReturnType<typeof prepare>>;

export const urlOf = ({ path }: Operation, { jobId, executionId, operationId }: Prepared): string => {
  const ids: Record<string, string> = { executions: executionId, operations: operationId };
  return path
    .replace('{id}', ids[path.split('/')[1] ?? ''] ?? jobId)
    .replace('{namespace}/{name}', 'billing/nightly')
    .replace('{file}', docsFile())
    .replace('{owner}', 'alice');
};

export function bodyOf({ id }: Operation, { executionId }: Prepared): unknown {
  const bodies: Record<string, unknown> = {
    createJob: { task: 'noop' },
    createJobs: { jobs: [{ task: 'noop' }] },
    editJob: { name: 'edited' },
    putNamedJob: { ...NAMED, timeoutSeconds: 60 },
    pauseJob: { note: 'for now' },
    runJob: { params: {} },
    cancelExecution: {},
    retryExecution: {},
    resumeJob: { note: 'again' },
    backfillJob: { from: '2026-11-16T00:00:00Z', to: '2026-11-16T12:00:00Z' },
    changeJobs: { action: 'pause', filter: { tag: 'team:billing' } },
    previewSchedule: { schedule: { cron: '0 9 * * *' } },
    redriveDeadLetters: { ids: [executionId] },
    dismissDeadLetters: { ids: [executionId] },
    setLimits: { activeJobs: 50 },
  };
  return bodies[id];
}
