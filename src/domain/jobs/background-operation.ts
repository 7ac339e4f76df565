// A background operation: work that takes longer than a request. A process holds its lease and carries it out in steps.
import { z } from 'zod';
import type { DueKey } from '../executions/ids.ts';
import { isoTime, JOB_STATUSES } from '../views/resource-schemas.ts';
import { BULK_ACTIONS, type BulkParams } from './bulk-change.ts';

export const OPERATION_STATUSES = ['pending', 'running', 'done', 'stopped', 'failed'] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];
export const OPERATION_KINDS = ['backfill', 'bulk', 'erasure'] as const;

const refusalShape = z.strictObject({
  id: z.string().describe('id of the execution, or of the job of a bulk operation'),
  reason: z.string(),
});

/** An execution that the operation could not start, or a job that it could not change. The operation continues with the others. */
export type Refusal = z.infer<typeof refusalShape>;

/** Maximum number of occurrences in the range of one backfill. Occurrences that have a row count too. */
export const MAX_BACKFILLED = 1000;

/** Maximum number of refusals that a bulk operation lists. The item is written in every step and billed by its size. */
export const MAX_BULK_REFUSALS = 100;

/** A backfill runs the occurrences with `from` ≤ due < `to` that have no row. */
export interface BackfillParams {
  readonly jobId: string;
  readonly from: DueKey;
  readonly to: DueKey;
  /** Fingerprint of the schedule at the request. If the job's schedule changes, the backfill stops. */
  readonly schedule: string;
}

interface OperationState {
  readonly id: string;
  /** The user who requested it. */
  readonly userId: string;
  readonly status: OperationStatus;
  /** Set if the status is `stopped` or `failed`. */
  readonly reason?: string;
  readonly done: number;
  readonly total: number;
  /** The first refusals, up to the maximum of the kind. */
  readonly refused: readonly Refusal[];
  /** The number of all refusals. Absent if `refused` has all of them. */
  readonly refusedCount?: number;
  /** True while a bulk operation counts its jobs, and until the end of an erasure. Then `total` grows. */
  readonly counting?: true;
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

export interface BackfillOperation extends OperationState {
  readonly kind: 'backfill';
  readonly params: BackfillParams;
}

export interface BulkOperation extends OperationState {
  readonly kind: 'bulk';
  readonly params: BulkParams;
}

/** An erasure removes everything of an owner. */
export interface ErasureOperation extends OperationState {
  readonly kind: 'erasure';
  readonly params: {
    readonly owner: string;
    /** Absent if the owner asked without being an operator. Then the limits of the owner stay. */
    readonly byOperator?: true;
  };
}

export type Operation = BackfillOperation | BulkOperation | ErasureOperation;

export const refusalsOf = ({ refused, refusedCount = refused.length }: Operation): number => refusedCount;

/** An entry of the list of open operations. */
export type OpenOperation = Pick<OperationState, 'id' | 'createdAt' | 'userId'>;

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
    jobId: z.string().optional().describe('backfill: id of the job'),
    action: z.enum(BULK_ACTIONS).optional().describe('bulk: what is done to each job'),
    owner: z
      .string()
      .optional()
      .describe('bulk: user id of the owner of the jobs; erasure: that of the owner who is erased'),
    filter: z
      .strictObject({
        status: z.enum(JOB_STATUSES).optional(),
        task: z.string().optional(),
        name: z.string().optional(),
        namespace: z.string().optional(),
        tag: z.string().optional(),
      })
      .optional()
      .describe('bulk: the filter of the request'),
    note: z.string().optional().describe('bulk: the reason, recorded with each change'),
    until: isoTime.optional().describe('bulk: end of the pause'),
    status: z
      .enum(OPERATION_STATUSES)
      .describe(
        '`stopped`: on request, or because it can no longer be done (`reason`). `failed`: not completed within a day',
      ),
    reason: z.string().optional().describe('reason for the status `stopped` or `failed`'),
    done: z
      .int()
      .min(0)
      .describe(
        'number of occurrences or jobs processed so far; may lag by one step while the operation runs',
      ),
    total: z.int().min(0),
    counting: z
      .literal(true)
      .optional()
      .describe(
        'bulk: the matching jobs are still being counted, and `total` grows; erasure: `total` counts the erased jobs',
      ),
    refused: z
      .array(refusalShape)
      .describe(
        `executions that could not be started, or jobs that could not be changed, with the reason; of a bulk operation the first ${MAX_BULK_REFUSALS}`,
      ),
    refusedCount: z.int().min(0).describe('number of all refusals'),
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
        refusedCount: 0,
        createdAt: '2026-11-17T09:12:44.120Z',
        updatedAt: '2026-11-17T09:12:58.004Z',
      },
    ],
  });

export type OperationView = z.infer<typeof operationShape>;

/** The fields of the view that depend on the kind. */
function subjectOf(operation: Operation) {
  if (operation.kind === 'backfill') return { jobId: operation.params.jobId };
  if (operation.kind === 'erasure') return { owner: operation.params.owner };
  const { action, owner, filter, note, until } = operation.params;
  const { tag, ...others } = filter;
  return {
    ...{ action, owner, filter: { ...others, ...(tag && { tag: `${tag.key}:${tag.value}` }) } },
    ...(note !== undefined && { note }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  };
}

export const operationView = (operation: Operation): OperationView => {
  const { id, kind, status, reason, done, total, counting, refused, createdAt, updatedAt } = operation;
  return {
    ...{ id, kind, ...subjectOf(operation), status, done, total },
    ...{ refused: [...refused], refusedCount: refusalsOf(operation) },
    ...(counting && { counting }),
    ...(reason !== undefined && { reason }),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
};
