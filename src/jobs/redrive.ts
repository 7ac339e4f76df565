// Redrive: runs dead letters (failed executions) again, each with fresh attempts.
import { forEachLimit } from '../concurrency/map-limit.ts';
import { Conflict, NotFound, QuotaExceeded } from '../domain/errors.ts';
import { dueBound, executionId, parseExecutionId } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Principal } from '../domain/principal.ts';
import type { Context } from '../scheduling/context.ts';
import type { FailedKey } from '../store/store.ts';
import { requireJob, requireOwner } from './access.ts';
import { refuseCancelled } from './job-state.ts';
import { type AdmitStarts, retryExecution } from './manual-runs.ts';

/** Each retry makes about five calls to the store and the queue. */
const MAX_CONCURRENT = 16;
/** Failed executions per read of the index. */
const PAGE = 50;

/** Throws NotFound unless every execution exists. Executions that are not failed, or no longer failed, stay as they are. */
export async function redriveByIds(
  context: Context,
  who: Principal,
  ids: readonly string[],
  admit?: AdmitStarts,
): Promise<{ redriven: number }> {
  return { redriven: await redrive(context, who, await requireRows(context, who, ids), admit) };
}

/** The rows of these executions. Throws NotFound unless every one exists and the caller may access it. */
export async function requireRows(context: Context, who: Principal, ids: readonly string[]): Promise<Row[]> {
  const keys = [...new Set(ids)].map((id) => {
    const key = parseExecutionId(id);
    if (!key) throw new NotFound('execution', id);
    return key;
  });
  for (const jobId of new Set(keys.map((key) => key.jobId))) {
    await requireJob(context, who, jobId).catch((error: unknown) => {
      const first = keys.find((key) => key.jobId === jobId);
      throw error instanceof NotFound && first
        ? new NotFound('execution', executionId(jobId, first.due))
        : error;
    });
  }
  const rows = await context.store.readRows(keys, { consistent: true });
  const found = new Set(rows.map(({ jobId, due }) => executionId(jobId, due)));
  for (const { jobId, due } of keys) {
    const id = executionId(jobId, due);
    if (!found.has(id)) throw new NotFound('execution', id);
  }
  return rows;
}

/**
 * Redrives at most `maxRedriven` failed executions of a job that are due in the range, newest first. If a limit of the owner is
 * reached on the way, fewer are redriven.
 */
export async function redriveOfJob(
  context: Context,
  who: Principal,
  query: { readonly jobId: string; readonly from?: number; readonly to?: number },
  maxRedriven: number,
  admit?: AdmitStarts,
): Promise<{ redriven: number }> {
  const head = await requireJob(context, who, query.jobId);
  refuseCancelled(head);
  const matches = ({ jobId }: FailedKey) => jobId === query.jobId;
  return redriveMatching(context, who, head.userId, { ...query, maxRedriven, matches, admit });
}

/**
 * Redrives at most `maxRedriven` dead letters with this error key that are due in the range. They are those of the caller, newest
 * first. For an operator without `owner` they are those of all users, in no order.
 */
export async function redriveOfError(
  context: Context,
  who: Principal,
  query: { readonly errorKey: string; readonly owner?: string; readonly from?: number; readonly to?: number },
  maxRedriven: number,
  admit?: AdmitStarts,
): Promise<{ redriven: number }> {
  const owner = requireOwner(who, query.owner);
  const isOfAll = who.operator && query.owner === undefined;
  const matches = ({ errorKey }: FailedKey) => errorKey === query.errorKey;
  return redriveMatching(context, who, isOfAll ? undefined : owner, {
    ...{ ...query, maxRedriven, matches, admit },
  });
}

interface Selection {
  readonly from?: number;
  readonly to?: number;
  readonly maxRedriven: number;
  readonly admit: AdmitStarts | undefined;
  matches(key: FailedKey): boolean;
}

async function redriveMatching(
  context: Context,
  who: Principal,
  userId: string | undefined,
  { maxRedriven, admit, matches, ...query }: Selection,
): Promise<{ redriven: number }> {
  const { store } = context;
  const range = {
    from: dueBound(query.from ?? 0),
    ...(query.to !== undefined && { to: dueBound(query.to) }),
  };
  const isMeant = (key: FailedKey): boolean =>
    !key.dismissed && matches(key) && key.due >= range.from && (range.to === undefined || key.due < range.to);
  let redriven = 0;
  let refused: QuotaExceeded | undefined;
  let cursor: string | undefined;
  do {
    const asked = { limit: Math.min(PAGE, maxRedriven - redriven), cursor };
    const page = await (userId === undefined
      ? store.listAllFailedKeys(asked)
      : store.listFailedKeys(userId, { ...range, ...asked }));
    const rows = await store.readRows(page.items.filter(isMeant), { consistent: true });
    for (const own of Map.groupBy(rows, (row) => row.userId).values()) {
      try {
        redriven += await redrive(context, who, own, admit);
      } catch (error) {
        if (!(error instanceof QuotaExceeded)) throw error;
        refused = error;
      }
    }
    cursor = page.next;
  } while (cursor && redriven < maxRedriven && !(refused && userId !== undefined));
  if (refused && redriven === 0) throw refused;
  return { redriven };
}

async function redrive(
  context: Context,
  who: Principal,
  rows: readonly Row[],
  admit: AdmitStarts | undefined,
): Promise<number> {
  let redriven = 0;
  const failed = rows.filter(({ status }) => status === 'FAILED');
  for (const [userId, own] of Map.groupBy(failed, (row) => row.userId)) await admit?.(userId, own.length);
  await forEachLimit(failed, MAX_CONCURRENT, async ({ jobId, due }) => {
    try {
      await retryExecution(context, who, executionId(jobId, due));
      redriven++;
    } catch (error) {
      // another request has retried it, or the job was cancelled
      if (!(error instanceof Conflict)) throw error;
    }
  });
  return redriven;
}
