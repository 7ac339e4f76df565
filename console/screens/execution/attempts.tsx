// The attempts of an execution, the last five at most.
import type { Execution } from '../../../src/client/client.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { type Column, RowTable } from '../../parts/row-table.tsx';
import { Time } from '../../parts/time.tsx';

type Attempt = NonNullable<Execution['attempts']>[number];

const COLUMNS: readonly Column<Attempt>[] = [
  {
    id: 'attempt',
    title: 'Attempt',
    width: '80px',
    cell: ({ attempt }) => (
      <>
        <span className="only-phone">Attempt </span>
        {attempt}
      </>
    ),
  },
  {
    id: 'started',
    title: 'Started',
    width: '240px',
    ownLine: true,
    cell: ({ startedAt }) => <Time at={startedAt} milliseconds />,
  },
  {
    id: 'took',
    title: 'Took',
    width: '100px',
    cell: ({ startedAt, finishedAt }) =>
      finishedAt === undefined ? 'running' : lengthText(Date.parse(finishedAt) - Date.parse(startedAt)),
  },
  {
    id: 'error',
    title: 'Error',
    ownLine: true,
    cell: ({ error, finishedAt }) =>
      error ? `${error.name}: ${error.message}` : finishedAt === undefined ? '–' : 'none',
  },
  {
    id: 'worker',
    title: 'Worker',
    width: '200px',
    from: 'desktop',
    cell: ({ workerId }) => <span title={workerId}>{workerId}</span>,
  },
];

export const Attempts = ({ execution: { attempts = [] } }: { execution: Execution }) => (
  <RowTable
    label="Attempts"
    columns={COLUMNS}
    rows={attempts}
    rowId={({ attempt, startedAt }) => `${attempt} ${startedAt}`}
    rowName={({ attempt }) => `attempt ${attempt}`}
  />
);
