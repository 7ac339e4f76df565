// The client of the API in the page, and the cache of what it has read.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { createClient, type PunctualClient } from '../../src/client/client.ts';
import type { Auth } from '../auth/auth.ts';
import { connectionAfter } from './connection-after.ts';
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

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onSuccess: noteSuccess, onError: noteError }),
    mutationCache: new MutationCache({ onError: noteError }),
    defaultOptions: {
      // The client retries. `always`: a loopback server can be reached without a network.
      queries: { retry: false, networkMode: 'always', staleTime: 1_000, gcTime: 5 * 60_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

const noteSuccess = (): void => connection.set({ state: 'online', dataAt: Date.now() });

function noteError(error: unknown): void {
  const state = connectionAfter(error);
  if (state) connection.set({ ...connection.get(), state });
}

export const ApiContext = createContext<PunctualClient | undefined>(undefined);

export function useApi(): PunctualClient {
  const api = useContext(ApiContext);
  if (!api) throw new Error('useApi needs an ApiContext');
  return api;
}
