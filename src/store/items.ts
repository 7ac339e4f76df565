// The layout of heads, rows, holds and definitions as items. A field has an attribute of its own if a key, an index, a
// condition or a separate write needs it. All other fields are one JSON text. JSON takes a third of the CPU of DynamoDB's
// maps, and maps reject 1e300, 2**60 and more than 32 levels.

import { errorKeyOf } from '../domain/executions/error-key.ts';
import { dueAtOf } from '../domain/executions/ids.ts';
import type { Progress } from '../domain/executions/progress.ts';
import { isTerminal, type Row } from '../domain/executions/row.ts';
import type { Definition, Head, HeadChange, Hold, HoldItem } from '../domain/jobs/job.ts';
import type { HeadSummary, NotificationWindow } from './store.ts';
import { INDEX_PARTITIONS, ownerOf, userOf } from './user-index.ts';

/** The attributes of an item by their names. */
export type Item = Record<string, unknown>;

const DAY_MS = 86_400_000;
const HOLD_KEPT_DAYS = 30;

/** TTL attributes are epoch seconds. */
export const seconds = (ms: number): number => Math.ceil(ms / 1000);

export const HEAD = 'head';
export const definitionPart = (version: number): string => `def#${version}`;
export const holdPart = (due: string): string => `hold#${due}`;

export const createdKey = (head: { createdAt: number; jobId: string }): string =>
  `${String(head.createdAt).padStart(13, '0')}#${head.jobId}`;
export const createdAtOf = (key: string): number => Number(key.slice(0, key.indexOf('#')));
export const dueKeyOf = (row: { due: string; jobId: string }): string => `${row.due}#${row.jobId}`;

/** The attributes of a head that a run changes. */
const OF_RUNS = ['stamp', 'hold', 'rowsUntil', 'note', 'coveredUntil'] as const;
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

export function headToItem(head: Head, indexPartitions = INDEX_PARTITIONS): Item {
  return {
    jobId: head.jobId,
    part: HEAD,
    owner: ownerOf(head.userId, head.jobId, indexPartitions),
    createdKey: createdKey(head),
    spec: specOf(head),
    ...ofRuns(head),
  };
}

/**
 * Attributes with the value `undefined` are removed. A progress is removed only if the head has one: on DynamoDB, a write that
 * removes an attribute does not share a request with others (`canBeStatement`).
 */
export function headChangeToItem(seen: Head, change: HeadChange): Item {
  const changesSpec = Object.keys(change).some(isSpec);
  const { progress, ...item } = ofRuns(change);
  const changesProgress = 'hold' in change && (change.hold?.progress ?? seen.hold?.progress) !== undefined;
  return {
    ...item,
    ...(changesProgress && { progress }),
    ...(changesSpec && { spec: specOf({ ...seen, ...change }) }),
  };
}

function ofRuns(head: Head | HeadChange): Item {
  const item: Item = {};
  for (const name of OF_RUNS) {
    if (!(name in head)) continue;
    if (name === 'hold') Object.assign(item, holdToItem(head.hold));
    else item[name] = name === 'note' ? toJson(head.note) : head[name];
  }
  return item;
}

/** Reads an item of the table, or an item of the index, which has fewer attributes. */
export function headFromItem<T extends Head | HeadSummary>(item: Item): T {
  const { jobId, owner, createdKey, spec, stamp, rowsUntil, note, coveredUntil } = item;
  const hold = holdFromItem(item);
  return {
    ...specFrom(spec),
    jobId,
    userId: userOf(String(owner)),
    createdAt: createdAtOf(String(createdKey)),
    ...(stamp !== undefined && { stamp }),
    ...(hold && { hold }),
    ...(rowsUntil !== undefined && { rowsUntil }),
    ...(note !== undefined && { note: fromJson(note) }),
    ...(coveredUntil !== undefined && { coveredUntil }),
  } as unknown as T;
}

/** Token, lease and progress are attributes, because a heartbeat compares the first and writes the others. */
export function holdToItem(hold: Hold | undefined): Item {
  if (!hold) return { hold, holder: undefined, leaseUntil: undefined, progress: undefined };
  const { token, leaseUntil, cancelRequested, progress, ...rest } = hold;
  return {
    // almost always false, and left out to keep the head below 1 KB
    hold: toJson(cancelRequested ? { ...rest, cancelRequested } : rest),
    holder: token,
    leaseUntil,
    progress: progress && progressToItem(progress),
  };
}

export const holdFromItem = ({ hold, holder, leaseUntil, progress }: Item): Hold | undefined =>
  hold === undefined
    ? undefined
    : {
        cancelRequested: false,
        ...(fromJson(hold) as Omit<Hold, 'cancelRequested'>),
        token: String(holder),
        leaseUntil: Number(leaseUntil),
        ...progressFromItem(progress),
      };

/** A list without names, to keep the head below 1 KB. */
export const progressToItem = ({ fraction, at, text }: Progress): string =>
  JSON.stringify([fraction, at, ...(text === undefined ? [] : [text])]);

/** The field of a hold. Stored as undefined or null if the task has reported none. */
function progressFromItem(stored: unknown): { progress?: Progress } {
  if (stored === undefined || stored === null) return {};
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

/** TTL removes hold items long after their last use. */
export const holdExpiresAt = (leaseUntil: number): number => seconds(leaseUntil + HOLD_KEPT_DAYS * DAY_MS);

export const holdItemToItem = ({ jobId, due, stamp, hold }: HoldItem): Item => ({
  jobId,
  part: holdPart(due),
  stamp,
  ...holdPartToItem(hold),
});

export const holdPartToItem = (hold: Hold): Item => ({
  ...holdToItem(hold),
  expiresAt: holdExpiresAt(hold.leaseUntil),
});

export const holdItemFromItem = (item: Item): HoldItem => ({
  jobId: String(item.jobId),
  due: String(item.part).slice(holdPart('').length),
  stamp: String(item.stamp),
  hold: holdFromItem(item) as Hold,
});

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

/** Only terminal rows expire. A backfill has open rows with old due times. */
export function rowToItem(
  { jobId, due, status, fence, told, dismissed, ...record }: Row,
  retentionMs: number,
  indexPartitions = INDEX_PARTITIONS,
): Item {
  const owner = ownerOf(record.userId, jobId, indexPartitions);
  const { finishedAt = 0, startedAt = 0, enqueuedAt = 0 } = record;
  const latest = Math.max(dueAtOf(due), finishedAt, startedAt, enqueuedAt);
  return {
    ...{ jobId, due, status, fence, told, owner },
    record: toJson(record),
    failedOwner: status === 'FAILED' ? owner : undefined,
    errorKey: status === 'FAILED' ? failureToItem({ ...record, dismissed }) : undefined,
    dueKey: dueKeyOf({ jobId, due }),
    expiresAt: isTerminal(status) ? seconds(latest + retentionMs) : undefined,
  };
}

export function rowFromItem(item: Item): Row {
  const {
    owner: _owner,
    failedOwner: _failed,
    errorKey,
    dueKey: _dueKey,
    expiresAt: _expiresAt,
    record,
    ...own
  } = item;
  const { dismissed } = failureFromItem(errorKey);
  return { ...own, ...(dismissed && { dismissed }), ...(fromJson(record) as object) } as unknown as Row;
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
