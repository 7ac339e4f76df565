// A job as it is stored: its head, which every decision is a compare-and-set on, and its definition.
import type { DueKey } from '../executions/ids.ts';
import type { Progress } from '../executions/progress.ts';
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

/** The right of one worker to run an execution of the job now. */
export interface Hold {
  readonly due: DueKey;
  /** The revision in the message that led to the take: a schedule's, or MANUAL. */
  readonly revision: string;
  /** The stamp of the write that took the hold. Later writes change the stamp, not the token. */
  readonly token: string;
  /** The number of takes of this job. A task passes it as a fencing number to the systems that it writes to. */
  readonly number: number;
  /**
   * The number of attempts that may have started when the hold was written. A first attempt starts without a row, so its
   * take counts it. Every later attempt writes the row before it starts, and the row counts it.
   */
  readonly attempt: number;
  readonly leaseUntil: number;
  readonly workerId: string;
  /** Boot id of the embedded server that wrote the hold. Absent on AWS. */
  readonly boot?: string;
  readonly startedAt: number;
  readonly cancelRequested: boolean;
  /** The schedule was withdrawn before the execution was known to have started. A takeover does not start it. */
  readonly withdrawn?: true;
  /** The last progress that a heartbeat has carried. A new hold has none. */
  readonly progress?: Progress;
}

/** The last decision about an execution that no worker holds. The row is written after it (docs/protocol.md#note). */
export interface Note {
  readonly due: DueKey;
  readonly status: 'SKIPPED' | 'WAITING' | 'CANCELLED' | 'QUEUED';
  readonly reason: string;
  readonly revision: string;
  readonly at: number;
}

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
  /** Raised by every edit, pause, resume and cancel. It is the ETag, and part of the key of the definition item. */
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
  /** A random value, fresh in every write of the head. Every write is conditional on it. */
  readonly stamp: string;
  readonly hold?: Hold;
  /** No regular row exists for a later due time, so the claim of a later one reads no row. */
  readonly rowsUntil?: DueKey;
  readonly note?: Note;
  /** With misfire `runOnce`, the latest occurrence that a run has covered. Earlier occurrences do not run. */
  readonly coveredUntil?: DueKey;
}

/** The fields that a write of the head sets. `jobId`, `userId` and `createdAt` never change. */
export type HeadChange = Partial<Omit<Head, 'jobId' | 'userId' | 'createdAt' | 'stamp'>> & {
  readonly stamp: string;
};

/** The part of a job that only a run needs, separate so that the head stays small. Immutable per version. */
export interface Definition {
  readonly jobId: string;
  readonly version: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly notify: readonly unknown[];
}

/** The hold of one execution of a job with `overlap: allow` (docs/protocol.md#overlap-allow). */
export interface HoldItem {
  readonly jobId: string;
  readonly due: DueKey;
  readonly stamp: string;
  readonly hold: Hold;
}
