// What is planned has to follow the rules of its timezone, which change: a new version of the time-zone data may move an
// occurrence that has an entry already (docs/decisions/0026).
import { dueAtOf, dueKey } from '../../domain/executions/ids.ts';
import { type Entry, MINUTE } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import {
  hasZoneRules,
  isOccurrence,
  latestOccurrence,
  nearestOccurrence,
} from '../../domain/schedule/occurrences.ts';
import type { Context } from '../context.ts';
import { regularEntry } from './plan.ts';

/** Nearly all changes move clocks by three hours at most. */
const LOOK_BACK_MS = 180 * MINUTE;

/** Splits planned entries: `moved` are no occurrences by the present rules. */
export function byPresentRules(
  { schedule }: Head,
  planned: readonly Entry[],
): { valid: Entry[]; moved: Entry[] } {
  const { valid = [], moved = [] } = Object.groupBy(planned, (e) =>
    isOccurrence(schedule, dueAtOf(e.due)) ? 'valid' : 'moved',
  );
  return { valid, moved };
}

/** No occurrence by the present rules of its timezone. */
export function isMoved({ log }: Context, head: Head, e: Entry): boolean {
  try {
    return byPresentRules(head, [e]).moved.length > 0;
  } catch (error) {
    log.debug('a schedule cannot be computed', { jobId: head.jobId, error: String(error) });
    return false;
  }
}

/** What was due before the last change of the job, or before its pause was over, was never planned. */
const plannedAfter = ({ updatedAt, pausedUntil = 0 }: Head): number => Math.max(updatedAt, pausedUntil - 1);

/** From where on to plan again, so that what a moved entry has become is found. */
export function replanFrom(head: Head, { due }: Entry): number {
  const planned = dueAtOf(due);
  const right = nearestOccurrence(head.schedule, planned, plannedAfter(head));
  return right !== undefined && right < planned ? right - 1 : planned;
}

/**
 * From where on occurrences were lost: by the present rules they are earlier than the entry that is dispatched now, and
 * nobody has planned them. Undefined: there are none.
 *
 * By the head alone it is known that the latest one before the entry has run. Only where it has not, its entry is looked
 * for: 1 RRU.
 */
export async function lostFrom(
  { store, clock, settings }: Context,
  head: Head,
  first: number,
): Promise<number | undefined> {
  const { schedule, rowsUntil, overlap } = head;
  // with `allow` the head does not know what has run
  if (!hasZoneRules(schedule) || overlap === 'allow') return undefined;
  if (rowsUntil !== undefined && rowsUntil >= dueKey(first)) return undefined;
  const since = Math.max(plannedAfter(head), first - LOOK_BACK_MS);
  const until = Math.min(first - 1, clock.now() - settings.settleLagMs);
  const latest = latestOccurrence(schedule, since, until);
  if (latest === undefined || (rowsUntil !== undefined && rowsUntil >= dueKey(latest))) return undefined;
  if (await store.hasEntry(regularEntry(head, latest))) return undefined;
  const done = rowsUntil === undefined ? undefined : nearestOccurrence(schedule, dueAtOf(rowsUntil));
  return Math.max(since, done ?? since);
}
