// The executions that run now, on all workers. The longest run is first.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { parseExecutionId } from '../../../src/domain/executions/ids.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { type Column, RowTable } from '../../parts/row-table.tsx';
import { Time } from '../../parts/time.tsx';
import type { RunningExecution } from './worker-texts.ts';

interface RunningTableProps {
  readonly running: readonly RunningExecution[];
  /** The time of the data, in epoch milliseconds. */
  readonly readAt: number;
}

export function RunningTable({ running, readAt }: RunningTableProps) {
  const columns = useMemo(() => columnsOf(readAt), [readAt]);
  return (
    <RowTable
      label="Running executions"
      columns={columns}
      rows={running}
      rowId={({ id }) => id}
      rowName={({ id }) => id}
      href={executionHref}
    />
  );
}

const executionHref = ({ id }: RunningExecution): string => `/executions/${id}`;

const columnsOf = (readAt: number): readonly Column<RunningExecution>[] => [
  {
    id: 'execution',
    title: 'Execution',
    cell: (row) => (
      <Link href={executionHref(row)} title={row.id}>
        <code>{row.id}</code>
      </Link>
    ),
  },
  {
    id: 'for',
    title: 'Running for',
    width: '120px',
    cell: ({ since }) => lengthText(Math.max(0, readAt - Date.parse(since))),
  },
  { id: 'since', title: 'Since', width: '230px', from: 'tablet', cell: ({ since }) => <Time at={since} /> },
  {
    id: 'job',
    title: 'Job',
    width: '260px',
    from: 'desktop',
    cell: ({ id }) => <JobOf executionId={id} />,
  },
  {
    id: 'worker',
    title: 'Worker',
    width: '22%',
    from: 'tablet',
    cell: ({ workerId }) => <code title={workerId}>{workerId}</code>,
  },
];

function JobOf({ executionId }: { executionId: string }) {
  const jobId = parseExecutionId(executionId)?.jobId;
  return jobId === undefined ? <>–</> : <Link href={`/jobs/${jobId}`}>{jobId}</Link>;
}
