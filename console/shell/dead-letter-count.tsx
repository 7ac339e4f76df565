// The number of dead letters, beside their entry in the side bar. Nothing if there are none.
import Badge from '@cloudscape-design/components/badge';
import { useDeadLetterGroups } from '../api/use-dead-letter-groups.ts';

export function DeadLetterCount() {
  const groups = useDeadLetterGroups();
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
