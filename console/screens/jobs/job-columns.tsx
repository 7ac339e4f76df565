// The columns of the list of jobs.
import Badge from '@cloudscape-design/components/badge';
import { Link } from 'wouter';
import type { JobSummary } from '../../../src/client/types.ts';
import { RunStrip } from '../../marks/run-strip.tsx';
import type { Column } from '../../parts/row-table.tsx';
import { scheduleText } from '../../parts/schedule-text.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';

export const jobName = ({ name, id }: Pick<JobSummary, 'name' | 'id'>): string => name ?? id;
export const jobHref = ({ id }: Pick<JobSummary, 'id'>): string => `/jobs/${id}`;

/** Tags beyond this number of characters are counted only. */
const MAX_TAG_TEXT = 18;

const NAME: Column<JobSummary> = {
  id: 'name',
  title: 'Name',
  width: '18%',
  sortBy: jobName,
  cell: (job) => (
    <Link href={jobHref(job)} tabIndex={-1} title={jobName(job)}>
      {jobName(job)}
    </Link>
  ),
};

const OWNER: Column<JobSummary> = {
  id: 'owner',
  title: 'Owner',
  width: '110px',
  from: 'desktop',
  sortBy: ({ owner }) => owner,
  cell: ({ owner }) => owner,
};

const OTHERS: readonly Column<JobSummary>[] = [
  {
    id: 'status',
    title: 'Status',
    width: '114px',
    sortBy: ({ status }) => status,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'recent',
    title: 'Last 20 runs',
    width: '180px',
    cell: ({ recent = [] }) => (recent.length === 0 ? <Quiet>no run yet</Quiet> : <RunStrip runs={recent} />),
  },
  {
    id: 'next',
    title: 'Next run',
    width: '236px',
    sortBy: ({ nextRunAt }) => (nextRunAt === undefined ? undefined : Date.parse(nextRunAt)),
    cell: (job) => <NextRun job={job} />,
  },
  {
    id: 'schedule',
    title: 'Schedule',
    from: 'desktop',
    sortBy: ({ schedule }) => scheduleText(schedule),
    cell: ({ schedule }) => <span title={scheduleText(schedule)}>{scheduleText(schedule)}</span>,
  },
  {
    id: 'task',
    title: 'Task',
    width: '84px',
    from: 'desktop',
    sortBy: ({ task }) => task,
    cell: ({ task }) => <span title={task}>{task}</span>,
  },
  { id: 'tags', title: 'Tags', width: '156px', from: 'wide', cell: (job) => <Tags job={job} /> },
];

/** `withOwner`: the list has jobs of other users. The owner has the place of the tags, so that the schedule keeps its own. */
export const jobColumns = ({ withOwner }: { withOwner: boolean }): Column<JobSummary>[] => [
  NAME,
  ...(withOwner ? [OWNER, ...OTHERS.filter(({ id }) => id !== 'tags')] : OTHERS),
];

const Quiet = ({ children }: { children: string }) => <span className="quiet">{children}</span>;

function NextRun({ job: { status, nextRunAt, searchingSince, pausedUntil, schedule } }: { job: JobSummary }) {
  const jobZone = schedule.timezone;
  if (status === 'paused' && pausedUntil !== undefined)
    return (
      <>
        <span className="quiet from-tablet">until </span>
        <Time at={pausedUntil} jobZone={jobZone} />
      </>
    );
  if (nextRunAt !== undefined) return <Time at={nextRunAt} jobZone={jobZone} />;
  if (searchingSince !== undefined)
    return (
      <>
        <span className="quiet">searching since </span>
        <Time at={searchingSince} jobZone={jobZone} />
      </>
    );
  // A job of one run has none after it while it runs.
  return <Quiet>{status === 'active' && !('at' in schedule) ? 'never again' : '–'}</Quiet>;
}

function Tags({ job: { tags = {} } }: { job: JobSummary }) {
  const all = Object.entries(tags).map(([key, value]) => `${key}:${value}`);
  const fits = all.slice(0, 2).join('').length <= MAX_TAG_TEXT ? 2 : 1;
  return (
    <span className="tags" title={all.join(', ')}>
      {all.slice(0, fits).map((tag) => (
        <Badge key={tag}>
          <span className="tag">{tag}</span>
        </Badge>
      ))}
      {all.length > fits && <Quiet>{`+${all.length - fits}`}</Quiet>}
    </span>
  );
}
