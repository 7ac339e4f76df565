// A background operation: something that takes longer than a request, carried out in steps.
import { z } from 'zod';
import type { DueKey } from '../executions/ids.ts';
import { isoTime } from '../views/resource-schemas.ts';

export const OPERATION_STATUSES = ['pending', 'running', 'done', 'stopped', 'failed'] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];
export const OPERATION_KINDS = ['backfill'] as const;

const refusalShape = z.strictObject({ id: z.string().describe('of the execution'), reason: z.string() });

/** Something that the operation could not do; it goes on with the others. */
export type Refusal = z.infer<typeof refusalShape>;

/** Occurrences in the range of one backfill, those that have a row included. */
export const MAX_BACKFILLED = 1000;

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
  readonly kind: (typeof OPERATION_KINDS)[number];
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
  /** Until then `holder` carries it out, or finishes its step after a stop. 0: no process does. */
  readonly leaseUntil: number;
  /** A random id of the process that took it last. Absent: no process has taken it. */
  readonly holder?: string;
}

/** An operation as the list of those that have not ended has it. */
export type OpenOperation = Pick<Operation, 'id' | 'createdAt' | 'userId'>;

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

export const operationShape = z
  .strictObject({
    id: z.string(),
    kind: z.enum(OPERATION_KINDS),
    jobId: z.string().describe('of the job that is backfilled'),
    status: z
      .enum(OPERATION_STATUSES)
      .describe(
        '`stopped`: by request, or because the job was cancelled or its schedule edited. `failed`: not done within a day',
      ),
    reason: z.string().optional().describe('why it was stopped or has failed'),
    done: z
      .int()
      .min(0)
      .describe('how many of `total` are taken care of; while it runs it may be a few behind'),
    total: z.int().min(0),
    refused: z.array(refusalShape).describe('what could not be done, and why'),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({
    id: 'Operation',
    examples: [
      {
        id: 'op_7Kx0QpLmN2sT9vWz4fGh',
        kind: 'backfill',
        jobId: 'job_4fGh7Kx0QpLmN2sT9vWz',
        status: 'running',
        done: 340,
        total: 1000,
        refused: [],
        createdAt: '2026-11-17T09:12:44.120Z',
        updatedAt: '2026-11-17T09:12:58.004Z',
      },
    ],
  });

export type OperationView = z.infer<typeof operationShape>;

export const operationView = (operation: Operation): OperationView => {
  const { id, kind, params, status, reason, done, total, refused, createdAt, updatedAt } = operation;
  return {
    ...{ id, kind, jobId: params.jobId, status, done, total, refused: [...refused] },
    ...(reason !== undefined && { reason }),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
};
