// The newest executions of a job. Its page, its pictures and the page of an execution share this read.
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLiveList } from '../../api/use-live.ts';
import type { Filter } from '../../parts/filter-tokens.ts';

/** The number of bars in the strip, and of executions in a page of the list. */
export const NEWEST = 100;

export function useNewestExecutions(id: string, filter: Filter = {}) {
  const api = useApi();
  const query = { limit: NEWEST, ...filter };
  return useLiveList({
    key: keys.executionsOfJob(id, query),
    read: (cursor, signal) => api.executions.ofJob(id, query, { signal }).page(cursor),
  });
}
