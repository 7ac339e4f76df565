// A background operation: work that takes longer than a request. A process holds its lease and carries it out in steps.
import { z } from 'zod';
import type { DueKey } from '../executions/ids.ts';
import { isoTime } from '../views/resource-schemas.ts';

export const OPERATION_STATUSES = ['pending', 'running', 'done', 'stopped', 'failed'] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];
export const OPERATION_KINDS = ['backfill'] as const;

const refusalShape = z.strictObject({ id: z.string().describe('id of the execution'), reason: z.string() });

/** An execution that the operation could not start. The operation continues with the others. */
export type Refusal = z.infer<typeof refusalShape>;

/** Maximum number of occurrences in the range of one backfill. Occurrences that have a row count too. */
export const MAX_BACKFILLED = 1000;

/** A backfill runs the occurrences with `from` ≤ due < `to` that have no row. */
export interface BackfillParams {
  readonly jobId: string;
  readonly from: DueKey;
  readonly to: DueKey;
  /** Fingerprint of the schedule at the request. If the job's schedule changes, the backfill stops. */
  readonly schedule: string;
}

export interface Operation {
  readonly id: string;
  readonly kind: (typeof OPERATION_KINDS)[number];
  readonly params: BackfillParams;
  /** The user who requested it. */
  readonly userId: string;
  readonly status: OperationStatus;
  /** Set if the status is `stopped` or `failed`. */
  readonly reason?: string;
  readonly done: number;
  readonly total: number;
  readonly refused: readonly Refusal[];
  /** The position at which the next step begins. Absent before the first step. */
  readonly next?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** A random value, fresh in every write. Every write is conditional on it. */
  readonly stamp: string;
  /** The end of the lease of `holder`. After a stop, the holder may finish its step until then. 0 without a lease. */
  readonly leaseUntil: number;
  /** Random id of the last process that acquired the lease. Absent if no process has. */
  readonly holder?: string;
}

/** An entry of the list of open operations. */
export type OpenOperation = Pick<Operation, 'id' | 'createdAt' | 'userId'>;

/** Retention of ended operations. */
const KEPT_DAYS = 7;

export const isOpen = ({ status }: Pick<Operation, 'status'>): boolean =>
  status === 'pending' || status === 'running';

/** Retention of open operations. They end within a day of their creation, unless every process is down. */
const OPEN_KEPT_DAYS = 30;

/** The time, in epoch seconds, after which the store may delete the operation. */
export const operationExpiresAt = (operation: Operation): number =>
  Math.ceil(operation.updatedAt / 1000) + (isOpen(operation) ? OPEN_KEPT_DAYS : KEPT_DAYS) * 86_400;

export const operationShape = z
  .strictObject({
    id: z.string(),
    kind: z.enum(OPERATION_KINDS),
    jobId: z.string().describe('id of the job that is backfilled'),
    status: z
      .enum(OPERATION_STATUSES)
      .describe(
        '`stopped`: on request, or because the job was cancelled or its schedule was edited. `failed`: not completed within a day',
      ),
    reason: z.string().optional().describe('reason for the status `stopped` or `failed`'),
    done: z
      .int()
      .min(0)
      .describe('number of occurrences processed so far; may lag by a few while the operation runs'),
    total: z.int().min(0),
    refused: z.array(refusalShape).describe('executions that could not be started, with the reason'),
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
