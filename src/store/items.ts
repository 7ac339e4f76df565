// How the domain's things are laid out as items. What is undefined or empty is not stored. What users and tasks hand in
// (params, results, checkpoints) is stored as JSON text: DynamoDB's own maps refuse 1e300, 2**60 and depths beyond 32.

import { isTerminal, type Row } from '../domain/execution.ts';
import { dueAtOf } from '../domain/ids.ts';
import type { Definition, Head, HoldItem } from '../domain/job.ts';
import type { Item } from './database.ts';
import { ownerOf } from './merge.ts';
import type { HeadSummary } from './store.ts';

const DAY_MS = 86_400_000;
const HOLD_KEPT_DAYS = 30;

/** TTL attributes are epoch seconds. */
export const seconds = (ms: number): number => Math.ceil(ms / 1000);

export const HEAD = 'head';
export const definitionPart = (version: number): string => `def#${version}`;
export const holdPart = (due: string): string => `hold#${due}`;

export const createdKey = (head: { createdAt: number; jobId: string }): string =>
  `${String(head.createdAt).padStart(13, '0')}#${head.jobId}`;
export const dueKeyOf = (row: { due: string; jobId: string }): string => `${row.due}#${row.jobId}`;

export function headToItem(head: Head): Item {
  return {
    ...head,
    tags: nonEmpty(head.tags),
    part: HEAD,
    owner: ownerOf(head.userId, head.jobId),
    createdKey: createdKey(head),
  };
}

/** The same for a head and for what the index has of it. */
export function headFromItem<T extends Head | HeadSummary>(item: Item): T {
  const { part: _part, owner: _owner, createdKey: _createdKey, ...head } = item;
  return { ...head, tags: head.tags ?? {} } as unknown as T;
}

/** An empty map is as good as none. */
export const nonEmpty = <T extends object>(map: T | undefined): T | undefined =>
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

/** Holds go by TTL, long after anybody can ask for them. */
export const holdExpiresAt = (leaseUntil: number): number => seconds(leaseUntil + HOLD_KEPT_DAYS * DAY_MS);

export const holdItemToItem = ({ jobId, due, stamp, hold }: HoldItem): Item => ({
  jobId,
  part: holdPart(due),
  stamp,
  hold,
  expiresAt: holdExpiresAt(hold.leaseUntil),
});

export const holdItemFromItem = (item: Item): HoldItem => ({
  jobId: String(item.jobId),
  due: String(item.part).slice(holdPart('').length),
  stamp: String(item.stamp),
  hold: item.hold as HoldItem['hold'],
});

/** Only a terminal row expires: an open one is still needed, however old its due time (backfill). */
export function rowToItem(row: Row, retentionMs: number): Item {
  const owner = ownerOf(row.userId, row.jobId);
  const latest = Math.max(dueAtOf(row.due), row.finishedAt ?? 0, row.startedAt ?? 0, row.enqueuedAt ?? 0);
  return {
    ...row,
    result: toJson(row.result),
    checkpoint: toJson(row.checkpoint),
    owner,
    failedOwner: row.status === 'FAILED' ? owner : undefined,
    dueKey: dueKeyOf(row),
    expiresAt: isTerminal(row.status) ? seconds(latest + retentionMs) : undefined,
  };
}

export function rowFromItem(item: Item): Row {
  const {
    owner: _owner,
    failedOwner: _failedOwner,
    dueKey: _dueKey,
    expiresAt: _expiresAt,
    result,
    checkpoint,
    ...row
  } = item;
  return {
    ...row,
    ...(result !== undefined && { result: fromJson(result) }),
    ...(checkpoint !== undefined && { checkpoint: fromJson(checkpoint) }),
  } as unknown as Row;
}

const toJson = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);
const fromJson = (text: unknown): unknown => (text === undefined ? undefined : JSON.parse(String(text)));
