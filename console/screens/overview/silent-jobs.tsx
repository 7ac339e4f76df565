// The jobs that will not run until a user changes them: paused ones, and active ones without a next run.
import Button from '@cloudscape-design/components/button';
import { Link } from 'wouter';
import type { JobSummary } from '../../../src/client/types.ts';
import type { KnownJobs } from '../../api/use-known-jobs.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import type { Column } from '../../parts/row-table.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Time } from '../../parts/time.tsx';
import type { JobTarget } from '../../parts/use-job-actions.tsx';
import { silentJobs } from './overview-texts.ts';

const SHOWN = 10;

interface SilentJobsProps {
  readonly known: KnownJobs;
  readonly onResume: (job: JobTarget) => void;
}

export function SilentJobs({ known: { jobs, truncated }, onResume }: SilentJobsProps) {
  const rows = silentJobs(jobs);
  return (
    <Panel
      title="Paused or without a next run"
      counter={rows.length === 0 ? '' : `(${rows.length}${truncated ? '+' : ''})`}
      description={
        truncated ? `Among the newest ${jobs.length} of your jobs.` : 'These jobs do not start by themselves.'
      }
      actions={<Link href="/jobs?status=paused">Paused jobs</Link>}
    >
      {rows.length === 0 ? (
        <Empty title={truncated ? 'None of them' : 'Every active job has a next run'} />
      ) : (
        <ShortTable
          label="Paused or without a next run"
          columns={columns(onResume)}
          rows={rows.slice(0, SHOWN)}
          rowId={({ id }) => id}
        />
      )}
    </Panel>
  );
}

const columns = (onResume: (job: JobTarget) => void): Column<JobSummary>[] => [
  {
    id: 'job',
    title: 'Job',
    cell: ({ id, name = id }) => (
      <Link href={`/jobs/${id}`} title={name}>
        {name}
      </Link>
    ),
  },
  { id: 'why', title: 'Why', width: '296px', ownLine: true, cell: (job) => <Why job={job} /> },
  {
    id: 'resume',
    title: 'Action',
    width: '80px',
    cell: ({ id, name = id, status }) =>
      status === 'paused' && (
        <Button variant="inline-link" ariaLabel={`Resume: ${name}`} onClick={() => onResume({ id, name })}>
          Resume
        </Button>
      ),
  },
];

function Why({ job: { status, pausedUntil, schedule } }: { job: JobSummary }) {
  if (status !== 'paused') return <>its schedule has no further time</>;
  if (pausedUntil === undefined) return <>paused</>;
  return (
    <>
      paused until <Time at={pausedUntil} jobZone={schedule.timezone} />
    </>
  );
}
