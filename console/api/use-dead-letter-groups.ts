// All dead letters in groups of the same error. The side bar and the overview show them, by one request.
import { useApi } from './api.ts';
import { keys } from './keys.ts';
import { useLive } from './use-live.ts';

const QUERY = { by: 'error' } as const;

export function useDeadLetterGroups() {
  const api = useApi();
  return useLive({
    key: keys.deadLetterGroups(QUERY),
    kind: 'statistics',
    read: (signal) => api.deadLetters.groups(QUERY, { signal }),
  });
}
