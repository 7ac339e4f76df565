// The tasks of the server. They change with a deployment only.
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';

export function useTasks() {
  const api = useApi();
  return useQuery({
    queryKey: keys.tasks,
    queryFn: ({ signal }) => api.tasks({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
