// The live workers.
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useMemo } from 'react';
import type { Worker } from '../../../src/client/client.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { Id } from '../../parts/id.tsx';
import { type Column, RowTable } from '../../parts/row-table.tsx';
import { Meter } from './meter.tsx';
import { MinuteBars } from './minute-bars.tsx';
import { endedText } from './worker-texts.ts';

interface WorkerTableProps {
  readonly workers: readonly Worker[];
  /** The time of the data, in epoch milliseconds. */
  readonly readAt: number;
}

export function WorkerTable({ workers, readAt }: WorkerTableProps) {
  const columns = useMemo(() => columnsOf(readAt), [readAt]);
  return (
    <RowTable
      label="Workers"
      columns={columns}
      rows={workers}
      rowId={({ id }) => id}
      rowName={({ id }) => id}
    />
  );
}

const columnsOf = (readAt: number): readonly Column<Worker>[] => [
  { id: 'worker', title: 'Worker', width: '17%', cell: ({ id }) => <Id id={id} what="worker id" /> },
  {
    id: 'slots',
    title: 'Slots in use',
    width: '170px',
    cell: ({ running, concurrency }) => <Meter used={running.length} all={concurrency} />,
  },
  {
    id: 'state',
    title: 'State',
    width: '110px',
    cell: ({ draining }) =>
      draining ? (
        <StatusIndicator type="stopped">draining</StatusIndicator>
      ) : (
        <StatusIndicator type="success">active</StatusIndicator>
      ),
  },
  {
    id: 'ended',
    title: 'Ended in 5 minutes',
    ownLine: true,
    cell: (worker) => <Ended worker={worker} />,
  },
  {
    id: 'beat',
    title: 'Last beat',
    width: '100px',
    from: 'tablet',
    cell: ({ lastSeenAt }) => (
      <time dateTime={lastSeenAt} title={lastSeenAt}>
        {lengthText(Math.max(0, readAt - Date.parse(lastSeenAt)))} ago
      </time>
    ),
  },
  {
    id: 'up',
    title: 'Up for',
    width: '100px',
    from: 'desktop',
    cell: ({ startedAt }) => (
      <time dateTime={startedAt} title={startedAt}>
        {lengthText(Math.max(0, readAt - Date.parse(startedAt)))}
      </time>
    ),
  },
  {
    id: 'host',
    title: 'Host',
    width: '90px',
    from: 'wide',
    cell: ({ host }) => <span title={host}>{host}</span>,
  },
  {
    id: 'version',
    title: 'Version',
    width: '90px',
    from: 'desktop',
    cell: ({ version }) => version ?? 'earlier',
  },
];

function Ended({ worker }: { worker: Worker }) {
  const text = endedText(worker);
  if (text === undefined || worker.recent === undefined) return <>–</>;
  return (
    <span className="ended">
      <MinuteBars minutes={worker.recent} />
      <span title={text}>{text}</span>
    </span>
  );
}
