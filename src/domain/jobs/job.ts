// A job: what is stored of it in the present (its head) and its definition.
import type { DueKey } from '../executions/ids.ts';
import type { Schedule } from '../schedule/schedule-schema.ts';
import type { JobStatus } from '../views/resource-schemas.ts';
import type { Notifies } from './notify-events.ts';
import type { Policies } from './policies.ts';

/**
 * Which stored status may follow which. `absent`: the job does not exist. A job that has ended can only be cancelled.
 * `active` follows itself when a pause with an end begins, and when it is resumed before that end.
 */
export const JOB_TRANSITIONS: Readonly<Record<'absent' | JobStatus, readonly JobStatus[]>> = {
  absent: ['active'],
  active: ['active', 'paused', 'completed', 'failed', 'cancelled'],
  paused: ['active', 'cancelled'],
  completed: ['cancelled'],
  failed: ['cancelled'],
  cancelled: [],
};

export const mayBecome = (from: JobStatus | undefined, to: JobStatus): boolean =>
  JOB_TRANSITIONS[from ?? 'absent'].includes(to);

/** The right to run now. Only the holder runs. */
export interface Hold {
  readonly due: DueKey;
  /** Of the message that led to the take: the schedule's revision, or MANUAL. */
  readonly revision: string;
  /** The stamp of the write that took it: the stamp moves on, the token stays. */
  readonly token: string;
  /** Counts the takes of this job: the fencing number that a task hands on to what it writes to. */
  readonly number: number;
  /**
   * How many attempts may have started when this was written. A first attempt starts without a row, so its take counts it.
   * Every other attempt writes the row before it starts, and that row counts it.
   */
  readonly attempt: number;
  readonly leaseUntil: number;
  readonly workerId: string;
  /** The start of the embedded server that wrote the hold. Absent on AWS. */
  readonly boot?: string;
  readonly startedAt: number;
  readonly cancelRequested: boolean;
  /** Its schedule was withdrawn when it may not have started yet: who takes over does not start it. */
  readonly withdrawn?: true;
}

/** The last decision about an execution that nobody holds; its row follows (docs/protocol.md#note). */
export interface Note {
  readonly due: DueKey;
  readonly status: 'SKIPPED' | 'WAITING' | 'CANCELLED' | 'QUEUED';
  readonly reason: string;
  readonly revision: string;
  readonly at: number;
}

/** Under 1 KB, because an update bills the whole item. */
export interface Head extends Policies {
  readonly jobId: string;
  readonly userId: string;
  readonly name?: string;
  readonly task: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly status: JobStatus;
  readonly schedule: Schedule;
  /**
   * A pause that ends by itself: nothing is planned before this instant (epoch milliseconds). The job is active, and its
   * status is shown as `paused` until then. A pause without an end is the status `paused`.
   */
  readonly pausedUntil?: number;
  /** Fresh for every create, schedule edit and resume; an entry counts only while its revision is the job's. */
  readonly revision: string;
  /** Names the definition item; also the ETag. Raised by every edit, pause, resume and cancel. */
  readonly version: number;
  /** The version whose definition (params, notify) is in force. */
  readonly definition: number;
  /** The definition itself, where it has no item of its own. */
  readonly inline?: Pick<Definition, 'params' | 'notify'>;
  readonly createdAt: number;
  /** Together with `version` it names the record of the last change. */
  readonly updatedAt: number;
  /** When a person last changed it, one version before, if the job has ended by itself since. */
  readonly changedAt?: number;
  /** What people are told of; to whom is in the definition. */
  readonly notifies?: Notifies;
  /** Of the create request's body, when it came with an idempotency key. */
  readonly bodyFingerprint?: string;
  /** Random, fresh in every write of the head: what every write is conditional on. */
  readonly stamp: string;
  readonly hold?: Hold;
  /** No regular row exists for a later due: a claim of a later due reads no row. */
  readonly rowsUntil?: DueKey;
  readonly note?: Note;
  /** Misfire `runOnce`: the run that set this time stands for all occurrences that fired up to it. */
  readonly coveredUntil?: DueKey;
}

/** What the head can change to; jobId, userId and createdAt never change. */
export type HeadChange = Partial<Omit<Head, 'jobId' | 'userId' | 'createdAt' | 'stamp'>> & {
  readonly stamp: string;
};

/** What a run needs and planning does not: kept apart so that the head stays small. Immutable per version. */
export interface Definition {
  readonly jobId: string;
  readonly version: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly notify: readonly unknown[];
}

/** With `overlap: allow` each execution has a hold item of its own (docs/protocol.md#overlap-allow). */
export interface HoldItem {
  readonly jobId: string;
  readonly due: DueKey;
  readonly stamp: string;
  readonly hold: Hold;
}
