// The steps of a bulk operation: count the selected jobs, then pause, resume or cancel each of them. The position is a cursor
// in the list of the owner's jobs, newest first. The list is eventually consistent, so each job is checked again before its
// change (docs/decisions/0042).

import { forEachLimit } from '../../concurrency/map-limit.ts';
import { filterInSlices, giveWay } from '../../concurrency/request-turns.ts';
import { NotFound, PunctualError } from '../../domain/errors.ts';
import {
  type BulkOperation,
  MAX_BULK_REFUSALS,
  type Refusal,
} from '../../domain/jobs/background-operation.ts';
import { type BulkParams, isSelected } from '../../domain/jobs/bulk-change.ts';
import { matchesFilter } from '../../domain/jobs/job-filter.ts';
import type { Principal } from '../../domain/principal.ts';
import type { VisibleHead } from '../../domain/views/views.ts';
import type { Context } from '../../scheduling/context.ts';
import { WriterTooSlow } from '../../scheduling/records/writer-deadline.ts';
import { searchesOf } from '../../scheduling/searches.ts';
import { createdUntilCursor, headCursor, jobOfCursor } from '../../store/cursors.ts';
import { cancelJob } from '../cancel-job.ts';
import type { ChangeGuard } from '../change-records.ts';
import { pause, resume } from '../pause-job.ts';
import type { Acted, Turn, Upcoming, Work } from './operation-work.ts';

/** Jobs that a step changes, all at the same time. A pause may wait 1 s for a run that is about to start. */
const MAX_CHANGED = 50;
/** Jobs that a step reads. */
const MAX_READ = 1_000;
const PAGE = 250;
/** Pages of a step that counts. */
const COUNTED_PAGES = 4;
const MAX_REASON_LENGTH = 300;

/** The position of a step: what it does, and the cursor after the last job that was handled. */
const COUNT = 'count.';
const CHANGE = 'change.';

export const isCounting = (position: string): boolean => position.startsWith(COUNT);
export const countFrom = (cursor: string): string => COUNT + cursor;
/** The position before the newest job. */
export const changeAll = ({ requestedAt }: BulkParams): string => CHANGE + createdUntilCursor(requestedAt);

export const bulkChanging: Work<BulkOperation> = {
  maxRefusals: MAX_BULK_REFUSALS,
  async upcoming(context, operation) {
    const { params, next = changeAll(params) } = operation;
    if ((params.until ?? Number.POSITIVE_INFINITY) <= context.clock.now())
      return { keys: [], stopped: 'the end of the pause has passed' };
    const cursor = next.slice(next.indexOf('.') + 1);
    return isCounting(next) ? countStep(context, params, cursor) : selectSome(context, operation, cursor);
  },
  act: changeSome,
};

export interface Counted {
  readonly counted: number;
  /** The cursor of the rest. Undefined if all jobs were examined. */
  readonly cursor?: string | undefined;
}

/** Counts the selected jobs from `cursor` on, while `mayGoOn`. It reads at least one page. About 100 RRU for 1,000 jobs. */
export async function countSelected(
  context: Context,
  params: BulkParams,
  cursor: string,
  mayGoOn: () => boolean,
): Promise<Counted> {
  const { store, clock } = context;
  const now = clock.now();
  const searches = searchesOf(context);
  let counted = 0;
  let next: string | undefined = cursor;
  do {
    const page = await store.listHeads(params.owner, { limit: PAGE, cursor: next });
    counted += (await filterInSlices(page.items, (head) => isSelected(head, params, now, searches))).length;
    next = page.next;
  } while (next !== undefined && mayGoOn());
  return { counted, cursor: next };
}

async function countStep(context: Context, params: BulkParams, cursor: string): Promise<Upcoming> {
  let pages = 0;
  const { counted, cursor: rest } = await countSelected(
    context,
    params,
    cursor,
    () => ++pages < COUNTED_PAGES,
  );
  return { keys: [], counted, beyond: rest === undefined ? changeAll(params) : countFrom(rest) };
}

/** The cursors of the next selected jobs. */
async function selectSome(context: Context, operation: BulkOperation, cursor: string): Promise<Upcoming> {
  const { store } = context;
  const keys: string[] = [];
  let next: string | undefined = cursor;
  for (let read = 0; read < MAX_READ && next !== undefined; ) {
    const page = await store.listHeads(operation.params.owner, { limit: PAGE, cursor: next });
    for (const head of page.items) {
      const turn = giveWay();
      if (turn) await turn;
      if (!isToChange(context, operation, head)) continue;
      keys.push(headCursor(head));
      if (keys.length === MAX_CHANGED) return { keys, beyond: CHANGE + headCursor(head) };
    }
    read += page.items.length;
    next = page.next;
  }
  return { keys, beyond: next === undefined ? undefined : CHANGE + next };
}

/**
 * True if the job is selected, or if an interrupted step may have cancelled it without asking its runs to stop. The second
 * cancel asks them.
 */
function isToChange(context: Context, operation: BulkOperation, head: VisibleHead): boolean {
  const { clock, settings } = context;
  const searches = searchesOf(context);
  const { params, createdAt } = operation;
  const now = clock.now();
  if (isSelected(head, params, now, searches)) return true;
  const mayBeInterrupted =
    params.action === 'cancel' &&
    head.status === 'cancelled' &&
    head.overlap === 'allow' &&
    head.createdAt <= params.requestedAt &&
    head.updatedAt >= createdAt - settings.clockSkewMs;
  return mayBeInterrupted && matchesFilter(head, { ...params.filter, status: 'cancelled' }, now, searches);
}

/** Changes the jobs at the same time. A job that was begun too late is left for the next step, and so are those after it. */
async function changeSome(
  context: Context,
  operation: BulkOperation,
  keys: readonly string[],
  turn: Turn,
): Promise<Acted> {
  const refusals = new Map<number, Refusal>();
  let left = keys.length;
  await forEachLimit(keys, MAX_CHANGED, async (key, index) => {
    const changed = turn.mayGoOn() && (await changeOne(context, operation, jobOfCursor(key), turn));
    if (changed === false) left = Math.min(left, index);
    else if (changed !== true) refusals.set(index, changed);
  });
  const refused = [...refusals].filter(([index]) => index < left).sort(([a], [b]) => a - b);
  const last = keys[left - 1];
  return {
    done: left - refused.length,
    refused: refused.map(([, refusal]) => refusal),
    next: left === keys.length ? undefined : last === undefined ? operation.next : CHANGE + last,
  };
}

/** The job was changed by others since it was selected. The operation leaves it as it is. */
class NoLongerSelected extends Error {}

/** False if it was too late for the change. True also if the job needs no change any more. */
async function changeOne(
  context: Context,
  operation: BulkOperation,
  jobId: string,
  turn: Turn,
): Promise<boolean | Refusal> {
  const { note, until, action } = operation.params;
  const guard: ChangeGuard = {
    admit(head) {
      if (!isToChange(context, operation, head)) throw new NoLongerSelected();
    },
    inTime: () => turn.inTime(),
  };
  const who = actorOf(operation);
  try {
    if (action === 'cancel') await cancelJob(context, who, jobId, { note, guard });
    else if (action === 'resume') await resume(context, who, jobId, { note, guard });
    else await pause(context, who, jobId, { note, until, guard });
    return true;
  } catch (error) {
    if (error instanceof NoLongerSelected || error instanceof NotFound) return true;
    if (error instanceof WriterTooSlow) return false;
    if (!(error instanceof PunctualError)) throw error;
    return { id: jobId, reason: error.message.slice(0, MAX_REASON_LENGTH) };
  }
}

/** Only operators may begin an operation on the jobs of another user. */
const actorOf = ({ userId, params }: BulkOperation): Principal => ({
  userId,
  operator: params.owner !== userId,
});
