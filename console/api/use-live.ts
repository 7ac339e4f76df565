// Queries that are read again while the page is visible.
import {
  keepPreviousData,
  type QueryKey,
  type QueryState,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { PunctualApiError } from '../../src/client/client.ts';
import type { Page } from '../../src/client/listing.ts';
import { useSession } from '../auth/auth.ts';
import { useValue } from '../state/use-value.ts';
import { idleMs, pauses, refresh } from './live.ts';
import { type LiveKind, pollingMs } from './polling.ts';

export interface LiveQuery<Data> {
  readonly key: QueryKey;
  readonly kind: LiveKind;
  readonly read: (signal: AbortSignal) => Promise<Data>;
  /** False if the data cannot be read yet, or no longer changes. */
  readonly enabled?: boolean;
  /** True if the data no longer changes, such as those of an execution that has ended. */
  readonly isFinal?: (data: Data) => boolean;
}

/** The connection of the page is that of its live queries. */
const LIVE = { isLive: true } as const;

/** One object or one page, read again in the interval of its kind. */
export function useLive<Data>({ key, kind, read, enabled = true, isFinal }: LiveQuery<Data>) {
  const interval = useInterval(kind);
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => read(signal),
    meta: LIVE,
    enabled,
    refetchInterval: ({ state }) => {
      if (state.data !== undefined && isFinal?.(state.data as Data)) return false;
      return interval(state, 1);
    },
    placeholderData: keepPreviousData,
  });
}

export interface LiveList<ListPage> {
  readonly key: QueryKey;
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage>;
  readonly enabled?: boolean;
  /** True if no page changes any more, and none follows. */
  readonly isFinal?: (last: ListPage) => boolean;
}

/** A list whose further pages are read on request. A refresh reads all pages that are shown. */
export function useLiveList<Item, ListPage extends Page<Item> = Page<Item>>({
  key,
  read,
  enabled = true,
  isFinal,
}: LiveList<ListPage & Page<Item>>) {
  const interval = useInterval('list');
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ signal, pageParam }) => read(pageParam, signal),
    meta: LIVE,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled,
    refetchInterval: ({ state }) => {
      const last = state.data?.pages.at(-1);
      return last && isFinal?.(last) ? false : interval(state, state.data?.pages.length ?? 1);
    },
    placeholderData: keepPreviousData,
  });
  return { ...query, items: query.data?.pages.flatMap(({ items }) => items) ?? [] };
}

/** The interval of the next read, given the last one and the number of pages. */
function useInterval(kind: LiveKind) {
  const choice = useValue(refresh);
  const paused = useValue(pauses) > 0;
  const { config } = useSession();
  return (last: LastRead, pages: number) =>
    pollingMs({
      ...{ refresh: choice, kind, paused, pages },
      local: config.auth.kind === 'local',
      idleMs: idleMs(),
      failingMs: failingMs(last),
      retryAfterMs: last.error instanceof PunctualApiError ? last.error.retryAfterMs : undefined,
    });
}

type LastRead = Pick<QueryState, 'error' | 'errorUpdatedAt' | 'errorUpdateCount' | 'dataUpdatedAt'>;

const failingMs = ({ error, errorUpdatedAt, errorUpdateCount, dataUpdatedAt }: LastRead): number => {
  if (!error) return 0;
  return dataUpdatedAt > 0 ? errorUpdatedAt - dataUpdatedAt : errorUpdateCount * 2_000;
};
