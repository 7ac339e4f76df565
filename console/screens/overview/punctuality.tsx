// The executions of the last hour: how many ended how, and the three with the highest lateness.
import { Link } from 'wouter';
import type { ExecutionStatus, ExecutionSummary } from '../../../src/client/types.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { LATE_MS } from '../../marks/run-strip-geometry.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import type { Column } from '../../parts/row-table.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';

type Worst = ExecutionSummary['worst'][number];

interface PunctualityProps {
  readonly summary: ExecutionSummary;
  readonly nameOf: (jobId: string) => string;
}

export function Punctuality({ summary, nameOf }: PunctualityProps) {
  const { counts, worst, lookedAt, truncated } = summary;
  const shown = Object.entries(counts).filter(([, count]) => count > 0) as [ExecutionStatus, number][];
  return (
    <Panel
      title="Last hour"
      description={
        truncated
          ? `The newest ${lookedAt} of your executions. There were more.`
          : 'Your executions by status, and the three with the highest lateness.'
      }
      actions={<Link href="/executions?range=1h">Executions of the last hour</Link>}
    >
      {shown.length === 0 ? (
        <Empty title="Nothing was due">Executions are counted when their first attempt has ended.</Empty>
      ) : (
        <div className="stack">
          <ul className="status-counts">
            {shown.map(([status, count]) => (
              <li key={status}>
                <Link href={`/executions?range=1h&status=${status}`}>{count}</Link> <Status status={status} />
              </li>
            ))}
          </ul>
          {worst.length > 0 && (
            <ShortTable label="Latest starts" columns={columns(nameOf)} rows={worst} rowId={({ id }) => id} />
          )}
        </div>
      )}
    </Panel>
  );
}

const columns = (nameOf: (jobId: string) => string): Column<Worst>[] => [
  {
    id: 'job',
    title: 'Latest starts',
    cell: ({ id, jobId }) => (
      <Link href={`/executions/${id}`} title={nameOf(jobId)}>
        {nameOf(jobId)}
      </Link>
    ),
  },
  {
    id: 'late',
    title: 'Late',
    width: '84px',
    cell: ({ latenessMs }) =>
      latenessMs > LATE_MS ? (
        <strong className="late">{lengthText(latenessMs)}</strong>
      ) : (
        lengthText(latenessMs)
      ),
  },
  { id: 'due', title: 'Due', width: '198px', cell: ({ dueAt }) => <Time at={dueAt} /> },
];
