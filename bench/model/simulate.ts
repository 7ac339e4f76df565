// One run of the model.
import { Seeded } from '../../test/support/seeded.ts';
import { Calendar, TICKS_PER_MS, TICKS_PER_SECOND } from './calendar.ts';
import type { ModelOptions } from './options.ts';
import { Tables } from './tables.ts';
import { Watchers } from './watchers.ts';
import { type STAGES, Workers } from './workers.ts';
import { LEAD_SECONDS, Workload } from './workload.ts';

/** The simulated time after the last due time. Executions that have not started by then are counted separately. */
const TAIL_SECONDS = 15;
const CREATE_EVERY = 10 * TICKS_PER_MS;

export interface Lateness {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  readonly notStarted: number;
}

export interface SimulationResult {
  readonly executions: number;
  readonly stages: Readonly<Record<(typeof STAGES)[number], number>>;
  /** In milliseconds. An execution that has not started counts with its lateness at the end. */
  readonly lateness: Lateness;
  /** The lateness of all tenants but the largest. */
  readonly latenessOfOthers: Lateness;
  readonly tables: Tables;
  readonly workers: Workers;
  readonly watchers: Watchers;
  /** Simulated seconds in which executions were due. */
  readonly seconds: number;
  readonly cpuMsPerExecution: number;
  readonly meanUsedPlaces: number;
  readonly perRequest: number;
}

export function simulate(options: ModelOptions): SimulationResult {
  const workload = new Workload(options);
  const calendar = new Calendar(LEAD_SECONDS + options.duration + TAIL_SECONDS);
  const tables = new Tables(options);
  const workers = new Workers(calendar, workload, tables, new Seeded(options.seed, 1));
  const watchers = new Watchers(calendar, workload, tables, new Seeded(options.seed, 2));
  create(calendar, workload, tables, new Seeded(options.seed, 3));
  calendar.run();

  const of = (which: (execution: number) => boolean) => lateness(workers, workload, calendar.end, which);
  const { requests, carried, busyMs } = workers.calls;
  const started = workload.executions - of(() => true).notStarted;
  return {
    executions: workload.executions,
    stages: workers.counts(),
    lateness: of(() => true),
    latenessOfOthers: of((e) => workload.tenantOf(e) > 0),
    tables,
    workers,
    watchers,
    seconds: options.duration,
    cpuMsPerExecution: busyMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, started),
    meanUsedPlaces: workers.meanUsedPlaces(options.duration * TICKS_PER_SECOND),
    perRequest: carried / Math.max(1, requests),
  };
}

/** The units that creates of the API use: an entry, a definition, a head and its index. */
function create(calendar: Calendar, workload: Workload, tables: Tables, random: Seeded): void {
  const { creates, duration } = workload.options;
  let made = 0;
  for (let at = 0; at < duration * TICKS_PER_SECOND; at += CREATE_EVERY) {
    const until = Math.floor((creates * (at + CREATE_EVERY)) / TICKS_PER_SECOND);
    const count = until - made;
    made = until;
    if (count === 0) continue;
    calendar.call(at, () => {
      for (let i = 0; i < count; i++) {
        const like = random.bits() % workload.executions;
        const { now } = calendar;
        tables.write(tables.timetable, random.bits(), now, false);
        tables.write(tables.jobs, workload.jobOf(like), now, false);
        if (tables.write(tables.jobsByUser, workload.ownerOf(like), now, false))
          tables.write(tables.jobs, workload.jobOf(like), now, false);
      }
    });
  }
}

function lateness(
  { late }: Workers,
  workload: Workload,
  end: number,
  which: (execution: number) => boolean,
): Lateness {
  const times = new Float32Array(late.length);
  let count = 0;
  let notStarted = 0;
  for (let e = 0; e < late.length; e++) {
    if (!which(e)) continue;
    const ms = late[e] as number;
    const started = !Number.isNaN(ms);
    if (!started) notStarted++;
    times[count++] = started ? ms : (end - workload.dueTick(e)) / TICKS_PER_MS;
  }
  const sorted = times.subarray(0, count).sort();
  const at = (p: number) => sorted[Math.max(0, Math.ceil(count * p) - 1)] ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1), notStarted };
}
