// The executions of a filter: page by page, or followed.
import { useRef } from 'react';
import { type Execution, PunctualApiError } from '../../../src/client/client.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive, useLiveList } from '../../api/use-live.ts';
import type { Filter } from '../../parts/filter-tokens.ts';
import { executionsQuery, isListOfJob, matchesRest, type Range } from './execution-filter.ts';
import { type FollowSource, followStep, merged } from './follow.ts';

/** The maximum of the API. */
const PAGE_SIZE = 100;

interface Wanted {
  /** `job` is an id. */
  readonly filter: Filter;
  readonly range: Range;
  readonly follow: boolean;
  /** False until the id of the job in the filter is known. */
  readonly enabled: boolean;
}

export function useExecutions({ filter, range, follow, enabled }: Wanted) {
  const read = useReads(filter, range);
  const list = useLiveList({
    key: keys.executions('list', filter, range),
    read: read.recorded,
    enabled: enabled && !follow,
  });
  const running = useLive({
    key: keys.executions('running', filter, range),
    kind: 'list',
    read: read.running,
    enabled: enabled && !follow && read.hasRunningApart,
  });
  // The executions of the last step belong to one filter.
  const last = useRef<{ key: string; executions: readonly Execution[] }>(undefined);
  const key = JSON.stringify([filter, range]);
  const followed = useLive({
    key: keys.executions('follow', filter, range),
    kind: 'object',
    enabled: enabled && follow,
    read: async (signal) => {
      const known = last.current?.key === key ? last.current.executions : undefined;
      const executions = await followStep(read.source(signal), known);
      last.current = { key, executions };
      return executions;
    },
  });
  const items = merged(list.items, running.data ?? []).filter((one) => matchesRest(filter, one));
  return { list: { ...list, items }, followed };
}

/** The requests of a filter. A range that moves with the time begins anew with each of them. */
function useReads(filter: Filter, range: Range) {
  const api = useApi();
  const isOfJob = isListOfJob(filter);
  // The list of a job has its running executions. The list over all jobs has them only if it is asked for them.
  const hasRunningApart = !isOfJob && filter.status === undefined && filter.workerId === undefined;
  const recorded = (cursor: string | undefined, signal: AbortSignal) => {
    const { owner, workerId, ...common } = executionsQuery(filter, range, Date.now());
    if (isOfJob)
      return api.executions.ofJob(filter.job ?? '', { ...common, limit: PAGE_SIZE }, { signal }).page(cursor);
    const query = { ...common, ...(owner && { owner }), ...(workerId && { workerId }), limit: PAGE_SIZE };
    return api.executions.list(query, { signal }).page(cursor);
  };
  const running = async (signal: AbortSignal) => {
    if (!hasRunningApart) return [];
    const query = {
      ...executionsQuery(filter, range, Date.now()),
      status: 'running',
      limit: PAGE_SIZE,
    } as const;
    return (await api.executions.list(query, { signal }).page()).items;
  };
  const source = (signal: AbortSignal): FollowSource => ({
    recorded: (cursor) => recorded(cursor, signal),
    running: () => running(signal),
    one: (id) =>
      api.executions.get(id, { signal }).catch((error: unknown) => {
        if (error instanceof PunctualApiError && error.status === 404) return undefined;
        throw error;
      }),
    matches: (execution) =>
      matchesRest(filter, execution) && (filter.status === undefined || execution.status === filter.status),
  });
  return { recorded, running, source, hasRunningApart };
}
