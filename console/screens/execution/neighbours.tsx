// The executions before and after this one, of the same job.
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLiveList } from '../../api/use-live.ts';
import { useShortcuts } from '../../keyboard/shortcuts.ts';
import { neighboursOf } from './execution-texts.ts';

/** The newest executions of the job, as its own page reads them. */
const QUERY = { limit: 100 } as const;

type Direction = 'previous' | 'next';

/** The list is read at the first use, unless the page of the job has read it. Until then, both buttons are enabled. */
export function Neighbours({ id, jobId }: { id: string; jobId: string }) {
  const api = useApi();
  const [, navigate] = useLocation();
  const [wanted, setWanted] = useState<Direction>();
  const list = useLiveList({
    key: keys.executionsOfJob(jobId, QUERY),
    read: (cursor, signal) => api.executions.ofJob(jobId, QUERY, { signal }).page(cursor),
    enabled: jobId !== '' && wanted !== undefined,
  });
  const isRead = list.data !== undefined;
  const targets = neighboursOf(list.items, id);
  const target = wanted && targets[wanted];
  useEffect(() => {
    if (wanted === undefined || list.isFetching) return;
    setWanted(undefined);
    if (target !== undefined) navigate(`/executions/${target}`);
  }, [wanted, list.isFetching, target, navigate]);
  useShortcuts([
    { keys: '[', what: 'Previous execution', run: () => setWanted('previous') },
    { keys: ']', what: 'Next execution', run: () => setWanted('next') },
  ]);
  const button = (direction: Direction, iconName: 'angle-left' | 'angle-right', label: string) => (
    <Button
      iconName={iconName}
      variant="icon"
      ariaLabel={label}
      disabled={isRead && targets[direction] === undefined}
      onClick={() => setWanted(direction)}
    />
  );
  return (
    <SpaceBetween direction="horizontal" size="xxs">
      {button('previous', 'angle-left', 'Previous execution')}
      {button('next', 'angle-right', 'Next execution')}
    </SpaceBetween>
  );
}
