// The active jobs of the user, for collisions. One page is read once.
import { useMemo } from 'react';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import type { OtherJob } from './schedule/collisions.ts';

/** Without the job that is edited. `items` is undefined until the page is there. */
export function useOtherJobs(except: string | undefined): {
  readonly items: readonly OtherJob[] | undefined;
  readonly hasMore: boolean;
} {
  const api = useApi();
  const query = { status: 'active', limit: 100 } as const;
  const { data } = useLive({
    key: [...keys.jobs(query), 'summaries'],
    kind: 'list',
    read: (signal) => api.jobs.summaries(query, { signal }).page(),
    isFinal: () => true,
  });
  const items = useMemo(() => data?.items.filter(({ id }) => id !== except), [data, except]);
  return { items, hasMore: data?.nextCursor !== undefined };
}
