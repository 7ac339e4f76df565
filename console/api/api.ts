// The client of the API in the page, and the cache of what it has read.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { createClient, type PunctualClient } from '../../src/client/client.ts';
import { isSameValue } from '../../src/domain/value-changes.ts';
import type { Auth } from '../auth/auth.ts';
import { connectionAfter, connectionOf } from './connection-after.ts';
import { connection } from './live.ts';

export function createApi(auth: Auth): PunctualClient {
  return createClient({
    baseUrl: location.origin,
    token: auth.token,
    // One retry hides a lost packet. Polling is the retry of everything else.
    retry: { maxAttempts: 2, maxRetryAfterMs: 5_000 },
    fetch: async (...request) => {
      const response = await fetch(...request);
      if (response.status === 401) auth.refused();
      return response;
    },
  });
}

export function createQueryClient(): QueryClient {
  const queryCache: QueryCache = new QueryCache({ onSettled: () => noteReads(queryCache) });
  return new QueryClient({
    queryCache,
    mutationCache: new MutationCache({ onError: noteRefusal }),
    defaultOptions: {
      // The client retries. `always`: a loopback server can be reached without a network.
      queries: { retry: false, networkMode: 'always', staleTime: 1_000, gcTime: 5 * 60_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

function noteReads(queryCache: QueryCache): void {
  // A read that is not repeated would keep its error when the server is back.
  const shown = queryCache.getAll().filter((query) => query.isActive() && query.meta?.isLive);
  const next = connectionOf(shown.map(({ state }) => state));
  // The bar is rendered again only if it says something else.
  if (!isSameValue(next, connection.get())) connection.set(next);
}

/** A change that was refused says more about the connection than the last reads, until the next read. */
function noteRefusal(error: unknown): void {
  const state = connectionAfter(error);
  if (state) connection.set({ ...connection.get(), state });
}

export const ApiContext = createContext<PunctualClient | undefined>(undefined);

export function useApi(): PunctualClient {
  const api = useContext(ApiContext);
  if (!api) throw new Error('useApi needs an ApiContext');
  return api;
}
