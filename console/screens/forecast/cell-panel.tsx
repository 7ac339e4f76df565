// The jobs of one cell, and jitter for those that start in the same second.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { lengthText } from '../../../src/domain/length-text.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import { Panel } from '../../parts/panel.tsx';
import { scheduleText } from '../../parts/schedule-text.ts';
import { timeText } from '../../parts/time-text.ts';
import { useZone } from '../../parts/zone.tsx';
import { fragmentOf } from '../edit/draft/draft-address.ts';
import { draftOfStored } from '../edit/schedule/schedule-draft.ts';
import { type Forecast, jitterOf, type PlannedJob, runsInCell } from './compute-forecast.ts';
import { busiestSecond, proposedJitter } from './propose-jitter.ts';

/** Further jobs of a cell are counted only. */
const MAX_LISTED = 50;

interface CellPanelProps {
  readonly forecast: Forecast;
  readonly selected: number | undefined;
  readonly now: number;
}

export function CellPanel({ forecast, selected, now }: CellPanelProps) {
  const { zone } = useZone();
  if (selected === undefined)
    return (
      <Panel title="Jobs of a cell">
        <span className="quiet">
          No job is in the map. Jobs that run more often than once a minute are in the base line.
        </span>
      </Panel>
    );
  const from = forecast.span.from + selected * forecast.span.cellMs;
  const to = from + forecast.span.cellMs;
  const text = (at: number) => timeText(at, zone);
  const title = `${text(from).time.slice(0, 5)} to ${text(to).time.slice(0, 5)} ${text(from).zone}`;
  const runs = forecast.counts[selected] ?? 0;
  return (
    <Panel title={title} counter={`(${runs.toLocaleString('en')} ${runs === 1 ? 'run' : 'runs'})`}>
      {runs === 0 ? (
        <span className="quiet">
          {from + forecast.span.cellMs <= now
            ? 'This time has passed.'
            : 'No job runs in these five minutes, except those of the base line.'}
        </span>
      ) : (
        <CellJobs jobs={forecast.jobs[selected] ?? new Map()} from={from} to={to} now={now} zone={zone} />
      )}
    </Panel>
  );
}

interface CellJobsProps {
  readonly jobs: ReadonlyMap<PlannedJob, number>;
  readonly from: number;
  readonly to: number;
  readonly now: number;
  readonly zone: string;
}

function CellJobs({ jobs, from, to, now, zone }: CellJobsProps) {
  const runs = useMemo(() => runsInCell(jobs.keys(), from, to, now), [jobs, from, to, now]);
  const busiest = busiestSecond(runs);
  const listed = [...jobs].sort((a, b) => b[1] - a[1]).slice(0, MAX_LISTED);
  return (
    <div className="cell-jobs">
      {busiest && busiest.runs > 1 && (
        <p>
          <strong>{busiest.runs} runs start in the same second</strong>, at {timeText(busiest.at, zone).time}.
          Jitter delays each run of a job by a part of the given time, so they no longer start together.
        </p>
      )}
      <ul>
        {listed.map(([job, count]) => (
          <li key={job.id}>
            <div className="cell-job">
              <Link href={`/jobs/${job.id}`}>{job.name ?? job.id}</Link>
              <span className="quiet">{count === 1 ? 'once' : `${count} times`}</span>
            </div>
            <div className="quiet">{scheduleText(job.schedule as never)}</div>
            <Jitter job={job} seconds={proposedJitter(job, runs)} />
          </li>
        ))}
      </ul>
      {jobs.size > MAX_LISTED && <p className="quiet">and {jobs.size - MAX_LISTED} more jobs</p>}
    </div>
  );
}

function Jitter({ job, seconds }: { job: PlannedJob; seconds: number | undefined }) {
  const own = jitterOf(job.schedule);
  if (own > 0) return <div className="quiet">Has a jitter of up to {lengthText(own * 1000)}.</div>;
  if (seconds === undefined) return null;
  return (
    <Link href={jitterHref(job, seconds)}>
      Add jitter of up to {lengthText(seconds * 1000)}
      <span className="only-spoken"> to {job.name ?? job.id}</span>
    </Link>
  );
}

/** The form of the job with the jitter filled in. Nothing is saved until the user has reviewed it. */
function jitterHref({ id, version, schedule }: PlannedJob, jitterSeconds: number): string {
  const fields = { schedule: { ...draftOfStored(schedule as Schedule), jitterSeconds } };
  return `/jobs/${id}/edit${fragmentOf({ version, fields }, id, sessionStorage)}`;
}
