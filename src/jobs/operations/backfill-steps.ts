// The steps of a backfill. Every occurrence of its range without a row gets one, and runs. The order of writes is entry, row,
// message. Entries and messages are sent in a batch per step. Each occurrence is decided on its own.

import { CONFLICT, REQUEST_RETRY, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import { fingerprint } from '../../domain/digest.ts';
import { type DueKey, dueAtOf, dueKey, executionId, isManual, MANUAL } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import {
  type BackfillOperation,
  type BackfillParams,
  MAX_BACKFILLED,
  type Refusal,
} from '../../domain/jobs/background-operation.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Context } from '../../scheduling/context.ts';
import { newRow, writeRow } from '../../scheduling/records/write-row.ts';
import { writerDeadline } from '../../scheduling/records/writer-deadline.ts';
import { occurrencesInParts } from '../../scheduling/searches.ts';
import { putEntries, sendNow } from '../manual-runs.ts';
import type { Acted, Turn, Work } from './operation-work.ts';

/** Occurrences that a step reads. */
const MAX_READ = 100;
/** Occurrences that a step decides. It is small, because a stop waits for the current step. */
const MAX_DECIDED = 10;

export const backfilling: Work<BackfillOperation> = {
  maxRefusals: MAX_BACKFILLED,
  async upcoming(context, { params, next }) {
    const { store } = context;
    const { jobId, from, to } = params;
    const head = await store.readHead(jobId, { consistent: true });
    const stopped = whyStopped(head, params);
    if (!head || stopped !== undefined) return { keys: [], stopped };
    const dues: DueKey[] = [];
    const after = dueAtOf(next ?? from) - 1;
    for await (const due of occurrencesInParts(context, head.schedule, after, dueAtOf(to) - 1)) {
      if (dues.length > MAX_READ) break;
      dues.push(dueKey(due));
    }
    const candidates = dues.slice(0, MAX_READ);
    // this read may miss a row, because it is eventually consistent; `decide` reads again
    const rows = await store.readRows(keysOf(jobId, candidates), { consistent: false });
    const existing = new Set(rows.filter((row) => !isQueuedManually(row)).map(({ due }) => due));
    const keys = candidates.filter((due) => !existing.has(due));
    return { keys: keys.slice(0, MAX_DECIDED), beyond: keys[MAX_DECIDED] ?? dues[MAX_READ] };
  },
  act: backfillSome,
};

const keysOf = (jobId: string, dues: readonly DueKey[]) => dues.map((due) => ({ jobId, due }));
const isQueuedManually = (row: Row): boolean => row.status === 'QUEUED' && isManual(row);

/** Why the backfill must end. Undefined if it goes on, also for a paused job. */
function whyStopped(head: Head | undefined, { jobId, schedule }: BackfillParams): string | undefined {
  if (!head) return `job ${jobId} no longer exists`;
  if (head.status === 'cancelled') return `job ${jobId} was cancelled`;
  return fingerprint(head.schedule) === schedule ? undefined : `the schedule of job ${jobId} was edited`;
}

async function backfillSome(
  context: Context,
  { params }: BackfillOperation,
  dues: readonly DueKey[],
  turn: Turn,
): Promise<Acted> {
  const { clock, settings } = context;
  const { jobId } = params;
  const deadline = writerDeadline(context);
  const inTime = () => {
    deadline();
    turn.inTime();
  };
  // the deadline counts from the entries of the step, so the last decision begins well before it
  const end = clock.monotonic() + settings.writerDeadlineMs / 3;
  const { decide, userOfJob } = deciding(context, params, inTime);
  const toSend: DueKey[] = [];
  const refused: Refusal[] = [];
  let done = 0;
  let stopped: string | undefined;
  let next: DueKey | undefined;
  await putEntries(context, jobId, dues, clock.now());
  for (const due of dues) {
    next = turn.mayGoOn() && clock.monotonic() < end ? undefined : due;
    if (next !== undefined) break;
    const decided = await decide(due);
    if (decided === 'queued') done++;
    // the row may come from an interrupted step that has not sent its messages
    if (decided === 'queued' || decided === 'waits') toSend.push(due);
    if (typeof decided === 'object' && 'stopped' in decided) stopped = decided.stopped;
    if (typeof decided === 'object' && 'refused' in decided)
      refused.push({ id: executionId(jobId, due), reason: decided.refused });
    if (stopped !== undefined) break;
  }
  if (toSend.length > 0) await sendNow(context, { jobId, userId: userOfJob() }, toSend, clock.now());
  return { done, refused, next, stopped };
}

type Decided =
  | 'queued'
  /** The execution has a row of a manual run that is queued. */
  | 'waits'
  /** The execution has another row. */
  | 'there'
  | { readonly refused: string }
  | { readonly stopped: string };

/**
 * Decides occurrences one after the other: each gets a row, inserted if absent. The regular message of an occurrence may still be
 * in the queue, and finds that row then.
 */
function deciding(context: Context, params: BackfillParams, inTime: () => void) {
  const { store, clock } = context;
  const { jobId } = params;
  let userId: string | undefined;

  async function decide(due: DueKey): Promise<Decided> {
    const decided = await retryConflicts<Decided>(context, REQUEST_RETRY, async () => {
      const head = await store.readHead(jobId, { consistent: true });
      const stopped = whyStopped(head, params);
      if (!head || stopped !== undefined) return { stopped: stopped ?? '' };
      userId = head.userId;
      const found = await store.readRow(jobId, due, { consistent: true });
      if (found) return isQueuedManually(found) ? 'waits' : 'there';
      inTime();
      const now = clock.now();
      const row: Row = {
        ...newRow(head, due, MANUAL, 'QUEUED'),
        ...{ enqueuedAt: now, fireAt: now, reason: 'backfill', trigger: 'backfill' },
      };
      return (await writeRow(context, undefined, row)) ? 'queued' : CONFLICT;
    });
    if (decided !== CONFLICT) return decided;
    return { refused: `job ${jobId} is being changed by other requests; start another backfill` };
  }

  /** Undefined before the first decision. */
  return { decide, userOfJob: () => userId };
}
