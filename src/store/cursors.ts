// Page cursors. A cursor is the sort key of the last item of a page, so items that are added later do not shift the next page.

import { InvalidInput } from '../domain/errors.ts';
import { type DueKey, dueKey } from '../domain/executions/ids.ts';
import type { ChangeKey } from '../domain/jobs/change.ts';

export const encodeCursor = (sortKey: string): string => Buffer.from(sortKey).toString('base64url');

/** Throws InvalidInput if the cursor does not match `shape`. Callers of the API may send any text. */
export function decodeCursor(cursor: string | undefined, shape: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const sortKey = Buffer.from(cursor, 'base64url').toString();
  if (!shape.test(sortKey)) throw invalidCursor();
  return sortKey;
}

export const invalidCursor = (): InvalidInput =>
  new InvalidInput([{ path: 'cursor', message: 'is not a cursor of this list' }]);

/** `<due or created>#<jobId>`: lists of a user's jobs and rows. The due key of a run-now has a suffix. */
export const TIME_AND_JOB = /^\d{13}(-\w+)?#[^#]+$/;
/** `<due>#<jobId>@<owner>`: the list of all users' failed rows. */
export const FAILED_AND_OWNER = /^\d{13}(-\w+)?#[^#@]+@.+$/s;
/** `<created>#<jobId>@<owner>`: the list of all users' jobs on DynamoDB. */
export const CREATED_AND_OWNER = FAILED_AND_OWNER;
/** `<jobId>`: the same list in the other stores. */
export const JOB = /^[^#@]+$/;
/** `<due>`: the list of one job's rows. */
export const DUE = /^\d{13}(-\w+)?$/;

/** The cursor after this job in a list of jobs. */
export const headCursor = (head: { createdAt: number; jobId: string }): string =>
  encodeCursor(`${dueKey(head.createdAt)}#${head.jobId}`);
/** The cursor before all jobs that were created at this time or earlier. */
export const createdUntilCursor = (time: number): string => headCursor({ createdAt: time + 1, jobId: '0' });
/** The job whose `headCursor` this is. */
export const jobOfCursor = (cursor: string): string =>
  (decodeCursor(cursor, TIME_AND_JOB) ?? '').split('#')[1] ?? '';
/** The cursor after this row in a list of one job's rows. */
export const rowCursor = (row: { due: DueKey }): string => encodeCursor(row.due);
/** The cursor after this row in a list of a user's rows. */
export const userRowCursor = (key: { jobId: string; due: DueKey }): string =>
  encodeCursor(`${key.due}#${key.jobId}`);
/** The cursor after this row in the list of all users' failed rows. `owner`: the user, or the user's index partition. */
export const failedRowCursor = (key: { jobId: string; due: DueKey }, owner: string): string =>
  encodeCursor(`${key.due}#${key.jobId}@${owner}`);
/** The cursor before the newest row of a job. */
export const BEFORE_ALL_ROWS = encodeCursor('9999999999999');

/** The cursor of a list of changes that continues with this one. */
export const changeCursor = ({ version, at }: ChangeKey): string => encodeCursor(`${version}#${at}`);
export function changeOfCursor(cursor: string): ChangeKey {
  const [version, at] = (decodeCursor(cursor, /^\d{1,15}#\d{1,15}$/) ?? '').split('#');
  return { version: Number(version), at: Number(at) };
}
