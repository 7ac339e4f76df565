// The timetable's geometry: a slot is one minute of one shard; an entry says "look at this execution then".

import { MAX_JITTER_SECONDS } from '../schedule/schedule-schema.ts';
import type { DueKey } from './ids.ts';

export const MINUTE = 60_000;

/** Minutes since the epoch: the unit of both watcher cursors. */
export const minuteOf = (time: number): number => Math.floor(time / MINUTE);
export const minuteStart = (minute: number): number => minute * MINUTE;
export const minuteEnd = (minute: number): number => (minute + 1) * MINUTE;

export const slotKey = (minute: number, shard: number): string => `${minute}#${shard}`;

/**
 * regular: an occurrence of a schedule; byHand: run-now, backfill, /retry; retry: a backoff beyond what SQS can delay;
 * check: settle looks again.
 */
export type EntryKind = 'regular' | 'byHand' | 'retry' | 'check';

/** Immutable, and all of it is in its key: writing an entry twice is writing it once. */
export interface Entry {
  /** Which minute's slot it stands in: the due time, or for retries and checks the time to look. */
  readonly at: number;
  readonly jobId: string;
  readonly revision: string;
  readonly due: DueKey;
  readonly kind: EntryKind;
}

export const entryKey = (e: Entry): string =>
  `${String(e.at).padStart(13, '0')}#${e.jobId}#${e.revision}#${e.due}#${e.kind}`;

export function parseEntryKey(key: string): Entry {
  const [at, jobId, revision, due, kind] = key.split('#');
  if (!at || !jobId || !revision || !due || !kind) throw new Error(`not a timetable key: ${key}`);
  return { at: Number(at), jobId, revision, due, kind: kind as EntryKind };
}

const CHECK_AFTER_MINUTES = [2, 4, 8] as const;
const CHECK_EVERY_MINUTES = 15;

/** No check is written further ahead: its execution fires an hour from now at the latest, or is looked at every 15 min. */
export const FARTHEST_CHECK_MINUTES = MAX_JITTER_SECONDS / 60 + CHECK_AFTER_MINUTES[0];

/**
 * When settle looks at an execution next: its fire time + 2, 4, 8, 15, 30, 45 … minutes, the first later than `now`.
 * Deterministic, so two watchers write the same check: at most one message per execution and point.
 */
export function nextCheckAt(fireAt: number, now: number): number {
  for (const minutes of CHECK_AFTER_MINUTES) {
    if (fireAt + minutes * MINUTE > now) return fireAt + minutes * MINUTE;
  }
  const step = CHECK_EVERY_MINUTES * MINUTE;
  return fireAt + Math.max(1, Math.floor((now - fireAt) / step) + 1) * step;
}
