// When a schedule is due: after an instant, lazily; the latest until an instant; and when an occurrence starts.
import { hash } from '../ids.ts';
import { durationMs } from './duration.ts';
import { END_OF_TIME, instantMs } from './instant.ts';
import { Lru } from './lru.ts';
import { patternOf } from './pattern.ts';
import type { Schedule } from './schema.ts';
import { wallClockOf } from './wall-clock.ts';
import { jumpRule, latestDue, nextDue } from './zoned.ts';

/** A schedule made ready to be asked, without its startAt and endAt. */
interface Recurrence {
  /** The first due instant later than `after`. */
  next(after: number): number | undefined;
  /** The last one later than `after` and not later than `until`. */
  latest(after: number, until: number): number | undefined;
  /** Both inclusive. */
  readonly startAt: number;
  readonly endAt: number;
}

// About 3 KB each: the cache stays below 10 MB, however many jobs there are.
const recurrences = new Lru<Recurrence>(2000);

const recurrenceOf = (schedule: Schedule): Recurrence =>
  recurrences.get(JSON.stringify(schedule), () => compile(schedule));

/** Strictly later than `after`, ascending; ends when there are no more. */
export function* occurrencesAfter(schedule: Schedule, after: number): Generator<number, void, undefined> {
  for (let due = nextOccurrence(schedule, after); due !== undefined; due = nextOccurrence(schedule, due))
    yield due;
}

export function nextOccurrence(schedule: Schedule, after: number): number | undefined {
  const recurrence = recurrenceOf(schedule);
  const due = recurrence.next(Math.max(after, recurrence.startAt - 1));
  return due !== undefined && due <= recurrence.endAt ? due : undefined;
}

/** The latest occurrence with after < due ≤ until. */
export function latestOccurrence(schedule: Schedule, after: number, until: number): number | undefined {
  const recurrence = recurrenceOf(schedule);
  return recurrence.latest(Math.max(after, recurrence.startAt - 1), Math.min(until, recurrence.endAt));
}

export const isRecurring = (schedule: Schedule): boolean => !('at' in schedule);

/** Jitter is a property of the occurrence: every process computes the same start for it. */
export function fireAt(schedule: Schedule, jobId: string, due: number): number {
  const jitterSeconds = 'jitterSeconds' in schedule ? schedule.jitterSeconds : undefined;
  return jitterSeconds ? due + (hash(`${jobId}#${due}`) % (jitterSeconds * 1000 + 1)) : due;
}

function compile(schedule: Schedule): Recurrence {
  if ('at' in schedule) return oneTime(instantMs(schedule.at));
  const window = {
    startAt: schedule.startAt === undefined ? Number.NEGATIVE_INFINITY : instantMs(schedule.startAt),
    endAt: Math.min(schedule.endAt === undefined ? END_OF_TIME : instantMs(schedule.endAt), END_OF_TIME - 1),
  };
  if ('every' in schedule) {
    return { ...fixedRate(window.startAt, durationMs(schedule.every, 'schedule.every')), ...window };
  }
  const pattern = patternOf(schedule);
  const clock = wallClockOf(pattern);
  const rule = jumpRule(pattern, schedule.dst);
  return {
    next: (after) => nextDue(clock, schedule.timezone, rule, after),
    latest: (after, until) => latestDue(clock, schedule.timezone, rule, after, until),
    ...window,
  };
}

function oneTime(at: number): Recurrence {
  return {
    next: (after) => (after < at ? at : undefined),
    latest: (after, until) => (after < at && at <= until ? at : undefined),
    startAt: at,
    endAt: at,
  };
}

/** anchor, anchor + period, anchor + 2 periods … */
function fixedRate(anchor: number, period: number): Pick<Recurrence, 'next' | 'latest'> {
  return {
    next: (after) =>
      after < anchor ? anchor : anchor + (Math.floor((after - anchor) / period) + 1) * period,
    latest(after, until) {
      const due = anchor + Math.floor((until - anchor) / period) * period;
      return due >= anchor && due > after ? due : undefined;
    },
  };
}
