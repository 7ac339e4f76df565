// The jobs before and after this one in the list that the user came from. Without a list in memory there are none.
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Page } from '../../../src/client/listing.ts';
import type { JobSummary } from '../../../src/client/types.ts';
import { keys } from '../../api/keys.ts';
import { useShortcuts } from '../../keyboard/shortcuts.ts';

export function JobNeighbours({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const { previous, next } = useNeighbours(id);
  const goTo = (target: string | undefined) => target !== undefined && navigate(`/jobs/${target}`);
  useShortcuts([
    { keys: '[', what: 'Previous job of the list', run: () => goTo(previous) },
    { keys: ']', what: 'Next job of the list', run: () => goTo(next) },
  ]);
  if (previous === undefined && next === undefined) return null;
  return (
    <SpaceBetween direction="horizontal" size="xxs">
      <Button
        iconName="angle-left"
        variant="icon"
        ariaLabel="Previous job"
        disabled={previous === undefined}
        onClick={() => goTo(previous)}
      />
      <Button
        iconName="angle-right"
        variant="icon"
        ariaLabel="Next job"
        disabled={next === undefined}
        onClick={() => goTo(next)}
      />
    </SpaceBetween>
  );
}

function useNeighbours(id: string): { previous?: string | undefined; next?: string | undefined } {
  const queryClient = useQueryClient();
  const lists = queryClient.getQueriesData<InfiniteData<Page<JobSummary>>>({ queryKey: keys.allJobs });
  for (const [, list] of lists) {
    const jobs = list?.pages?.flatMap(({ items }) => items) ?? [];
    const at = jobs.findIndex((job) => job.id === id);
    if (at >= 0) return { previous: jobs[at - 1]?.id, next: jobs[at + 1]?.id };
  }
  return {};
}
