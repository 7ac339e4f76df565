// The layout of heads, rows and definitions as items. A field has an attribute of its own if a key, an index, a
// condition or a separate write needs it. All other fields are one JSON text. JSON takes a third of the CPU of DynamoDB's
// maps, and maps reject 1e300, 2**60 and more than 32 levels.

import { errorKeyOf } from '../domain/executions/error-key.ts';
import { dueAtOf } from '../domain/executions/ids.ts';
import type { Progress } from '../domain/executions/progress.ts';
import { isTerminal, type Row } from '../domain/executions/row.ts';
import type { Seat } from '../domain/jobs/concurrency-key.ts';
import type { Definition, Head, HeadChange, Lock } from '../domain/jobs/job.ts';
import type { HeadSummary, LockTaking, NotificationWindow } from './store.ts';
import { INDEX_PARTITIONS, ownerOf, userOf } from './user-index.ts';

/** The attributes of an item by their names. */
export type Item = Record<string, unknown>;

const DAY_MS = 86_400_000;
const SEAT_KEPT_DAYS = 30;

/** TTL attributes are epoch seconds. */
export const seconds = (ms: number): number => Math.ceil(ms / 1000);

export const HEAD = 'head';
export const definitionPart = (version: number): string => `def#${version}`;

export const createdKey = (head: { createdAt: number; jobId: string }): string =>
  `${String(head.createdAt).padStart(13, '0')}#${head.jobId}`;
export const createdAtOf = (key: string): number => Number(key.slice(0, key.indexOf('#')));
export const dueKeyOf = (row: { due: string; jobId: string }): string => `${row.due}#${row.jobId}`;

/** The fields of a head that a claim writes. */
const OF_RUNS = ['lock', 'coveredUntil'] as const;
/** The fields that are part of the keys of the table and of the index. */
const IN_KEYS = ['jobId', 'userId', 'createdAt'] as const;
const NOT_SPEC = new Set<string>([...OF_RUNS, ...IN_KEYS]);
const isSpec = (name: string): boolean => !NOT_SPEC.has(name);

/**
 * The value of `retry` in a spec without one. Most jobs have this value, and leaving out its 69 bytes keeps large heads below
 * 1 KB. It must never change, also if the API's defaults do, because stored heads depend on it.
 */
const STORED_RETRY: Head['retry'] = { maxAttempts: 3, backoffSeconds: 2, maxBackoffSeconds: 900 };

const isStoredRetry = (retry: Head['retry']): boolean =>
  retry.maxAttempts === STORED_RETRY.maxAttempts &&
  retry.backoffSeconds === STORED_RETRY.backoffSeconds &&
  retry.maxBackoffSeconds === STORED_RETRY.maxBackoffSeconds;

/** The fields that only people change, as JSON. */
function specOf(head: Head): string {
  const spec = Object.entries(head).filter(
    ([name]) => isSpec(name) && !(name === 'retry' && isStoredRetry(head.retry)),
  );
  return JSON.stringify(Object.fromEntries(spec));
}

type Spec = Omit<HeadSummary, (typeof IN_KEYS)[number]>;

/** The fields of a head that `specOf` wrote. */
export const specFrom = (text: unknown): Spec => {
  const spec = fromJson(text) as Omit<Spec, 'retry'> & Partial<Spec>;
  return { ...spec, retry: spec.retry ?? STORED_RETRY };
};

/** A lock that names no execution: before the first claim. It makes every condition on the lock a plain comparison. */
const NO_LOCK = { lockDue: '', lockNumber: 0 } as const;

export const lockNumberOf = ({ lock }: Pick<Head, 'lock'>): number => lock?.number ?? NO_LOCK.lockNumber;

export function headToItem(head: Head, indexPartitions = INDEX_PARTITIONS): Item {
  return {
    jobId: head.jobId,
    part: HEAD,
    owner: ownerOf(head.userId, head.jobId, indexPartitions),
    createdKey: createdKey(head),
    version: head.version,
    spec: specOf(head),
    ...(head.lock ? lockToItem(head.lock) : NO_LOCK),
    coveredUntil: head.coveredUntil ?? '',
  };
}

export const lockToItem = ({ due, number }: Lock): Item => ({ lockDue: due, lockNumber: number });

export const headChangeToItem = (seen: Head, change: HeadChange): Item => ({
  version: change.version,
  spec: specOf({ ...seen, ...change }),
});

/** The attributes of a taken lock, without those that do not change. */
export const takenToItem = ({ seen, lock, coveredUntil = '' }: LockTaking): Item => ({
  ...lockToItem(lock),
  ...(coveredUntil !== (seen.coveredUntil ?? '') && { coveredUntil }),
});

/** Reads an item of the table, or an item of the index, which has fewer attributes. */
export function headFromItem<T extends Head | HeadSummary>(item: Item): T {
  const { jobId, owner, createdKey, spec, lockDue, lockNumber, coveredUntil } = item;
  return {
    ...specFrom(spec),
    jobId,
    userId: userOf(String(owner)),
    createdAt: createdAtOf(String(createdKey)),
    ...(lockDue ? { lock: { due: lockDue, number: Number(lockNumber) } } : {}),
    ...(coveredUntil ? { coveredUntil } : {}),
  } as unknown as T;
}

/** A list without names, to keep the row below 1 KB. */
export const progressToItem = ({ fraction, at, text }: Progress): string =>
  JSON.stringify([fraction, at, ...(text === undefined ? [] : [text])]);

/** Stored as undefined, null or an empty text if the task has reported none. */
export function progressFromItem(stored: unknown): { progress?: Progress } {
  if (stored === undefined || stored === null || stored === '') return {};
  const [fraction, at, text] = fromJson(stored) as [number, number, string?];
  return { progress: { fraction, ...(text !== undefined && { text }), at } };
}

/** Undefined if the object is empty. An empty object is not stored. */
const nonEmpty = <T extends object>(map: T | undefined): T | undefined =>
  map && Object.keys(map).length > 0 ? map : undefined;

export function definitionToItem({ jobId, version, params, notify }: Definition): Item {
  return {
    jobId,
    part: definitionPart(version),
    params: toJson(nonEmpty(params)),
    notify: toJson(nonEmpty(notify)),
  };
}

export function definitionFromItem(item: Item): Definition {
  return {
    jobId: String(item.jobId),
    version: Number(String(item.part).slice(definitionPart(0).length - 1)),
    params: (fromJson(item.params) ?? {}) as Definition['params'],
    notify: (fromJson(item.notify) ?? []) as Definition['notify'],
  };
}

/** The expiry of a head and of what stands beside it. Empty if the job has no end. */
export const jobExpiry = (end: number | undefined, keptMs: number): Item =>
  end === undefined ? {} : { expiresAt: seconds(end + keptMs) };

/** TTL removes seats long after they were taken. */
export const seatExpiresAt = ({ number }: Seat): number => seconds(number + SEAT_KEPT_DAYS * DAY_MS);

/**
 * The mark of a dismissed failure, before its error key. The index of failed rows has the key, so a list passes dismissed ones
 * without reading their rows. Error keys have no such character.
 */
const DISMISSED = '!';

/** The stored error key of a FAILED row. */
export const failureToItem = (row: Pick<Row, 'error' | 'reason' | 'dismissed'>): string =>
  `${row.dismissed ? DISMISSED : ''}${errorKeyOf(row)}`;

/** The fields of `FailedKey` that the stored error key has. It is undefined or null in rows of earlier versions. */
export function failureFromItem(stored: unknown): { errorKey?: string; dismissed?: true } {
  if (stored === undefined || stored === null) return {};
  const text = String(stored);
  return text.startsWith(DISMISSED)
    ? { errorKey: text.slice(DISMISSED.length), dismissed: true }
    : { errorKey: text };
}

/** When a row expires, in epoch seconds. Only terminal rows do. A backfill has open rows with old due times. */
function rowExpiresAt(
  { due, status, finishedAt = 0, startedAt = 0, enqueuedAt = 0 }: Row,
  retentionMs: number,
) {
  if (!isTerminal(status)) return undefined;
  return seconds(Math.max(dueAtOf(due), finishedAt, startedAt, enqueuedAt) + retentionMs);
}

/** The attributes that a claim, a heartbeat or an end writes. */
function rowStateToItem(row: Row, retentionMs: number): Item {
  const { jobId: _, due: __, status, number, leaseUntil, told: ___, dismissed: ____, ...rest } = row;
  const { progress, cancelRequested, ...record } = rest;
  return {
    ...{ status, number },
    leaseUntil: leaseUntil ?? 0,
    progress: progress ? progressToItem(progress) : '',
    ...(cancelRequested && { cancelRequested }),
    record: toJson(record),
    expiresAt: rowExpiresAt(row, retentionMs),
  };
}

export function rowToItem(row: Row, retentionMs: number, indexPartitions = INDEX_PARTITIONS): Item {
  const { jobId, due, status, told, userId } = row;
  const owner = ownerOf(userId, jobId, indexPartitions);
  return {
    ...{ jobId, due, told, owner, dueKey: dueKeyOf(row) },
    ...rowStateToItem(row, retentionMs),
    failedOwner: status === 'FAILED' ? owner : undefined,
    errorKey: status === 'FAILED' ? failureToItem(row) : undefined,
  };
}

/**
 * The attributes of a row that may differ from those of the open row before it, and no others, so that the write shares a
 * request with others.
 */
export function rowChangeToItem(row: Row, retentionMs: number, indexPartitions = INDEX_PARTITIONS): Item {
  const { failedOwner, errorKey } = rowToItem(row, retentionMs, indexPartitions);
  const change = { ...rowStateToItem(row, retentionMs), failedOwner, errorKey };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

export function rowFromItem(item: Item): Row {
  const { jobId, due, status, number, leaseUntil, told, cancelRequested, progress, errorKey, record } = item;
  const { dismissed } = failureFromItem(errorKey);
  return Object.assign(
    { jobId, due, status, number: Number(number) },
    leaseUntil ? { leaseUntil: Number(leaseUntil) } : undefined,
    cancelRequested && { cancelRequested: true as const },
    progressFromItem(progress),
    told && { told: true as const },
    dismissed && { dismissed },
    fromJson(record) as object,
  ) as unknown as Row;
}

const toJson = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);
const fromJson = (text: unknown): unknown => (text === undefined ? undefined : JSON.parse(String(text)));

/** The stored names of two fields of a notification window: `opener` is `openedBy`, `folded` is `suppressed`. */
export const windowToItem = ({ openedBy, suppressed, summary, ...window }: NotificationWindow): Item => ({
  ...window,
  opener: openedBy,
  folded: suppressed,
  ...(summary && { summary: { folded: summary.suppressed, last: summary.last } }),
});

export function windowFromItem({ opener, folded, summary, ...window }: Item): NotificationWindow {
  const stored = summary as { readonly folded: number; readonly last: string } | undefined;
  return {
    ...window,
    openedBy: opener,
    suppressed: folded,
    ...(stored && { summary: { suppressed: stored.folded, last: stored.last } }),
  } as NotificationWindow;
}
