// The recorded changes of a job, newest first.
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLiveList } from '../../api/use-live.ts';

const QUERY = { limit: 20 } as const;

export function useChanges(id: string) {
  const api = useApi();
  return useLiveList({
    key: keys.changes(id),
    read: (cursor, signal) => api.jobs.changes(id, QUERY, { signal }).page(cursor),
  });
}
