// Begins a bulk change of jobs, or counts the jobs that it would change.
import type { BulkAction, BulkParams } from '../domain/jobs/bulk-change.ts';
import type { JobFilter } from '../domain/jobs/job-filter.ts';
import type { Principal } from '../domain/principal.ts';
import type { Context } from '../scheduling/context.ts';
import { createdUntilCursor } from '../store/cursors.ts';
import { requireOwner } from './access.ts';
import { bytesOfRecord, type TakeBytes } from './change-records.ts';
import { changeAll, countFrom, countSelected } from './operations/bulk-steps.ts';
import { timeSlice } from './operations/carry-out.ts';
import { beginOperation } from './operations/operation-requests.ts';
import { requireFuture } from './pause-job.ts';

/** A request counts for this long. If more jobs are left, the operation counts them. */
const COUNT_MS = 3_000;

export interface BulkRequest {
  readonly action: BulkAction;
  readonly filter: JobFilter & { readonly owner?: string | undefined };
  readonly note?: string | undefined;
  readonly until?: number | undefined;
}

export interface Matched {
  /** The number of selected jobs that were found. */
  readonly matched: number;
  /** True if not all jobs were examined. */
  readonly counting?: true;
}

/** Counts the jobs that the request would change. Nothing is written. */
export async function countBulk(context: Context, who: Principal, request: BulkRequest): Promise<Matched> {
  return (await count(context, paramsOf(context, who, request))).matched;
}

/** Begins the operation. The operation is stored before the call returns. */
export async function beginBulk(
  context: Context,
  who: Principal,
  request: BulkRequest,
  takeBytes?: TakeBytes,
): Promise<Matched & { operation: string }> {
  const params = paramsOf(context, who, request);
  const { matched, next } = await count(context, params);
  const bytes = matched.matched * bytesOfRecord(params.note);
  if (params.action === 'resume') await takeBytes?.(params.owner, 2 * bytes);
  if (params.action === 'pause' && params.until !== undefined) await takeBytes?.(params.owner, bytes);
  const { id } = await beginOperation(context, {
    ...{ kind: 'bulk', params, userId: who.userId, total: matched.matched, next },
    ...(matched.counting && { counting: true }),
  });
  return { operation: id, ...matched };
}

function paramsOf({ clock }: Context, who: Principal, request: BulkRequest): BulkParams {
  const { action, note, until } = request;
  const { owner, ...filter } = request.filter;
  const now = clock.now();
  requireFuture(until, now);
  return {
    ...{ action, owner: requireOwner(who, owner), filter, requestedAt: now },
    ...(note !== undefined && { note }),
    ...(until !== undefined && { until }),
  };
}

async function count(context: Context, params: BulkParams): Promise<{ matched: Matched; next: string }> {
  const mayGoOn = timeSlice(context, COUNT_MS, () => true);
  const start = createdUntilCursor(params.requestedAt);
  const { counted, cursor } = await countSelected(context, params, start, mayGoOn);
  return cursor === undefined
    ? { matched: { matched: counted }, next: changeAll(params) }
    : { matched: { matched: counted, counting: true }, next: countFrom(cursor) };
}
