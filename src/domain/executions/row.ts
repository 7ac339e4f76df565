// The row of an execution in the ledger, its states and their transitions.

import type { Notifies } from '../jobs/notify-events.ts';
import type { DueKey } from './ids.ts';

export const OPEN = ['QUEUED', 'WAITING', 'RUNNING', 'RETRYING'] as const;
export const TERMINAL = ['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED'] as const;
export type OpenStatus = (typeof OPEN)[number];
export type TerminalStatus = (typeof TERMINAL)[number];
export type RowStatus = OpenStatus | TerminalStatus;

/** The states that may follow each state. `absent` means no row. POST …/retry reopens FAILED, SKIPPED and CANCELLED. */
export const ROW_TRANSITIONS: Readonly<Record<'absent' | RowStatus, readonly RowStatus[]>> = {
  absent: ['QUEUED', 'WAITING', 'RUNNING', 'RETRYING', 'SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED'],
  QUEUED: ['RUNNING', 'CANCELLED'],
  WAITING: ['RUNNING', 'CANCELLED'],
  RUNNING: ['RUNNING', 'RETRYING', 'SUCCEEDED', 'FAILED', 'CANCELLED'],
  RETRYING: ['RUNNING', 'FAILED', 'CANCELLED'],
  SUCCEEDED: [],
  FAILED: ['QUEUED'],
  SKIPPED: ['QUEUED'],
  CANCELLED: ['QUEUED'],
};

export const mayFollow = (from: RowStatus | undefined, to: RowStatus): boolean =>
  ROW_TRANSITIONS[from ?? 'absent'].includes(to);

export const isTerminal = (status: RowStatus | undefined): status is TerminalStatus =>
  status !== undefined && (TERMINAL as readonly string[]).includes(status);

export interface RunError {
  readonly name: string;
  readonly message: string;
}

/** An attempt that has ended. Times are epoch milliseconds. */
export interface PastAttempt {
  readonly attempt: number;
  readonly workerId: string;
  readonly receivedAt?: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly error?: RunError;
}

export interface Row {
  readonly jobId: string;
  readonly due: DueKey;
  readonly userId: string;
  readonly status: RowStatus;
  /** Token of the last holder that wrote the row. Absent if no worker has held the execution. */
  readonly fence?: string;
  /** Revision of the schedule that planned the execution, or MANUAL. */
  readonly revision: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** The fire time, if it is not the due time: with jitter, or for a backfill. Epoch milliseconds. */
  readonly fireAt?: number;
  /** The operation that reopened or added the execution. Absent if the schedule planned it, or if it is a run-now. */
  readonly trigger?: 'backfill' | 'redrive';
  /** The attempts that have ended before the present one. Absent if there are none. */
  readonly attempts?: readonly PastAttempt[];
  /** The start of the first attempt. Absent if `startedAt` is that start. */
  readonly firstStartedAt?: number;
  readonly workerId?: string;
  readonly enqueuedAt?: number;
  readonly receivedAt?: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly nextAttemptAt?: number;
  readonly result?: unknown;
  readonly error?: RunError;
  readonly reason?: string;
  readonly checkpoint?: unknown;
  /** Params of a manual run that replace those of the definition. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Set for the only occurrence of a one-time job: its end completes the job. Settle reads the head of these rows only. */
  readonly once?: true;
  /** A copy of the head's field. The writer of the row and settle need not read the head. */
  readonly notifies?: Notifies;
  /** A FAILED row that a person has dismissed: it is no dead letter any more. Absent if it is one. */
  readonly dismissed?: true;
  /** The notification of this end was sent, or counted in a summary. */
  readonly told?: true;
}

/** The state that a write of an existing row is conditional on. */
export interface RowSeen {
  readonly status: RowStatus;
  readonly fence?: string;
}
