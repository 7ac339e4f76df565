// Dead letters in groups: by the key of their error, or by job. Only the index of failed rows is read, and one row per group.
import { dueAtOf, dueBound, executionId } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Principal } from '../domain/principal.ts';
import { requireOwner } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import type { FailedKey } from '../store/store.ts';
import { ROWS_AT_ONCE } from './filtered-page.ts';

/** Failed executions that one request reads at most. About 100 RRU. */
export const MAX_GROUPED = 5_000;
/** Groups in a response, the largest first. */
const MAX_GROUPS = 100;
const PAGE = 1_000;
/** Equal parts of the time between the first and the last failure. Each group has a count for each. */
export const GROUP_BUCKETS = 24;
const MAX_MESSAGE = 300;
const DAY_MS = 86_400_000;

export interface GroupsQuery {
  readonly by: 'error' | 'job';
  readonly owner?: string;
  readonly from?: number;
  readonly to?: number;
}

export interface DeadLetterGroup {
  /** The error key, or the job id. Empty for failures of versions that stored no error key. */
  readonly key: string;
  readonly name: string;
  readonly message: string;
  readonly count: number;
  /** The number of failures in `count` that were due in the last 24 hours. */
  readonly lastDay: number;
  readonly jobs: number;
  readonly firstDueAt: string;
  readonly lastDueAt: string;
  /** The id of the newest execution. */
  readonly sample: string;
  readonly buckets: number[];
}

export interface DeadLetterGroups {
  readonly items: DeadLetterGroup[];
  readonly lookedAt: number;
  readonly truncated: boolean;
}

/** Groups of a user's dead letters, the largest first. For an operator without `owner`, of those of all users. */
export async function groupDeadLetters(
  context: Context,
  who: Principal,
  query: GroupsQuery,
): Promise<DeadLetterGroups> {
  const yesterday = context.clock.now() - DAY_MS;
  const { keys, lookedAt, truncated } = await readKeys(context, who, query);
  const first = Math.min(...keys.map(({ due }) => dueAtOf(due)));
  const last = Math.max(...keys.map(({ due }) => dueAtOf(due)));
  const bucketOf = (key: FailedKey): number =>
    Math.min(
      GROUP_BUCKETS - 1,
      Math.floor((GROUP_BUCKETS * (dueAtOf(key.due) - first)) / (last - first || 1)),
    );
  const all = Map.groupBy(keys, (key) => (query.by === 'job' ? key.jobId : (key.errorKey ?? '')));
  const groups = [...all].sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_GROUPS);
  const newest = groups.map(([, own]) => own.reduce((a, b) => (b.due > a.due ? b : a)));
  const errors = await readErrors(context, newest);
  const items = groups.map(([key, own], i): DeadLetterGroup => {
    const sample = newest[i] ?? own[0];
    const buckets = Array<number>(GROUP_BUCKETS).fill(0);
    for (const one of own) buckets[bucketOf(one)] = (buckets[bucketOf(one)] ?? 0) + 1;
    const dues = own.map(({ due }) => dueAtOf(due));
    return {
      key,
      ...(errors[i] ?? errorOf(undefined)),
      count: own.length,
      lastDay: dues.filter((due) => due >= yesterday).length,
      jobs: new Set(own.map(({ jobId }) => jobId)).size,
      firstDueAt: iso(Math.min(...dues)),
      lastDueAt: iso(Math.max(...dues)),
      sample: sample ? executionId(sample.jobId, sample.due) : '',
      buckets,
    };
  });
  return { items, lookedAt, truncated: truncated || all.size > MAX_GROUPS };
}

async function readKeys(context: Context, who: Principal, query: GroupsQuery) {
  const { store } = context;
  const owner = requireOwner(who, query.owner);
  const isOfAll = who.operator && query.owner === undefined;
  const from = dueBound(query.from ?? 0);
  const to = query.to === undefined ? undefined : dueBound(query.to);
  const keys: FailedKey[] = [];
  let lookedAt = 0;
  let cursor: string | undefined;
  do {
    const limit = Math.min(PAGE, MAX_GROUPED - lookedAt);
    const page = await (isOfAll
      ? store.listAllFailedKeys({ limit, cursor })
      : store.listFailedKeys(owner, { limit, cursor, from, ...(to !== undefined && { to }) }));
    lookedAt += page.items.length;
    cursor = page.next;
    for (const key of page.items)
      if (!key.dismissed && key.due >= from && (to === undefined || key.due < to)) keys.push(key);
  } while (cursor && lookedAt < MAX_GROUPED);
  return { keys, lookedAt, truncated: cursor !== undefined };
}

/** A few rows at a time, because a row may be large. */
async function readErrors({ store }: Context, keys: readonly FailedKey[]) {
  const errors: ReturnType<typeof errorOf>[] = [];
  for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
    const chunk = keys.slice(from, from + ROWS_AT_ONCE);
    const rows = await store.readRows(chunk, { consistent: false });
    for (const key of chunk)
      errors.push(errorOf(rows.find(({ jobId, due }) => jobId === key.jobId && due === key.due)));
  }
  return errors;
}

/** The error of the sample. A failure without an error has a reason. */
function errorOf(row: Row | undefined): { name: string; message: string } {
  const { name = '', message = row?.reason ?? '' } = row?.error ?? {};
  return { name, message: message.slice(0, MAX_MESSAGE) };
}

const iso = (time: number): string => new Date(time).toISOString();
