// The executions before and after this one, of the same job.
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLiveList } from '../../api/use-live.ts';
import { useShortcuts } from '../../keyboard/shortcuts.ts';
import { neighboursOf } from './execution-texts.ts';

/** The newest executions of the job, as its own page reads them. */
const QUERY = { limit: 100 } as const;

export function Neighbours({ id, jobId }: { id: string; jobId: string }) {
  const api = useApi();
  const [, navigate] = useLocation();
  const list = useLiveList({
    key: keys.executionsOfJob(jobId, QUERY),
    read: (cursor, signal) => api.executions.ofJob(jobId, QUERY, { signal }).page(cursor),
    enabled: jobId !== '',
  });
  const { previous, next } = neighboursOf(list.items, id);
  const goTo = (target: string | undefined) => target !== undefined && navigate(`/executions/${target}`);
  useShortcuts([
    { keys: '[', what: 'Previous execution', run: () => goTo(previous) },
    { keys: ']', what: 'Next execution', run: () => goTo(next) },
  ]);
  return (
    <SpaceBetween direction="horizontal" size="xxs">
      <Button
        iconName="angle-left"
        variant="icon"
        ariaLabel="Previous execution"
        disabled={previous === undefined}
        onClick={() => goTo(previous)}
      />
      <Button
        iconName="angle-right"
        variant="icon"
        ariaLabel="Next execution"
        disabled={next === undefined}
        onClick={() => goTo(next)}
      />
    </SpaceBetween>
  );
}
