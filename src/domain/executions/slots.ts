// Slots and entries of the timetable. A slot is one minute of one shard. An entry is the time to dispatch or check an execution.

import { MAX_JITTER_SECONDS } from '../schedule/schedule-kinds.ts';
import type { DueKey } from './ids.ts';

export const MINUTE = 60_000;

/** Minutes since the epoch, the unit of the watcher's two cursors. */
export const minuteOf = (time: number): number => Math.floor(time / MINUTE);
export const minuteStart = (minute: number): number => minute * MINUTE;
export const minuteEnd = (minute: number): number => (minute + 1) * MINUTE;

export const slotKey = (minute: number, shard: number): string => `${minute}#${shard}`;

/**
 * - regular: an occurrence of a schedule
 * - byHand: a manual run, by run-now, backfill or /retry
 * - retry: an attempt whose backoff is longer than the maximum delay of SQS
 * - check: settle checks the execution again
 * - search: the search for the next occurrence goes on after `due`. There is no execution
 */
export type EntryKind = 'regular' | 'byHand' | 'retry' | 'check' | 'search';

/** Immutable. The key contains all of it, so a repeated write changes nothing. */
export interface Entry {
  /** The time that decides the slot: the due time, or for retries and checks the time at which they happen. */
  readonly at: number;
  readonly jobId: string;
  readonly revision: string;
  readonly due: DueKey;
  readonly kind: EntryKind;
}

const DAY = 86_400_000;

/** How long a timetable that removes entries by age keeps an occurrence. It is planned again from its job if it is gone. */
export const OCCURRENCE_KEPT_MS = 31 * DAY;

/**
 * How long such a timetable keeps an entry. Only an occurrence can be planned again. There are few other entries: what they stand
 * for was decided by a person, or has begun and not ended.
 */
export const keptMs = ({ kind }: Entry): number => (kind === 'regular' ? OCCURRENCE_KEPT_MS : 400 * DAY);

export const entryKey = (e: Entry): string =>
  `${String(e.at).padStart(13, '0')}#${e.jobId}#${e.revision}#${e.due}#${e.kind}`;

export function parseEntryKey(key: string): Entry {
  const [at, jobId, revision, due, kind] = key.split('#');
  if (!at || !jobId || !revision || !due || !kind)
    throw new Error(`timetable key ${JSON.stringify(key)} does not have five parts`);
  return { at: Number(at), jobId, revision, due, kind: kind as EntryKind };
}

const CHECK_AFTER_MINUTES = [2, 4, 8] as const;
const CHECK_EVERY_MINUTES = 15;

/** No check is further in the future: jitter delays a fire time by at most an hour, and checks repeat every 15 minutes. */
export const FARTHEST_CHECK_MINUTES = MAX_JITTER_SECONDS / 60 + CHECK_AFTER_MINUTES[0];

/**
 * The time of settle's next check of an execution: the first of fire time + 2, 4, 8, 15, 30, 45 … minutes that is later than
 * `now`. It is deterministic, so two watchers write the same entry, and each check sends at most one message.
 */
export function nextCheckAt(fireAt: number, now: number): number {
  for (const minutes of CHECK_AFTER_MINUTES) {
    if (fireAt + minutes * MINUTE > now) return fireAt + minutes * MINUTE;
  }
  const step = CHECK_EVERY_MINUTES * MINUTE;
  return fireAt + Math.max(1, Math.floor((now - fireAt) / step) + 1) * step;
}
