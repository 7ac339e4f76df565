// The steps of an erasure. The position is a phase and a cursor of its list:
//
//   jobs    passes over the owner's jobs, until one finds none: a job that may start is cancelled, another is removed
//   rows    passes over the owner's executions, also those whose job has expired, until one finds none that runs
//   end     what names the owner besides jobs: counters, names, creates that are queued, ended operations
//
// A job is removed with its head last, so a pass after a crash finds it again. Every removal may be repeated. Counters and names are
// last, because an erasure may be stopped, and the jobs that are left must count.
import { forEachLimit } from '../../concurrency/map-limit.ts';
import { NotFound } from '../../domain/errors.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { ErasureOperation } from '../../domain/jobs/background-operation.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Context } from '../../scheduling/context.ts';
import { planUntil, regularEntry, writerHorizon } from '../../scheduling/planning/plan.ts';
import { WriterTooSlow } from '../../scheduling/records/writer-deadline.ts';
import { searchesOf } from '../../scheduling/searches.ts';
import type { ExecutionKey } from '../../store/store.ts';
import { cancelJob } from '../cancel-job.ts';
import { isLive } from '../named/find-named-job.ts';
import type { Acted, Turn, Work } from './operation-work.ts';

const JOBS_AT_ONCE = 50;
const CONCURRENT = 10;
const ROWS_AT_ONCE = 100;
/** Log lines and notifications of an execution are written within this time after its end. */
const AFTER_END_MS = 5_000;

type Phase = 'jobs' | 'rows' | 'end';
interface Position {
  readonly phase: Phase;
  /** Whether this pass has met something that another pass must look at. */
  readonly again: boolean;
  readonly cursor?: string | undefined;
}

const textOf = ({ phase, again, cursor = '' }: Position): string => `${phase}.${again ? 1 : 0}.${cursor}`;
function positionOf(text = textOf({ phase: 'jobs', again: false })): Position {
  const [phase = '', again, ...cursor] = text.split('.');
  return { phase: phase as Phase, again: again === '1', cursor: cursor.join('.') || undefined };
}

export const erasing: Work<ErasureOperation> = {
  maxRefusals: 0,
  upcoming: async (_context, { next }) => ({ keys: [textOf(positionOf(next))] }),
  async act(context, operation, [key], turn) {
    const position = positionOf(key);
    if (position.phase === 'jobs') return eraseSomeJobs(context, operation, position, turn);
    if (position.phase === 'rows') return eraseSomeRows(context, operation, position);
    return eraseTheRest(context, operation);
  },
};

/** Whether this erasure still lists the jobs of the owner, so that it finds every job that exists now. */
export const findsAllJobs = ({ next }: ErasureOperation): boolean => positionOf(next).phase === 'jobs';

async function eraseTheRest({ store }: Context, { id, params }: ErasureOperation): Promise<Acted> {
  const { owner, byOperator = false } = params;
  await store.eraseOwner(owner, { operation: id, limits: byOperator });
  // a create that was queued may have become a job meanwhile
  const newer = await store.listHeads(owner, { limit: 1 });
  const isAgain = newer.items.length > 0;
  const next = isAgain ? textOf({ phase: 'jobs', again: false }) : undefined;
  return { done: 0, refused: [], next, waits: isAgain };
}

async function eraseSomeJobs(
  context: Context,
  { params: { owner } }: ErasureOperation,
  { again, cursor }: Position,
  turn: Turn,
): Promise<Acted> {
  const { store } = context;
  const page = await store.listHeads(owner, { limit: JOBS_AT_ONCE, cursor });
  // the list may show jobs that are gone
  const ids = page.items.map(({ jobId }) => jobId);
  const heads = await store.readHeads(ids, { consistent: true });
  const removable: Head[] = [];
  await forEachLimit(heads, CONCURRENT, async (head) => {
    if (isLive(head)) await cancel(context, head, turn);
    else if (await eraseRowsOf(context, head.jobId, turn)) removable.push(head);
  });
  if (removable.length > 0 && turn.mayGoOn()) {
    const entries = await Promise.all(removable.map((head) => entriesToCome(context, head)));
    await store.eraseJobs(removable, entries.flat());
  }
  const counts = { done: removable.length, counted: removable.length, refused: [] };
  const isAgain = again || heads.length > 0;
  if (page.next !== undefined)
    return { ...counts, next: textOf({ phase: 'jobs', again: isAgain, cursor: page.next }) };
  // what was cancelled stops within a heartbeat
  if (isAgain)
    return {
      ...counts,
      next: textOf({ phase: 'jobs', again: false }),
      waits: removable.length === 0 && !wasCancelled(heads),
    };
  // a claim that has read the job before is given back, and leaves its row
  return { ...counts, next: textOf({ phase: 'rows', again: false }) };
}

/** The jobs that this step has cancelled can be removed at once, if nothing of them runs. */
const wasCancelled = (heads: readonly Head[]): boolean => heads.some(isLive);

async function cancel(context: Context, { jobId, userId }: Head, turn: Turn): Promise<void> {
  if (!turn.mayGoOn()) return;
  try {
    const guard = { admit() {}, inTime: () => turn.inTime() };
    await cancelJob(context, { userId, operator: false }, jobId, { guard });
  } catch (error) {
    if (!(error instanceof NotFound || error instanceof WriterTooSlow)) throw error;
  }
}

/** False if some are left: they run, have just ended, or there is no time. */
async function eraseRowsOf(context: Context, jobId: string, turn: Turn): Promise<boolean> {
  const { store } = context;
  let isAll = true;
  let cursor: string | undefined;
  do {
    if (!turn.mayGoOn()) return false;
    const list = { limit: ROWS_AT_ONCE, newestFirst: false, consistent: true, cursor };
    const page = await store.listRows(jobId, list);
    const ended = page.items.filter((row) => hasStopped(context, row));
    if (ended.length > 0) await store.eraseRows(ended.map(keyOf));
    isAll &&= ended.length === page.items.length;
    cursor = page.next;
  } while (cursor !== undefined);
  return isAll;
}

async function eraseSomeRows(
  context: Context,
  { params: { owner } }: ErasureOperation,
  { again, cursor }: Position,
): Promise<Acted> {
  const { store } = context;
  const page = await store.listRowKeys(owner, { limit: ROWS_AT_ONCE, cursor });
  const rows = await store.readRows(page.items, { consistent: true });
  const ended = rows.filter((row) => hasStopped(context, row));
  if (ended.length > 0) await store.eraseRows(ended.map(keyOf));
  const none = { done: 0, refused: [] };
  const isAgain = again || ended.length < rows.length;
  if (page.next !== undefined)
    return { ...none, next: textOf({ phase: 'rows', again: isAgain, cursor: page.next }) };
  const newer = await store.listHeads(owner, { limit: 1 });
  if (newer.items.length > 0 || isAgain)
    return { ...none, next: textOf({ phase: 'jobs', again: false }), waits: true };
  return { ...none, next: textOf({ phase: 'end', again: false }) };
}

/** Whether nobody writes the row any more, or beside it. */
function hasStopped({ clock, settings }: Pick<Context, 'clock' | 'settings'>, row: Row): boolean {
  const now = clock.now();
  if (row.status === 'RUNNING') return (row.leaseUntil ?? 0) + settings.clockSkewMs < now;
  return row.startedAt === undefined || (row.finishedAt ?? 0) + AFTER_END_MS < now;
}

const keyOf = ({ jobId, due }: Row): ExecutionKey => ({ jobId, due });

/** The entries of the revision in force. Those of others expire, and name the job by its id only. */
async function entriesToCome(context: Context, head: Head) {
  const now = context.clock.now();
  const { inside, beyond } = await planUntil(
    searchesOf(context),
    head.schedule,
    now - 1,
    writerHorizon(context.settings, now),
  );
  return [...inside, ...(beyond === undefined ? [] : [beyond])].map((due) => regularEntry(head, due));
}
