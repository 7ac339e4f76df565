// The executions that run now, the newest first.
import { Link } from 'wouter';
import type { Page } from '../../../src/client/client.ts';
import type { Execution } from '../../../src/client/types.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import type { Column } from '../../parts/row-table.tsx';
import { ShortTable } from '../../parts/short-table.tsx';

const SHOWN = 5;

interface RunningNowProps {
  readonly page: Page<Execution>;
  readonly nameOf: (jobId: string) => string;
}

export function RunningNow({ page: { items, nextCursor }, nameOf }: RunningNowProps) {
  const more = items.length > SHOWN || nextCursor !== undefined;
  return (
    <Panel
      title="Running now"
      actions={<Link href="/executions?follow=1">Follow executions</Link>}
      description="As the workers reported with their last heartbeat."
    >
      {items.length === 0 ? (
        <Empty title="Nothing runs" />
      ) : (
        <ShortTable
          label="Running now"
          columns={columns(nameOf)}
          rows={items.slice(0, SHOWN)}
          rowId={({ id }) => id}
        />
      )}
      {more && (
        <p className="panel-note">
          <Link href="/executions?status=running">All running executions</Link>
        </p>
      )}
    </Panel>
  );
}

const columns = (nameOf: (jobId: string) => string): Column<Execution>[] => [
  {
    id: 'job',
    title: 'Job',
    cell: ({ id, jobId }) => (
      <Link href={`/executions/${id}`} title={nameOf(jobId)}>
        {nameOf(jobId)}
      </Link>
    ),
  },
  {
    id: 'started',
    title: 'Started',
    width: '96px',
    cell: ({ timeline: { startedAt } }) => (startedAt ? <RelativeTime at={startedAt} /> : '–'),
  },
  { id: 'progress', title: 'Progress', width: '90px', from: 'tablet', cell: (one) => progressText(one) },
  {
    id: 'attempt',
    title: 'Attempt',
    width: '80px',
    from: 'tablet',
    cell: ({ attempt, maxAttempts }) => `${attempt} of ${maxAttempts}`,
  },
];

function progressText({ progress, stopping }: Execution): string {
  if (stopping) return 'stopping';
  if (progress?.fraction !== undefined) return `${Math.round(progress.fraction * 100)} %`;
  return progress?.text ?? '–';
}
