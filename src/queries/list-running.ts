// The running executions of all jobs. No index has them, so the list comes from the workers' own rows, which are at most one
// heartbeat old.

import { ownerHash } from '../domain/digest.ts';
import { parseExecutionId } from '../domain/executions/ids.ts';
import type { Head } from '../domain/jobs/job.ts';
import { jsonBytes } from '../domain/jobs/stored-bytes.ts';
import type { Principal } from '../domain/principal.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, withOwner } from '../domain/views/views.ts';
import { canAccess } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import { decodeCursor, TIME_AND_JOB, userRowCursor } from '../store/cursors.ts';
import type { ExecutionKey, RunningExecution, WorkerRow } from '../store/store.ts';
import { filteredPage, type Listed } from './filtered-page.ts';

/** A worker without a heartbeat since this time has lost its leases. */
export const liveSince = ({ clock, settings }: Context): number => clock.now() - settings.leaseMs;

export interface RunningQuery {
  readonly workerId?: string;
  /** The user whose executions are listed. Undefined for those of all users, which only operators may list. */
  readonly owner: string | undefined;
  readonly limit: number;
  readonly cursor?: string;
}

/**
 * Newest first. Reads the row of one worker or of all workers. For each execution that may be the owner's it reads the head and
 * the row, for at most 1000 executions per page.
 */
export async function listRunning(
  context: Context,
  who: Principal,
  query: RunningQuery,
  matches: (execution: ExecutionView) => boolean,
): Promise<Listed<ExecutionView>> {
  const hash = query.owner === undefined ? undefined : ownerHash(query.owner);
  const mayMatch = ({ owner = hash }: RunningExecution) => hash === undefined || owner === hash;
  const keys = (await queriedWorkers(context, query)).flatMap(({ running }) =>
    running.filter(mayMatch).flatMap(({ id }) => parseExecutionId(id) ?? []),
  );
  const sorted = new Map(keys.map((key) => [sortKey(key), key]));
  const order = [...sorted.keys()].sort().reverse();

  const { items, nextCursor } = await filteredPage<Found, ExecutionKey>(query, {
    async read(limit, cursor) {
      const after = decodeCursor(cursor, TIME_AND_JOB);
      const begin = after === undefined ? 0 : order.findIndex((key) => key < after);
      const selected =
        begin < 0 ? [] : order.slice(begin, begin + limit).flatMap((key) => sorted.get(key) ?? []);
      const last = selected.at(-1);
      const more = begin >= 0 && begin + limit < order.length;
      return { items: selected, next: more && last ? userRowCursor(last) : undefined };
    },
    load: (keys) => findExecutions(context, who, query, keys),
    matches: ({ execution }) => execution !== undefined && matches(execution),
    cursorOf: ({ key }) => userRowCursor(key),
    bytesOf: ({ execution }) => jsonBytes(execution),
  });
  const views = items.flatMap(({ execution, owner = '' }) =>
    execution ? withOwner(who, execution, owner) : [],
  );
  return { items: views, nextCursor };
}

interface Found {
  readonly key: ExecutionKey;
  readonly execution?: ExecutionView;
  readonly owner?: string;
}

const sortKey = ({ due, jobId }: ExecutionKey): string => `${due}#${jobId}`;

async function queriedWorkers(context: Context, { workerId }: RunningQuery): Promise<readonly WorkerRow[]> {
  if (workerId === undefined) return context.store.listWorkers(liveSince(context));
  const worker = await context.store.readWorker(workerId);
  return worker && worker.beatAt >= liveSince(context) ? [worker] : [];
}

async function findExecutions(
  context: Context,
  who: Principal,
  { owner }: RunningQuery,
  keys: readonly ExecutionKey[],
): Promise<Found[]> {
  const { store } = context;
  const found = await store.readHeads(
    keys.map(({ jobId }) => jobId),
    { consistent: true },
  );
  const isListed = (head: Head) => canAccess(who, head) && (owner === undefined || head.userId === owner);
  const heads = new Map(found.filter(isListed).map((head) => [head.jobId, head]));
  const own = keys.filter(({ jobId }) => heads.has(jobId));
  const rows = new Map((await store.readRows(own, { consistent: true })).map((row) => [sortKey(row), row]));
  return keys.map((key) => {
    const head = heads.get(key.jobId);
    const row = rows.get(sortKey(key));
    return head && row ? { key, execution: executionOfRow(row), owner: head.userId } : { key };
  });
}
