// The occurrences of a schedule: the next ones, the latest one, the nearest one, and their fire times.
import { LRUCache } from 'lru-cache';
import { hash } from '../hash.ts';
import { durationMs, HOUR } from './duration.ts';
import { exclusionsOf, type LocalExclusions } from './exclusions.ts';
import { fixedRate, fixedRateWithout } from './fixed-rate.ts';
import { END_OF_TIME, instantMs } from './instant.ts';
import { patternOf } from './pattern.ts';
import type { OneTime, Schedule } from './schedule-schema.ts';
import { SearchBudget, SearchEnded, WITHOUT_SLICES } from './search-budget.ts';
import { wallClockOf } from './wall-clock.ts';
import { type DueTimes, dueTimesWithout } from './without-excluded.ts';
import { clockChangeRule, zonedDues } from './zoned.ts';
import { fixedOffset, rulesGeneration } from './zones.ts';

/** A compiled schedule. `next` and `latest` ignore `startAt` and `endAt`. */
interface Recurrence extends DueTimes {
  /** Inclusive, as is `endAt`. */
  readonly startAt: number;
  readonly endAt: number;
}

// An entry takes about 3 KB, so the cache stays below 10 MB.
const recurrences = new LRUCache<string, Recurrence, { schedule: Schedule }>({
  max: 2000,
  memoMethod: (_key, _stale, { context }) => compile(context.schedule),
});

const recurrenceOf = (schedule: Schedule): Recurrence =>
  recurrences.memo(JSON.stringify(schedule), { context: { schedule } });

/** All occurrences later than `after`, ascending. Each one is a search of its own. Throws SearchEnded. */
export function* occurrencesAfter(
  schedule: Schedule,
  after: number,
  budget = new SearchBudget(WITHOUT_SLICES),
): Generator<number, void, undefined> {
  let due = nextOccurrence(schedule, after, budget);
  for (; due !== undefined; due = nextOccurrence(schedule, due, budget)) yield due;
}

/** The occurrences with after < due ≤ until. As `occurrencesAfter`, but it does not care about later ones. */
export function* occurrencesUntil(
  schedule: Schedule,
  after: number,
  until: number,
): Generator<number, void, undefined> {
  try {
    for (const due of occurrencesAfter(schedule, after)) {
      if (due > until) return;
      yield due;
    }
  } catch (error) {
    if (!(error instanceof SearchEnded) || error.searchedUntil < until) throw error;
  }
}

/** The first occurrence later than `after`. Undefined if there is none. Throws SearchEnded if the budget does not suffice. */
export function nextOccurrence(
  schedule: Schedule,
  after: number,
  budget = new SearchBudget(WITHOUT_SLICES),
): number | undefined {
  const recurrence = recurrenceOf(schedule);
  const from = Math.max(after, recurrence.startAt - 1);
  const due = recurrence.next(from, budget.begin(fieldOf(schedule), from));
  return due !== undefined && due <= recurrence.endAt ? due : undefined;
}

/** As `nextOccurrence`, with the word `searching` for a search that has ended by its budget. It is not known then. */
export const nextOrSearching = (
  schedule: Schedule,
  after: number,
  budget?: SearchBudget,
): number | 'searching' | undefined =>
  unlessEnded(
    () => nextOccurrence(schedule, after, budget),
    () => 'searching' as const,
  );

/** The result of a search. If it has ended by its budget, the result of `ended`. */
export function unlessEnded<T, E>(search: () => T, ended: (error: SearchEnded) => E): T | E {
  try {
    return search();
  } catch (error) {
    if (error instanceof SearchEnded) return ended(error);
    throw error;
  }
}

/** The latest occurrence with after < due ≤ until. Throws SearchEnded if the budget does not suffice. */
export function latestOccurrence(
  schedule: Schedule,
  after: number,
  until: number,
  budget = new SearchBudget(WITHOUT_SLICES),
): number | undefined {
  const recurrence = recurrenceOf(schedule);
  const from = Math.max(after, recurrence.startAt - 1);
  const to = Math.min(until, recurrence.endAt);
  return to > from ? recurrence.latest(from, to, budget.begin(fieldOf(schedule), from)) : undefined;
}

/** The field that makes a search long. */
const fieldOf = (schedule: Schedule): string =>
  'except' in schedule && schedule.except !== undefined ? 'schedule.except' : 'schedule';

/** True if the occurrences depend on timezone rules. Other processes may have another version of the rules. */
export function hasZoneRules(schedule: Schedule): boolean {
  const { timezone = 'UTC' } = schedule;
  if ('at' in schedule || fixedOffset(timezone) !== undefined) return false;
  return !('every' in schedule) || exclusionsOf(schedule.except ?? []).local !== undefined;
}

/** True if `due` is an occurrence by the present timezone rules. It may have been planned by earlier rules. */
export const isOccurrence = (schedule: Schedule, due: number): boolean =>
  'at' in schedule ||
  ('every' in schedule && schedule.except === undefined) ||
  hasOccurrenceAt(schedule, due);

/** True if the schedule has an occurrence at this very time. No later time is searched. */
export const hasOccurrenceAt = (schedule: Schedule, due: number): boolean =>
  latestOccurrence(schedule, due - 1, due) === due;

/** Clock changes have moved local time by up to 24 hours at once, across the date line. */
const MAX_SHIFT = 26 * HOUR;
/** Maximum distance to an earlier occurrence if no later one exists. */
const HALF_A_DAY = 12 * HOUR;

/**
 * The occurrence that a planned time has become by the present timezone rules: the nearest one, or the earlier of two at the
 * same distance. Occurrences up to `after` do not count. Excluded times count, so that a time which has become an excluded one
 * is not taken for the next one.
 */
export function nearestOccurrence(
  schedule: Schedule,
  planned: number,
  after = Number.NEGATIVE_INFINITY,
  budget = new SearchBudget(WITHOUT_SLICES),
): number | undefined {
  const all = withoutExcept(schedule);
  const before = latestOccurrence(all, Math.max(planned - MAX_SHIFT, after), planned, budget);
  const next = nextOccurrence(all, planned, budget);
  if (before === undefined) return next;
  const distance = next === undefined ? HALF_A_DAY : next - planned;
  return planned - before <= distance ? before : next;
}

/** The schedule with the occurrences that `except` removes. */
export function withoutExcept(schedule: Schedule): Schedule {
  if ('at' in schedule || schedule.except === undefined) return schedule;
  const { except: _, ...rest } = schedule;
  return rest;
}

export const isRecurring = (schedule: Schedule): boolean => !('at' in schedule);

/** The due time plus jitter. Jitter is a hash of job and occurrence, so every process computes the same fire time. */
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
  const { instants, local } = exclusionsOf(schedule.except ?? []);
  return { ...remembering(dueTimesWithout(dueTimesOf(schedule, window, local), instants)), ...window };
}

function dueTimesOf(
  schedule: Exclude<Schedule, OneTime>,
  { startAt, endAt }: Pick<Recurrence, 'startAt' | 'endAt'>,
  excluded: LocalExclusions | undefined,
): DueTimes {
  if ('every' in schedule) {
    const period = durationMs(schedule.every, 'schedule.every');
    if (!excluded) return fixedRate(startAt, period);
    return fixedRateWithout(startAt, period, excluded, schedule.timezone ?? 'UTC', endAt + 1);
  }
  const pattern = patternOf(schedule);
  const rule = clockChangeRule(pattern, schedule.dst);
  return zonedDues(wallClockOf(pattern), schedule.timezone, rule, endAt + 1, excluded);
}

/** What a search has found: no due time is later than `after` and earlier than `due`, or not later than `until`. */
interface Found {
  readonly after: number;
  /** Infinity if no due time is left. */
  readonly until: number;
  /** Undefined if there is none, or if the search has ended by its budget. */
  readonly due?: number;
  /** The steps that it took. */
  readonly steps: number;
  readonly generation: number;
}

/**
 * Remembers the most expensive search whose result is still to come. The same question costs nothing then, and a search that
 * has ended by its budget goes on where it ended.
 */
function remembering(dues: DueTimes): DueTimes {
  let found: Found | undefined;
  const covers = (one: Found, after: number): boolean =>
    one.generation === rulesGeneration() && one.after <= after && after <= (one.due ?? one.until + 1) - 1;

  return {
    ...dues,
    next(after, steps) {
      if (!steps.remembers) return dues.next(after, steps);
      const known = found && covers(found, after) ? found : undefined;
      if (known?.due !== undefined) return known.due;
      if (known?.until === Number.POSITIVE_INFINITY) return undefined;
      const remember = (result: Pick<Found, 'until' | 'due'>) => {
        const taken = steps.taken + (known?.steps ?? 0);
        const isObsolete =
          !found || found.generation !== rulesGeneration() || after >= (found.due ?? found.until);
        if (!known && !isObsolete && found && found.steps > taken) return;
        found = { ...result, after: known?.after ?? after, steps: taken, generation: rulesGeneration() };
      };
      try {
        if (known) steps.continueAfter(known.until);
        const due = dues.next(known?.until ?? after, steps);
        remember(due === undefined ? { until: Number.POSITIVE_INFINITY } : { until: due - 1, due });
        return due;
      } catch (error) {
        if (error instanceof SearchEnded) remember({ until: error.searchedUntil });
        throw error;
      }
    },
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
