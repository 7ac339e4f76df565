// The row of an execution in the ledger, its states and their transitions.

import type { Notifies } from '../jobs/notify-events.ts';
import type { DueKey } from './ids.ts';
import type { Progress } from './progress.ts';

export const OPEN = ['QUEUED', 'RUNNING', 'RETRYING'] as const;
export const TERMINAL = ['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED'] as const;
export type OpenStatus = (typeof OPEN)[number];
export type TerminalStatus = (typeof TERMINAL)[number];
export type RowStatus = OpenStatus | TerminalStatus;

/**
 * The states that may follow each state. `absent` means no row. QUEUED follows itself when the wait begins. RUNNING goes back to what it was before if its claim does not
 * start. POST …/retry reopens FAILED, SKIPPED and CANCELLED.
 */
export const ROW_TRANSITIONS: Readonly<Record<'absent' | RowStatus, readonly RowStatus[]>> = {
  absent: ['QUEUED', 'RUNNING', 'SKIPPED', 'CANCELLED'],
  QUEUED: ['QUEUED', 'RUNNING', 'SKIPPED', 'CANCELLED'],
  RUNNING: ['QUEUED', 'RETRYING', 'SUCCEEDED', 'FAILED', 'CANCELLED'],
  RETRYING: ['RUNNING', 'CANCELLED'],
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
  /** The fence: the number of the last claim. It grows with every claim of the job. 0 if no worker has claimed the execution. */
  readonly number: number;
  /** RUNNING only: the end of the worker's lease. Epoch milliseconds. */
  readonly leaseUntil?: number;
  /** A random id of the last claim, which tells whether a write with a lost response was its own. */
  readonly claimId?: string;
  /** RUNNING only: the state that the claim found, and that comes back if it does not start. */
  readonly was?: 'QUEUED' | 'RETRYING';
  /** Boot id of the embedded server whose worker claimed the execution last. Absent on AWS. */
  readonly boot?: string;
  /** A cancel was requested. The worker stops the task, or the next claim cancels the execution. */
  readonly cancelRequested?: true;
  /** The last progress that a heartbeat has carried. A new attempt has none. */
  readonly progress?: Progress;
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
  /** When the execution began to wait in the line of its job. Absent if it did not. */
  readonly queuedAt?: number;
  readonly receivedAt?: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** With misfire `runOnce`: its run stands for others that were missed, so it is not skipped. */
  readonly covers?: true;
  /** How long its attempts have run in all. Absent before the end of the first one. */
  readonly ranMs?: number;
  readonly nextAttemptAt?: number;
  readonly result?: unknown;
  readonly error?: RunError;
  readonly reason?: string;
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
  readonly number: number;
  /** The lease of a RUNNING row that is lost. Undefined if the lease does not matter. */
  readonly leaseUntil?: number | undefined;
}
