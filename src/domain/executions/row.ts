// An execution's row in the ledger, its states, and which state may follow which.

import type { Notifies } from '../jobs/notify-events.ts';
import type { DueKey } from './ids.ts';

export const OPEN = ['QUEUED', 'WAITING', 'RUNNING', 'RETRYING'] as const;
export const TERMINAL = ['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED'] as const;
export type OpenStatus = (typeof OPEN)[number];
export type TerminalStatus = (typeof TERMINAL)[number];
export type RowStatus = OpenStatus | TerminalStatus;

/** `absent`: the occurrence has no row. Terminal states other than SUCCEEDED may be reopened by /retry. */
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

export interface Row {
  readonly jobId: string;
  readonly due: DueKey;
  readonly userId: string;
  readonly status: RowStatus;
  /** Token of the last holder that wrote the row; none if it was never held. */
  readonly fence?: string;
  /** Of the schedule that planned it, or MANUAL. */
  readonly revision: string;
  readonly attempt: number;
  readonly maxAttempts: number;
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
  /** A manual run's own, in place of the definition's. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The job's only occurrence: its end completes the job. Spares settle the head of every other row. */
  readonly once?: true;
  /** The head's, so that whoever writes or settles the row need not read the head to know. */
  readonly notifies?: Notifies;
  /** The end that stands here was told, or counted among those told together. */
  readonly told?: true;
}

/** What a write of an existing row is conditional on. */
export interface RowSeen {
  readonly status: RowStatus;
  readonly fence?: string;
}
