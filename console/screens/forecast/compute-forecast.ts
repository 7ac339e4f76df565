// The runs of the next day by the schedule engine of the server, in steps, so that the page stays responsive.
import { MINUTE, SECOND } from '../../../src/domain/schedule/duration.ts';
import { fireAt, nextOccurrence } from '../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import { endOf, type GridSpan } from '../../marks/heat-grid-geometry.ts';

/** The part of a job that the forecast reads. */
export interface PlannedJob {
  readonly id: string;
  readonly name?: string | undefined;
  readonly version: number;
  readonly schedule: object;
}

/** A job that runs more often than once a minute. Its runs are a base line, because they would hide all other jobs. */
export interface FrequentJob {
  readonly job: PlannedJob;
  /** The mean number of runs in a cell. */
  readonly perCell: number;
}

export interface Forecast {
  readonly span: GridSpan;
  /** The number of runs in each cell, without those of frequent jobs. */
  readonly counts: readonly number[];
  /** For each cell, the runs of each job. */
  readonly jobs: readonly ReadonlyMap<PlannedJob, number>[];
  /** The most frequent job is first. */
  readonly frequent: readonly FrequentJob[];
  /** Jobs whose schedule this page cannot compute. */
  readonly unknown: readonly PlannedJob[];
}

export const CELL_MS = 5 * MINUTE;
const COLUMNS = 12;
const ROWS = 24;

/** 24 rows of an hour. The first is the hour of `now`. */
export const spanOf = (now: number): GridSpan => ({
  from: Math.floor(now / (COLUMNS * CELL_MS)) * COLUMNS * CELL_MS,
  rows: ROWS,
  columns: COLUMNS,
  cellMs: CELL_MS,
});

/** A schedule whose next runs are all closer than a minute is frequent. */
const GAPS = 10;
/** The mean of a frequent job is that of one cell in each hour. */
const SAMPLES = ROWS;
/** The number of occurrences between two chances to pause. */
const STEP = 50;

/** Yields after every few occurrences. Runs before `now` are left out. */
export function* forecastSteps(
  jobs: readonly PlannedJob[],
  span: GridSpan,
  now: number,
): Generator<void, Forecast, void> {
  const counts = new Array<number>(span.rows * span.columns).fill(0);
  const byCell = counts.map(() => new Map<PlannedJob, number>());
  const frequent: FrequentJob[] = [];
  const unknown: PlannedJob[] = [];
  for (const job of jobs) {
    try {
      if (isFrequent(job, now)) frequent.push({ job, perCell: meanOf(job, span, now) });
      else yield* count(job);
    } catch {
      unknown.push(job);
    }
    yield;
  }
  frequent.sort((a, b) => b.perCell - a.perCell);
  return { span, counts, jobs: byCell, frequent, unknown };

  function* count(job: PlannedJob): Generator<void, void, void> {
    const schedule = job.schedule as Schedule;
    let steps = 0;
    for (const due of duesUntil(schedule, now, endOf(span))) {
      const cell = Math.floor((fireAt(schedule, job.id, due) - span.from) / span.cellMs);
      const ofCell = byCell[cell];
      if (ofCell) {
        counts[cell] = (counts[cell] ?? 0) + 1;
        ofCell.set(job, (ofCell.get(job) ?? 0) + 1);
      }
      if (++steps % STEP === 0) yield;
    }
  }
}

function* duesUntil(schedule: Schedule, from: number, to: number): Generator<number, void, void> {
  let due = nextOccurrence(schedule, from - 1);
  while (due !== undefined && due < to) {
    yield due;
    due = nextOccurrence(schedule, due);
  }
}

function isFrequent({ schedule }: PlannedJob, now: number): boolean {
  let previous: number | undefined;
  let gaps = 0;
  for (const due of duesUntil(schedule as Schedule, now, Number.POSITIVE_INFINITY)) {
    if (previous !== undefined && due - previous >= MINUTE) return false;
    if (previous !== undefined && ++gaps === GAPS) return true;
    previous = due;
  }
  return false;
}

function meanOf({ schedule }: PlannedJob, span: GridSpan, now: number): number {
  const hour = span.columns * span.cellMs;
  const samples = Array.from({ length: SAMPLES }, (_, index) => {
    const from = now + index * hour;
    let runs = 0;
    for (const _ of duesUntil(schedule as Schedule, from, from + span.cellMs)) runs++;
    return runs;
  });
  return samples.reduce((sum, runs) => sum + runs, 0) / SAMPLES;
}

export interface PlannedRun {
  readonly job: PlannedJob;
  /** Epoch milliseconds, with jitter. */
  readonly at: number;
}

/** The runs of some jobs in a cell, in the order of time. */
export function runsInCell(jobs: Iterable<PlannedJob>, from: number, to: number, now: number): PlannedRun[] {
  const runs: PlannedRun[] = [];
  for (const job of jobs) {
    const schedule = job.schedule as Schedule;
    const jitterMs = jitterOf(schedule) * SECOND;
    for (const due of duesUntil(schedule, Math.max(from - jitterMs, now), to)) {
      const at = fireAt(schedule, job.id, due);
      if (at >= from && at < to) runs.push({ job, at });
    }
  }
  return runs.sort((a, b) => a.at - b.at);
}

export const jitterOf = (schedule: object): number =>
  'jitterSeconds' in schedule && typeof schedule.jitterSeconds === 'number' ? schedule.jitterSeconds : 0;
