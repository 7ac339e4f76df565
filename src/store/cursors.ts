// Page cursors: the sort key of the last item seen, so that a page goes on at the same place whatever was added.

import { InvalidInput } from '../domain/errors.ts';
import { type DueKey, dueKey } from '../domain/executions/ids.ts';
import type { ChangeKey } from '../domain/jobs/change.ts';

export const encodeCursor = (sortKey: string): string => Buffer.from(sortKey).toString('base64url');

/** Cursors come back from outside: what does not look like one of ours is the caller's error. */
export function decodeCursor(cursor: string | undefined, shape: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const sortKey = Buffer.from(cursor, 'base64url').toString();
  if (!shape.test(sortKey)) {
    throw new InvalidInput([{ path: 'cursor', message: 'is not a cursor of this list' }]);
  }
  return sortKey;
}

/** `<13 digits of time, maybe with a run-now's suffix>#<jobId>`, of both lists over a user's jobs. */
export const TIME_AND_JOB = /^\d{13}(-\w+)?#[^#]+$/;
/** Of the list over all users' failed rows. */
export const FAILED_AND_OWNER = /^\d{13}(-\w+)?#[^#@]+@.+$/s;
/** Of the list over one job's rows. */
export const DUE = /^\d{13}(-\w+)?$/;

/** Where a list of jobs goes on after this one. */
export const headCursor = (head: { createdAt: number; jobId: string }): string =>
  encodeCursor(`${dueKey(head.createdAt)}#${head.jobId}`);
/** Where a list of one job's rows goes on after this one. */
export const rowCursor = (row: { due: DueKey }): string => encodeCursor(row.due);
/** Where a list of rows over a user's jobs goes on after this one. */
export const userRowCursor = (key: { jobId: string; due: DueKey }): string =>
  encodeCursor(`${key.due}#${key.jobId}`);
/** Where the list of all users' failed rows goes on after this one. `owner`: the user, or the user's index partition. */
export const failedRowCursor = (key: { jobId: string; due: DueKey }, owner: string): string =>
  encodeCursor(`${key.due}#${key.jobId}@${owner}`);
/** Where a list of one job's rows, newest first, begins. */
export const BEFORE_ALL_ROWS = encodeCursor('9999999999999');

/** Where a list of a job's changes goes on: at this one. */
export const changeCursor = ({ version, at }: ChangeKey): string => encodeCursor(`${version}#${at}`);
export function changeOfCursor(cursor: string): ChangeKey {
  const [version, at] = (decodeCursor(cursor, /^\d{1,15}#\d{1,15}$/) ?? '').split('#');
  return { version: Number(version), at: Number(at) };
}
