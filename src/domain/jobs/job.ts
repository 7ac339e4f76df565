// A job as it is stored: its head, which every decision is a compare-and-set on, and its definition.
import type { DueKey } from '../executions/ids.ts';
import type { Schedule } from '../schedule/schedule-schema.ts';
import type { JobStatus } from '../views/resource-schemas.ts';
import type { Notifies } from './notify-events.ts';
import type { Policies } from './policies.ts';
import type { StoredBytes } from './stored-bytes.ts';

/**
 * Which stored status may follow which. `absent`: the job does not exist. A job with a name may be created as paused. A job
 * that has ended can only be cancelled.
 * `active` follows itself when a pause with an end begins, and when it is resumed before that end.
 */
export const JOB_TRANSITIONS: Readonly<Record<'absent' | JobStatus, readonly JobStatus[]>> = {
  absent: ['active', 'paused'],
  active: ['active', 'paused', 'completed', 'failed', 'cancelled'],
  paused: ['active', 'cancelled'],
  completed: ['cancelled'],
  failed: ['cancelled'],
  cancelled: [],
};

export const mayBecome = (from: JobStatus | undefined, to: JobStatus): boolean =>
  JOB_TRANSITIONS[from ?? 'absent'].includes(to);

/**
 * Which execution of the job may run. It is never released: the lock is free if the row that it names is neither RUNNING nor
 * RETRYING. With `overlap: allow` nothing asks it.
 */
export interface Lock {
  readonly due: DueKey;
  /** The number in the row of that execution when the lock was taken. */
  readonly number: number;
}

/** Whether the job's lock was taken by the claim that has opened this row. */
export const isLockOf = (
  { lock }: Pick<Head, 'lock'>,
  row: { readonly due: DueKey; readonly number: number },
): boolean => lock?.due === row.due && lock.number === row.number;

/** The current state of a job. It stays below 1 KB, because DynamoDB bills the whole item for an update. */
export interface Head extends Policies {
  readonly jobId: string;
  readonly userId: string;
  readonly name?: string;
  /** Set if the job was created by its name (`NamePointer`). */
  readonly namespace?: string;
  /** The version that the last request by name has written. A later version was changed in another way. */
  readonly applied?: number;
  readonly task: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly status: JobStatus;
  readonly schedule: Schedule;
  /**
   * The end of a pause that ends by itself, in epoch milliseconds. No occurrence is planned before it. The stored status is
   * `active`, and the API shows `paused` until then. A pause without an end has the stored status `paused`.
   */
  readonly pausedUntil?: number;
  /** A random id, fresh for every create, schedule edit and resume. Entries of other revisions are ignored. */
  readonly revision: string;
  /** Raised by every edit, pause, resume and cancel, and by the end of a one-time job. Every write of the head is conditional on it. */
  readonly version: number;
  /** The version whose definition (params, notify) is in force. */
  readonly definition: number;
  /** The definition, if it is small enough to need no item of its own. */
  readonly inline?: Pick<Definition, 'params' | 'notify'>;
  /** What is stored of the job (`stored-bytes.ts`). Absent in jobs of earlier versions. */
  readonly bytes?: StoredBytes;
  readonly createdAt: number;
  /** With `version`, the key of the record of the last change. */
  readonly updatedAt: number;
  /** The time of the last change by a user, if the job has ended by itself since. That change is one version older. */
  readonly changedAt?: number;
  /** The events that the job sends notifications for. The targets are in the definition. */
  readonly notifies?: Notifies;
  /** Fingerprint of the create request. Absent without an idempotency key. */
  readonly bodyFingerprint?: string;
  /** Undefined until the first claim. */
  readonly lock?: Lock;
  /** With misfire `runOnce`, the latest occurrence that a run has covered. Earlier occurrences do not run. */
  readonly coveredUntil?: DueKey;
}

/** The fields that a change by a person sets. `jobId`, `userId` and `createdAt` never change. A claim writes the others. */
export type HeadChange = Partial<Omit<Head, 'jobId' | 'userId' | 'createdAt' | 'lock' | 'coveredUntil'>> & {
  readonly version: number;
};

/** The part of a job that only a run needs, separate so that the head stays small. Immutable per version. */
export interface Definition {
  readonly jobId: string;
  readonly version: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly notify: readonly unknown[];
}
