// Reading jobs and executions, with their status words derived from head, row and schedule.
import { InvalidInput, NotFound } from '../domain/errors.ts';
import { type DueKey, dueBound, dueKey } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Head, Hold } from '../domain/jobs/job.ts';
import type { Principal } from '../domain/principal.ts';
import { isRecurring, nextOccurrence, occurrencesAfter } from '../domain/schedule/occurrences.ts';
import type { ExecutionStatus, ExecutionView, JobStatus, JobView } from '../domain/views/resource-schemas.ts';
import {
  executionOfHold,
  executionOfRow,
  executionToCome,
  jobStatus,
  jobView,
} from '../domain/views/views.ts';
import { requireExecution, requireJob } from '../jobs/access.ts';
import { isOver } from '../scheduling/claiming/holds.ts';
import type { Context } from '../scheduling/context.ts';
import { isToCome } from '../scheduling/planning/plan.ts';
import { definitionsOf, findDefinition } from '../scheduling/records/definitions.ts';
import { BEFORE_ALL_ROWS, headCursor, rowCursor } from '../store/cursors.ts';
import type { HeadSummary } from '../store/store.ts';
import { filteredPage, type Listed } from './filtered-page.ts';

export async function getJob(context: Context, who: Principal, jobId: string): Promise<JobView> {
  const { store, clock } = context;
  const head = await requireJob(context, who, jobId);
  const [definition, { items }] = await Promise.all([
    findDefinition(context, head),
    store.listRows(jobId, { limit: 1, newestFirst: true, consistent: true }),
  ]);
  const [row] = items;
  const unwritten =
    head.hold && hasBegun(context, head.hold) && head.hold.due > (row?.due ?? '')
      ? executionOfHold(head, head.hold)
      : undefined;
  return jobView(head, definition, clock.now(), unwritten ?? (row && executionOfRow(row)));
}

/** One that was taken ahead of its time does not run yet. */
const hasBegun = ({ clock }: Context, hold: Hold): boolean => hold.startedAt <= clock.now();

export interface JobsQuery {
  readonly status?: JobStatus;
  readonly task?: string;
  /** A prefix. */
  readonly name?: string;
  readonly tag?: { readonly key: string; readonly value: string };
  readonly limit: number;
  readonly cursor?: string;
}

export async function listJobs(context: Context, userId: string, query: JobsQuery): Promise<Listed<JobView>> {
  const { store, clock } = context;
  const now = clock.now();
  const matches = (head: HeadSummary): boolean =>
    (!query.status || jobStatus(head, now) === query.status) &&
    (!query.task || head.task === query.task) &&
    (!query.name || (head.name ?? '').startsWith(query.name)) &&
    (!query.tag || head.tags[query.tag.key] === query.tag.value);
  const { items, nextCursor } = await filteredPage(query, matches, headCursor, (limit, cursor) =>
    store.listHeads(userId, { limit, cursor }),
  );
  const definitions = await definitionsOf(context, items);
  return { items: items.map((h) => jobView(h, definitions.get(h.jobId), now)), nextCursor };
}

export interface ExecutionsQuery {
  readonly status?: ExecutionStatus;
  /** Due at or after. */
  readonly from?: number;
  /** Due before. */
  readonly to?: number;
  readonly limit: number;
  readonly cursor?: string;
}

/** Newest first: what runs and what is past; what is still to come with `status=scheduled`, soonest first. */
export async function listJobExecutions(
  context: Context,
  who: Principal,
  jobId: string,
  query: ExecutionsQuery,
): Promise<Listed<ExecutionView>> {
  const head = await requireJob(context, who, jobId);
  if (query.status === 'scheduled') return upcoming(context, head, query);
  const first = query.cursor ? [] : (await unwritten(context, head)).filter((e) => within(e, query));
  const items = first.slice(0, query.limit);
  if (items.length === query.limit) return { items, nextCursor: BEFORE_ALL_ROWS };
  const rows = await filteredPage<Row>(
    { limit: query.limit - items.length, cursor: query.cursor },
    (row) => within(executionOfRow(row), query),
    rowCursor,
    (limit, cursor) =>
      context.store.listRows(jobId, {
        limit,
        cursor,
        newestFirst: true,
        consistent: true,
        ...(query.from !== undefined && { from: dueBound(query.from) }),
        ...(query.to !== undefined && { to: dueBound(query.to) }),
      }),
  );
  return { items: [...items, ...rows.items.map(executionOfRow)], nextCursor: rows.nextCursor };
}

export const within = (e: ExecutionView, query: ExecutionsQuery): boolean =>
  (!query.status || e.status === query.status) &&
  (query.from === undefined || Date.parse(e.dueAt) >= query.from) &&
  (query.to === undefined || Date.parse(e.dueAt) < query.to);

/** What exists without a row: what runs, and the only occurrence of a one-time job that has not started. */
async function unwritten(context: Context, head: Head): Promise<ExecutionView[]> {
  const { store, clock } = context;
  const beside = head.overlap === 'allow' ? await store.listHoldItems(head.jobId) : [];
  const holds = [...beside.map((i) => i.hold), ...(head.hold ? [head.hold] : [])].filter(
    // with `allow` the holds of what has ended stay a while
    (h) => head.overlap !== 'allow' || !isOver(context, h),
  );
  const rows = await store.readRows(
    holds.map((h) => ({ jobId: head.jobId, due: h.due })),
    { consistent: true },
  );
  const written = new Set(rows.map((r) => r.due));
  const running = holds
    .filter((h) => !written.has(h.due) && hasBegun(context, h))
    .sort((a, b) => (a.due < b.due ? 1 : -1));
  if (running.length > 0) return running.map((h) => executionOfHold(head, h));
  if (head.status !== 'active' || isRecurring(head.schedule)) return [];
  const due = nextOccurrence(head.schedule, 0);
  const begun = due === undefined || (await store.readRow(head.jobId, dueKey(due), { consistent: true }));
  return begun ? [] : [executionToCome(head, dueKey(due), clock.now())];
}

function upcoming({ clock }: Context, head: Head, query: ExecutionsQuery): Listed<ExecutionView> {
  const now = clock.now();
  if (head.status !== 'active') return { items: [] };
  const after = query.cursor
    ? Number(query.cursor)
    : Math.max(now, (query.from ?? 0) - 1, (head.pausedUntil ?? 0) - 1);
  if (!Number.isSafeInteger(after))
    throw new InvalidInput([{ path: 'cursor', message: 'is not a cursor of this list' }]);
  const items: ExecutionView[] = [];
  for (const due of occurrencesAfter(head.schedule, after)) {
    if (query.to !== undefined && due >= query.to) break;
    if (items.length === query.limit)
      return { items, nextCursor: dueKey(Date.parse(items.at(-1)?.dueAt ?? '')) };
    items.push(executionToCome(head, dueKey(due), now));
  }
  return { items };
}

export async function getExecution(context: Context, who: Principal, id: string): Promise<ExecutionView> {
  const { head, due } = await requireExecution(context, who, id);
  const row = await context.store.readRow(head.jobId, due, { consistent: true });
  const found = row ? executionOfRow(row) : await withoutRow(context, head, due);
  if (!found) throw new NotFound('execution', id);
  return found;
}

/** Held, or planned and not begun. */
export async function withoutRow(
  context: Context,
  head: Head,
  due: DueKey,
): Promise<ExecutionView | undefined> {
  const { store, clock } = context;
  const hold = head.overlap === 'allow' ? (await store.readHoldItem(head.jobId, due))?.hold : head.hold;
  if (hold?.due === due && hasBegun(context, hold)) return executionOfHold(head, hold);
  return (await isToCome(context, head, due)) ? executionToCome(head, due, clock.now()) : undefined;
}
