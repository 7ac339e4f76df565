// The pictures of a job: the last 100 runs, how late they started, and the calendar of past and planned runs.
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import type { Execution, Job } from '../../../src/client/types.ts';
import { occurrencesAfter } from '../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import { CalendarMark } from '../../marks/calendar.tsx';
import { LatenessDots } from '../../marks/lateness-dots.tsx';
import { latenessSentence } from '../../marks/lateness-geometry.ts';
import { RunStripFigure } from '../../marks/run-strip.tsx';
import { stripSentence } from '../../marks/run-strip-geometry.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { instantText, timeText } from '../../parts/time-text.ts';
import { useZone } from '../../parts/zone.tsx';
import { PlanMark } from '../edit/schedule/plan-mark.tsx';
import { usePlanPicture } from '../edit/schedule/use-plan-picture.ts';
import { jobCalendar } from './job-calendar.ts';
import { NEWEST, useNewestExecutions } from './use-newest-executions.ts';

export function JobOverview({ job }: { job: Job }) {
  const executions = useNewestExecutions(job.id);
  return (
    <Loaded query={executions} lines={14}>
      {() => (
        <div className="stack">
          <Runs executions={executions.items} job={job} />
          <div className="job-pictures">
            <Lateness executions={executions.items} />
            <NextRuns job={job} />
          </div>
          <Plan job={job} executions={executions.items} isPartial={executions.hasNextPage} />
        </div>
      )}
    </Loaded>
  );
}

/** A backfill starts when there is room for it. Its delay says nothing about the schedule. */
const hasPunctuality = ({ trigger }: Execution): boolean => trigger !== 'backfill';

function Runs({ executions, job }: { executions: readonly Execution[]; job: Job }) {
  const [, navigate] = useLocation();
  const { zone } = useZone();
  const shown = executions
    .slice(0, NEWEST)
    .map((run) => (hasPunctuality(run) ? run : { ...run, latenessMs: undefined }));
  return (
    <Panel
      title="Runs"
      description={
        shown.length === 0
          ? undefined
          : `${stripSentence(shown)}. A bar is as high as the run was long. Amber with a cap is more than 1 s late, a cross is a failure.`
      }
      actions={<Link href={`/jobs/${job.id}?tab=executions`}>All executions</Link>}
    >
      {shown.length === 0 ? (
        <Empty title="No run yet">The first run appears here when it is due.</Empty>
      ) : (
        <RunStripFigure
          runs={shown}
          slots={NEWEST}
          height={64}
          fill
          linkTo={(id) => `/executions/${id}`}
          timeText={(at) => instantText(at, zone)}
          onSelect={(id) => navigate(`/executions/${id}`)}
        />
      )}
    </Panel>
  );
}

function Lateness({ executions }: { executions: readonly Execution[] }) {
  const { zone } = useZone();
  const points = executions
    .filter(hasPunctuality)
    .flatMap(({ id, dueAt, latenessMs }) =>
      latenessMs === undefined ? [] : [{ id, dueAt: Date.parse(dueAt), latenessMs }],
    );
  const text = (at: number) => {
    const { date, time } = timeText(at, zone);
    return `${date}, ${time}`;
  };
  return (
    <Panel
      title="Lateness"
      description={points.length > 0 ? `${latenessSentence(points)}. Times are in ${zone}.` : undefined}
    >
      {points.length === 0 ? (
        <Empty title="No start yet">How late each run starts appears here, in milliseconds.</Empty>
      ) : (
        <LatenessDots points={points} timeText={text} />
      )}
    </Panel>
  );
}

const SHOWN_NEXT = 8;

function NextRuns({ job }: { job: Job }) {
  const schedule = job.schedule as Schedule;
  const isOpen = job.status === 'active' || job.status === 'paused';
  const from = job.pausedUntil ?? job.nextRunAt;
  const times = useMemo(
    () => (isOpen ? firstTimes(schedule, from === undefined ? Date.now() : Date.parse(from) - 1) : []),
    [schedule, from, isOpen],
  );
  return (
    <Panel
      title="Next runs"
      description={
        job.status === 'paused' && job.pausedUntil === undefined
          ? 'The job is paused. Without the pause it would run at these times.'
          : undefined
      }
    >
      {times.length === 0 ? (
        <Empty title="No run is planned" />
      ) : (
        <ol className="job-times">
          {times.map((at) => (
            <li key={at}>
              <Time at={at} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** None for a schedule of a newer server that this page does not know. */
function firstTimes(schedule: Schedule, after: number): number[] {
  const times: number[] = [];
  try {
    for (const due of occurrencesAfter(schedule, after)) if (times.push(due) === SHOWN_NEXT) break;
  } catch {
    return [];
  }
  return times;
}

interface PlanProps {
  readonly job: Job;
  readonly executions: readonly Execution[];
  /** True if older executions are not loaded. */
  readonly isPartial: boolean;
}

function Plan({ job, executions, isPartial }: PlanProps) {
  const schedule = job.schedule as Schedule;
  const plan = usePlanPicture(schedule);
  const isOpen = job.status === 'active' || job.status === 'paused';
  const calendar = useMemo(
    () =>
      plan?.picture.kind === 'year'
        ? jobCalendar(plan.picture.calendar, executions, schedule.timezone ?? 'UTC', isOpen)
        : undefined,
    [plan, executions, schedule.timezone, isOpen],
  );
  // Every minute of a job that runs every few seconds looks the same.
  if (!plan || plan.picture.kind === 'hour' || (!calendar && !isOpen)) return null;
  return (
    <Panel
      title="Calendar"
      description={
        calendar
          ? `Past and planned runs by day in ${schedule.timezone ?? 'UTC'}.${isPartial ? ` Past days count the newest ${executions.length} executions.` : ''}${job.status === 'paused' ? ' The plan does not consider the pause.' : ''}`
          : undefined
      }
    >
      {calendar ? <CalendarMark {...calendar} /> : <PlanMark {...plan} />}
    </Panel>
  );
}
