// The columns of the list of executions.
import { Link } from 'wouter';
import type { Execution } from '../../../src/client/types.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { Late } from '../../parts/late.tsx';
import type { Column } from '../../parts/row-table.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';

const TRIGGERS: Readonly<Record<Execution['trigger'], string>> = {
  schedule: 'schedule',
  manual: 'run now',
  backfill: 'backfill',
  redrive: 'redrive',
};

interface Options {
  readonly nameOf: (jobId: string) => string;
  /** True if the list may have executions of other users. */
  readonly withOwner: boolean;
}

export const executionColumns = ({ nameOf, withOwner }: Options): Column<Execution>[] => [
  {
    id: 'job',
    title: 'Job',
    width: '17%',
    sortBy: ({ jobId }) => nameOf(jobId),
    cell: ({ jobId }) => (
      <Link href={`/jobs/${jobId}`} tabIndex={-1} title={nameOf(jobId)}>
        {nameOf(jobId)}
      </Link>
    ),
  },
  {
    id: 'due',
    title: 'Due',
    width: '206px',
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
    width: '118px',
    sortBy: ({ status }) => status,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'late',
    title: 'Late',
    width: '84px',
    sortBy: ({ latenessMs }) => latenessMs,
    cell: ({ latenessMs }) => <Late latenessMs={latenessMs} />,
  },
  {
    id: 'took',
    title: 'Took',
    width: '84px',
    from: 'tablet',
    sortBy: ({ durationMs }) => durationMs,
    cell: ({ durationMs }) => (durationMs === undefined ? '–' : lengthText(durationMs)),
  },
  {
    id: 'attempt',
    title: 'Attempt',
    width: '84px',
    from: 'desktop',
    sortBy: ({ attempt }) => attempt,
    cell: ({ attempt, maxAttempts }) => `${attempt} of ${maxAttempts}`,
  },
  {
    id: 'trigger',
    title: 'Trigger',
    width: '90px',
    from: 'desktop',
    sortBy: ({ trigger }) => TRIGGERS[trigger],
    cell: ({ trigger }) => TRIGGERS[trigger] ?? trigger,
  },
  ...(withOwner
    ? [
        {
          id: 'owner',
          title: 'Owner',
          width: '110px',
          from: 'desktop' as const,
          sortBy: ({ owner }: Execution) => owner,
          cell: ({ owner }: Execution) => owner ?? '–',
        },
      ]
    : []),
  {
    id: 'error',
    title: 'Error or reason',
    from: 'desktop',
    cell: (execution) => <Outcome execution={execution} />,
  },
  {
    id: 'worker',
    title: 'Worker',
    width: '112px',
    from: 'wide',
    sortBy: ({ workerId }) => workerId,
    cell: ({ workerId = '–' }) => <span title={workerId}>{workerId}</span>,
  },
];

function Outcome({ execution: { error, reason } }: { execution: Execution }) {
  const text = error ? `${error.name}: ${error.message}` : (reason ?? '');
  return <span title={text}>{text}</span>;
}
