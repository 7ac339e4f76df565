// Replanning after a change of timezone rules. A new version of the timezone data may move an occurrence that already has an
// entry (docs/decisions/0026).
import { dueAtOf, dueKey } from '../../domain/executions/ids.ts';
import { type Entry, MINUTE } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import {
  hasZoneRules,
  isOccurrence,
  latestOccurrence,
  nearestOccurrence,
  unlessEnded,
} from '../../domain/schedule/occurrences.ts';
import { SearchBudget } from '../../domain/schedule/search-budget.ts';
import type { Context } from '../context.ts';
import { regularEntry } from './plan.ts';

/** How far back lost occurrences are looked for. Nearly all rule changes move clocks by three hours at most. */
const LOOK_BACK_MS = 180 * MINUTE;

/** Splits planned entries by the present rules of their timezone. `moved` entries are no occurrences any more. */
export function byPresentRules(
  { schedule }: Head,
  planned: readonly Entry[],
): { valid: Entry[]; moved: Entry[] } {
  const { valid = [], moved = [] } = Object.groupBy(planned, (e) =>
    isOccurrence(schedule, dueAtOf(e.due)) ? 'valid' : 'moved',
  );
  return { valid, moved };
}

/** Whether the entry is no occurrence by the present rules. False if the schedule cannot be computed. */
export function isMoved({ log }: Context, head: Head, e: Entry): boolean {
  try {
    return byPresentRules(head, [e]).moved.length > 0;
  } catch (error) {
    log.debug('failed to compute a schedule', { jobId: head.jobId, error: String(error) });
    return false;
  }
}

/** The time before which nothing was planned: the last change of the job, or the end of its pause. */
const plannedAfter = ({ updatedAt, pausedUntil = 0 }: Head): number => Math.max(updatedAt, pausedUntil - 1);

/** As `nearestOccurrence`. Undefined also if the search ends by its budget: the nearest one is far away then. */
const nearest = ({ schedule }: Head, planned: number, after?: number): number | undefined =>
  unlessEnded(
    () => nearestOccurrence(schedule, planned, after, new SearchBudget()),
    () => undefined,
  );

/** The time from which to plan again, so that the new time of a moved entry is found. */
export function replanFrom(head: Head, { due }: Entry): number {
  const planned = dueAtOf(due);
  const right = nearest(head, planned, plannedAfter(head));
  return right !== undefined && right < planned ? right - 1 : planned;
}

/**
 * The time after which occurrences were lost: by the present rules they are due before the entry that is dispatched now, and
 * they were never planned. Undefined if there are none.
 *
 * The lock shows whether the latest occurrence before the entry has run. Only if it has not, its entry is read (1 RRU).
 */
export async function lostFrom(
  { store, clock, settings }: Context,
  head: Head,
  first: number,
): Promise<number | undefined> {
  const { schedule, lock, overlap } = head;
  // with `overlap: allow` the head does not show what has run
  if (!hasZoneRules(schedule) || overlap === 'allow') return undefined;
  // the key of a manual run has a suffix
  const ran = lock && lock.due === dueKey(dueAtOf(lock.due)) ? lock.due : undefined;
  if (ran !== undefined && ran >= dueKey(first)) return undefined;
  const since = Math.max(plannedAfter(head), first - LOOK_BACK_MS);
  const until = Math.min(first - 1, clock.now() - settings.settleLagMs);
  const latest = latestOccurrence(schedule, since, until);
  if (latest === undefined || (ran !== undefined && ran >= dueKey(latest))) return undefined;
  if (await store.hasEntry(regularEntry(head, latest))) return undefined;
  const done = ran === undefined ? undefined : nearest(head, dueAtOf(ran));
  return Math.max(since, done ?? since);
}
