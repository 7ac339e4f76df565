// The executions of a job: filter, pages, and following the newest.
import Toggle from '@cloudscape-design/components/toggle';
import { Link, useSearchParams } from 'wouter';
import type { Execution, Job } from '../../../src/client/types.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { usePausedWhile } from '../../api/use-pause.ts';
import { Empty } from '../../parts/empty.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { type FilterProperty, filterOf } from '../../parts/filter-tokens.ts';
import { Late } from '../../parts/late.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { type Column, RowTable } from '../../parts/row-table.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { useSort } from '../../parts/use-sort.ts';
import { TRIGGER_TEXTS } from '../execution/execution-texts.ts';
import { useNewestExecutions } from './use-newest-executions.ts';

const PROPERTIES: readonly FilterProperty[] = [
  {
    key: 'status',
    label: 'Status',
    operator: '=',
    values: ['scheduled', 'queued', 'running', 'retrying', 'succeeded', 'failed', 'skipped', 'cancelled'],
  },
  { key: 'from', label: 'Due from', operator: '=' },
  { key: 'to', label: 'Due before', operator: '=' },
];

export function JobExecutions({ job }: { job: Job }) {
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params, PROPERTIES);
  const executions = useNewestExecutions(job.id, filter);
  const follows = params.get('follow') !== 'off';
  usePausedWhile(!follows);
  const order = useSort();
  const follow = (isOn: boolean) =>
    setParams((old) => {
      if (isOn) old.delete('follow');
      else old.set('follow', 'off');
      return old;
    });
  const count = executions.items.length;
  const countText = `${count}${executions.hasNextPage ? '+' : ''} ${count === 1 && !executions.hasNextPage ? 'execution' : 'executions'}`;
  return (
    <div className="stack">
      <div className="job-filter">
        <FilterBar
          properties={PROPERTIES}
          placeholder="Filter by status or due time, such as 2026-12-01T10:00:00Z"
          countText={executions.data ? countText : ''}
        />
        <Toggle checked={follows} onChange={({ detail }) => follow(detail.checked)}>
          Follow
        </Toggle>
      </div>
      <Loaded query={executions} lines={10}>
        {() =>
          count === 0 && !executions.hasNextPage ? (
            <Empty
              title={Object.keys(filter).length > 0 ? 'No execution matches the filter' : 'No execution yet'}
            >
              {Object.keys(filter).length === 0 && 'The first execution appears here when it is due.'}
            </Empty>
          ) : (
            <>
              <RowTable<Execution>
                label="Executions"
                columns={COLUMNS}
                rows={executions.items}
                rowId={({ id }) => id}
                rowName={({ dueAt }) => dueAt}
                href={({ id }) => `/executions/${id}`}
                {...order}
              />
              <More list={executions} what="executions" />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

const COLUMNS: readonly Column<Execution>[] = [
  {
    id: 'due',
    title: 'Due',
    width: '230px',
    ownLine: true,
    sortBy: ({ dueAt }) => Date.parse(dueAt),
    cell: ({ id, dueAt }) => (
      <Link href={`/executions/${id}`} tabIndex={-1}>
        <Time at={dueAt} />
      </Link>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    width: '120px',
    sortBy: ({ status }) => status,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'late',
    title: 'Late',
    width: '90px',
    sortBy: ({ latenessMs }) => latenessMs,
    cell: ({ latenessMs }) => <Late latenessMs={latenessMs} />,
  },
  {
    id: 'took',
    title: 'Took',
    width: '90px',
    from: 'tablet',
    sortBy: ({ durationMs }) => durationMs,
    cell: ({ durationMs }) => (durationMs === undefined ? '–' : lengthText(durationMs)),
  },
  {
    id: 'attempt',
    title: 'Attempt',
    width: '90px',
    from: 'desktop',
    sortBy: ({ attempt }) => attempt,
    cell: ({ attempt, maxAttempts }) => `${attempt} of ${maxAttempts}`,
  },
  {
    id: 'trigger',
    title: 'Trigger',
    width: '130px',
    from: 'desktop',
    sortBy: ({ trigger }) => trigger,
    cell: ({ trigger }) => TRIGGER_TEXTS[trigger],
  },
  {
    id: 'why',
    title: 'Error or reason',
    from: 'desktop',
    cell: (execution) => <Outcome execution={execution} />,
  },
];

function Outcome({ execution: { jobId, dueAt, error, reason } }: { execution: Execution }) {
  const text = error ? `${error.name}: ${error.message}` : reason;
  return (
    <>
      <span title={text}>{text}</span>
      {reason !== undefined && (
        <>
          {' '}
          <Link href={`/jobs/${jobId}/why?at=${encodeURIComponent(dueAt)}`} tabIndex={-1}>
            Why
          </Link>
        </>
      )}
    </>
  );
}
