// Backfill: counts the past occurrences of a range without a row, and begins a background operation that runs them.

import { fingerprint } from '../domain/digest.ts';
import { InvalidInput } from '../domain/errors.ts';
import { type DueKey, dueAtOf, dueKey } from '../domain/executions/ids.ts';
import { MAX_BACKFILLED } from '../domain/jobs/background-operation.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Principal } from '../domain/principal.ts';
import type { Context } from '../scheduling/context.ts';
import { keepJobFor } from '../scheduling/records/keep-job.ts';
import { occurrencesInParts } from '../scheduling/searches.ts';
import { requireJob } from './access.ts';
import { refuseCancelled } from './job-state.ts';
import type { AdmitStarts } from './manual-runs.ts';
import { beginOperation } from './operations/operation-requests.ts';

/** Runs the past occurrences from `from` (inclusive) to `to` (exclusive) that have no row. */
export async function backfill(
  context: Context,
  who: Principal,
  jobId: string,
  range: { readonly from: number; readonly to: number },
  admit?: AdmitStarts,
): Promise<{ planned: number; operation: string }> {
  const head = await requireJob(context, who, jobId);
  refuseCancelled(head);
  const to = Math.min(range.to, context.clock.now());
  const dues = await withoutRow(context, head, await occurrencesIn(context, head, range.from, to));
  await admit?.(head.userId, dues.length);
  if (dues.length > 0) await keepJobFor(context, head, context.clock.now());
  const [first, last] = [dues[0], dues.at(-1)];
  const params = {
    jobId,
    from: first ?? dueKey(0),
    to: last === undefined ? dueKey(0) : dueKey(dueAtOf(last) + 1),
    schedule: fingerprint(head.schedule),
  };
  const { id } = await beginOperation(context, {
    kind: 'backfill',
    params,
    userId: who.userId,
    total: dues.length,
  });
  return { planned: dues.length, operation: id };
}

async function occurrencesIn(
  context: Context,
  { schedule }: Head,
  from: number,
  to: number,
): Promise<DueKey[]> {
  const dues: DueKey[] = [];
  for await (const due of occurrencesInParts(context, schedule, Math.max(from, 0) - 1, to - 1)) {
    if (dues.length === MAX_BACKFILLED) {
      throw new InvalidInput([
        {
          path: 'to',
          message: `must leave at most ${MAX_BACKFILLED} occurrences between from and to; split the range`,
        },
      ]);
    }
    dues.push(dueKey(due));
  }
  return dues;
}

/** A row may be large, and all rows of a read are in memory at once. */
const ROWS_AT_ONCE = 50;

/** Consistent reads: 1 RRU per 4 KB of rows in the range. */
async function withoutRow({ store }: Context, head: Head, dues: readonly DueKey[]): Promise<DueKey[]> {
  const [first, last] = [dues[0], dues.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { jobId } = head;
  const known = new Set<DueKey>();
  const range = { from: first, to: dueKey(dueAtOf(last) + 1), newestFirst: false, consistent: true };
  let cursor: string | undefined;
  do {
    const page = await store.listRows(jobId, { ...range, limit: ROWS_AT_ONCE, cursor });
    for (const { due } of page.items) known.add(due);
    cursor = page.next;
  } while (cursor !== undefined);
  return dues.filter((due) => !known.has(due));
}
