// The jobs of the user that a page can name without a request per job.
import { useMemo } from 'react';
import type { PunctualClient } from '../../src/client/client.ts';
import type { JobSummary } from '../../src/client/types.ts';
import { useApi } from './api.ts';
import { keys } from './keys.ts';
import { useLive } from './use-live.ts';

export interface KnownJobs {
  /** The newest jobs, newest first. */
  readonly jobs: readonly JobSummary[];
  /** True if the user has jobs that are not among them. */
  readonly truncated: boolean;
}

/** The maximum of the API. */
const PAGE_SIZE = 100;

/** `owner`: the user whose jobs an operator looks at. Default: the caller. `enabled`: false if the page needs no names now. */
export function useKnownJobs(owner?: string, enabled = true) {
  const api = useApi();
  return useLive({
    key: keys.knownJobs(owner),
    kind: 'list',
    enabled,
    read: (signal) => readKnownJobs(api, owner, signal),
  });
}

/** One request for users with up to 100 jobs. With more, the newest may all have ended, so the newest active ones are added. */
async function readKnownJobs(
  api: PunctualClient,
  owner: string | undefined,
  signal: AbortSignal,
): Promise<KnownJobs> {
  const query = { limit: PAGE_SIZE, ...(owner !== undefined && { owner }) };
  const newest = await api.jobs.summaries(query, { signal }).page(undefined);
  if (newest.nextCursor === undefined) return { jobs: newest.items, truncated: false };
  const active = await api.jobs.summaries({ ...query, status: 'active' }, { signal }).page(undefined);
  const all = new Map([...newest.items, ...active.items].map((job) => [job.id, job]));
  return { jobs: [...all.values()], truncated: true };
}

/** The name of a job. The id, if the job has no name or is not among the known ones. The same function while the names are the same. */
export function useJobNames(known: KnownJobs | undefined): (jobId: string) => string {
  const signature = JSON.stringify(known?.jobs.map(({ id, name }) => [id, name]) ?? []);
  return useMemo(() => {
    const names = new Map<string, string | undefined>(JSON.parse(signature));
    return (jobId) => names.get(jobId) ?? jobId;
  }, [signature]);
}
