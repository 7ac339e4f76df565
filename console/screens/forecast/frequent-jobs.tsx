// The jobs of the base line.
import { Link } from 'wouter';
import { Panel } from '../../parts/panel.tsx';
import { type Column, RowTable } from '../../parts/row-table.tsx';
import { scheduleText } from '../../parts/schedule-text.ts';
import type { FrequentJob } from './compute-forecast.ts';

const COLUMNS: readonly Column<FrequentJob>[] = [
  {
    id: 'job',
    title: 'Job',
    width: '34%',
    cell: ({ job }) => (
      <Link href={`/jobs/${job.id}`} title={job.name ?? job.id}>
        {job.name ?? job.id}
      </Link>
    ),
  },
  {
    id: 'runs',
    title: 'Runs in five minutes',
    width: '180px',
    cell: ({ perCell }) => `about ${Math.max(1, Math.round(perCell)).toLocaleString('en')}`,
  },
  {
    id: 'schedule',
    title: 'Schedule',
    ownLine: true,
    cell: ({ job }) => scheduleText(job.schedule as never),
  },
];

export const FrequentJobs = ({ frequent }: { frequent: readonly FrequentJob[] }) => (
  <Panel
    title="Base line"
    counter={`(${frequent.length})`}
    description="Jobs that run more often than once a minute. They are not in the map, because they would hide all others."
  >
    <RowTable
      label="Jobs of the base line"
      columns={COLUMNS}
      rows={frequent}
      rowId={({ job }) => job.id}
      rowName={({ job }) => job.name ?? job.id}
      href={({ job }) => `/jobs/${job.id}`}
    />
  </Panel>
);
