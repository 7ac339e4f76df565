// A background operation: something that takes longer than a request, carried out in steps.
import type { DueKey } from './ids.ts';

export const OPERATION_STATUSES = ['pending', 'running', 'done', 'stopped', 'failed'] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** Something that the operation could not do; the others go on. */
export interface Refusal {
  /** Of the execution. */
  readonly id: string;
  readonly reason: string;
}

/** Run the occurrences with `from` ≤ due < `to` that have no row. */
export interface BackfillParams {
  readonly jobId: string;
  readonly from: DueKey;
  readonly to: DueKey;
  /** Fingerprint of the schedule that the range was counted with. */
  readonly schedule: string;
}

export interface Operation {
  readonly id: string;
  readonly kind: 'backfill';
  readonly params: BackfillParams;
  /** Who asked for it. */
  readonly userId: string;
  readonly status: OperationStatus;
  /** Why it was stopped or has failed. */
  readonly reason?: string;
  readonly done: number;
  readonly total: number;
  readonly refused: readonly Refusal[];
  /** Where the next step begins; absent: at the beginning. */
  readonly next?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Random, fresh in every write: what every write is conditional on. */
  readonly stamp: string;
  /** Until then the process that wrote the stamp carries it out; 0: no process does. */
  readonly leaseUntil: number;
}

/** An operation as the list of those that have not ended has it. */
export type OpenOperation = Pick<Operation, 'id' | 'createdAt'>;

/** Ended operations stay readable for this long. */
const KEPT_DAYS = 7;

/** It has not ended. */
export const isOpen = ({ status }: Pick<Operation, 'status'>): boolean =>
  status === 'pending' || status === 'running';

/** An open one is ended within a day of its creation; this is when what nobody ended goes. */
const OPEN_KEPT_DAYS = 30;

/** Epoch seconds after which it may be removed. */
export const operationExpiresAt = (operation: Operation): number =>
  Math.ceil(operation.updatedAt / 1000) + (isOpen(operation) ? OPEN_KEPT_DAYS : KEPT_DAYS) * 86_400;
