// The ten jobs that run next, with a button that runs one of them now.
import Button from '@cloudscape-design/components/button';
import { Link } from 'wouter';
import type { JobSummary } from '../../../src/client/types.ts';
import type { KnownJobs } from '../../api/use-known-jobs.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import type { Column } from '../../parts/row-table.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Time } from '../../parts/time.tsx';
import type { JobTarget } from '../../parts/use-job-actions.tsx';
import { nextJobs } from './overview-texts.ts';

const SHOWN = 10;

interface NextRunsProps {
  readonly known: KnownJobs;
  readonly onRun: (job: JobTarget) => void;
}

export function NextRuns({ known: { jobs, truncated }, onRun }: NextRunsProps) {
  const rows = nextJobs(jobs, SHOWN);
  return (
    <Panel
      title="Next runs"
      description={
        truncated
          ? `The next run of ten jobs, among the newest ${jobs.length} of yours.`
          : 'The next run of each job, the soonest first.'
      }
      actions={<Link href="/jobs?sort=next">All jobs</Link>}
    >
      {rows.length === 0 ? (
        <Empty title="No run is planned">A run is planned if a job is active and its schedule goes on.</Empty>
      ) : (
        <ShortTable label="Next runs" columns={columns(onRun)} rows={rows} rowId={({ id }) => id} />
      )}
    </Panel>
  );
}

const columns = (onRun: (job: JobTarget) => void): Column<JobSummary>[] => [
  {
    id: 'job',
    title: 'Job',
    cell: ({ id, name = id }) => (
      <Link href={`/jobs/${id}`} title={name}>
        {name}
      </Link>
    ),
  },
  {
    id: 'in',
    title: 'Due',
    width: '86px',
    cell: ({ nextRunAt = '' }) => <RelativeTime at={nextRunAt} planned />,
  },
  {
    id: 'at',
    title: 'At',
    width: '198px',
    cell: ({ nextRunAt, schedule }) => <Time at={nextRunAt} jobZone={schedule.timezone} />,
  },
  {
    id: 'run',
    title: 'Action',
    width: '82px',
    cell: ({ id, name = id }) => (
      <Button variant="inline-link" ariaLabel={`Run now: ${name}`} onClick={() => onRun({ id, name })}>
        Run now
      </Button>
    ),
  },
];
