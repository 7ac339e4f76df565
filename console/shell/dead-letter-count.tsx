// The number of dead letters, beside their entry in the side bar. Nothing if there are none.
import Badge from '@cloudscape-design/components/badge';
import { useApi } from '../api/api.ts';
import { keys } from '../api/keys.ts';
import { useLive } from '../api/use-live.ts';

const QUERY = { by: 'error' } as const;

export function DeadLetterCount() {
  const api = useApi();
  const groups = useLive({
    key: keys.deadLetterGroups(QUERY),
    kind: 'statistics',
    read: (signal) => api.deadLetters.groups(QUERY, { signal }),
  });
  const count = groups.data?.items.reduce((sum, group) => sum + group.count, 0) ?? 0;
  if (count === 0) return null;
  const text = `${count}${groups.data?.truncated ? '+' : ''}`;
  return (
    <Badge color="red">
      {text}
      <span className="only-spoken"> dead letters</span>
    </Badge>
  );
}
