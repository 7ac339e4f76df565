// How a backfill is carried out: every occurrence of its range that has no row gets one, and runs. The order is entry, note
// or hold item, row, message. Entries and messages of a step go together; each occurrence is decided on its own.

import { CONFLICT, REQUEST_RETRY, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import { fingerprint } from '../../domain/digest.ts';
import { type DueKey, dueAtOf, dueKey, executionId, isManual, MANUAL } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { BackfillParams, Operation, Refusal } from '../../domain/jobs/background-operation.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { occurrencesAfter } from '../../domain/schedule/occurrences.ts';
import { newHold } from '../../scheduling/claiming/holds.ts';
import type { Context } from '../../scheduling/context.ts';
import { recordDecision } from '../../scheduling/records/record-decision.ts';
import { insertRow, newRow, recordDecisionRow } from '../../scheduling/records/write-row.ts';
import { writerDeadline } from '../../scheduling/records/writer-deadline.ts';
import { putEntries, sendNow } from '../manual-runs.ts';
import type { Acted, Turn, Work } from './operation-work.ts';

/** Occurrences that a step looks at, and those that it decides. A stop waits for the step that is under way. */
const MAX_LOOKED_AT = 100;
const MAX_DECIDED = 10;

export const backfilling: Work = {
  async upcoming({ store }, { params, next }) {
    const { jobId, from, to } = params;
    const head = await store.readHead(jobId, { consistent: true });
    const stopped = whyStopped(head, params);
    if (!head || stopped !== undefined) return { keys: [], stopped };
    const dues: DueKey[] = [];
    for (const due of occurrencesAfter(head.schedule, dueAtOf(next ?? from) - 1)) {
      if (dueKey(due) >= to || dues.length > MAX_LOOKED_AT) break;
      dues.push(dueKey(due));
    }
    const looked = dues.slice(0, MAX_LOOKED_AT);
    // a row that any read shows is there; an absent one is asked for again
    const rows = await store.readRows(keysOf(jobId, looked), { consistent: false });
    const there = new Set(rows.filter((row) => !isQueuedByHand(row)).map(({ due }) => due));
    const keys = looked.filter((due) => !there.has(due));
    return { keys: keys.slice(0, MAX_DECIDED), beyond: keys[MAX_DECIDED] ?? dues[MAX_LOOKED_AT] };
  },
  act: backfillSome,
};

const keysOf = (jobId: string, dues: readonly DueKey[]) => dues.map((due) => ({ jobId, due }));
const isQueuedByHand = (row: Row): boolean => row.status === 'QUEUED' && isManual(row);

/** Undefined: it goes on. A pause does not matter, and a resume keeps the schedule. */
function whyStopped(head: Head | undefined, { jobId, schedule }: BackfillParams): string | undefined {
  if (!head) return `there is no job ${jobId} any more`;
  if (head.status === 'cancelled') return `job ${jobId} was cancelled`;
  return fingerprint(head.schedule) === schedule ? undefined : `the schedule of job ${jobId} was edited`;
}

async function backfillSome(
  context: Context,
  { params }: Operation,
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
  // the deadline counts from the entries of the step: nothing is begun that might not be decided by then
  const end = clock.monotonic() + settings.writerDeadlineMs / 3;
  const { decide, userOfJob } = deciding(context, params, dues, inTime);
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
    // a row that is there may be of a step that was cut off before its messages
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
  /** It has a row: queued by hand, or any other. */
  | 'waits'
  | 'there'
  | { readonly refused: string }
  | { readonly stopped: string };

/** What was read of a job, the head first. Until another process writes the head it stays true. */
interface Seen {
  readonly head: Head;
  readonly rows: ReadonlyMap<DueKey, Row>;
  /** The row of the head's note exists. */
  readonly isRecorded: boolean;
}

/**
 * Decides one after the other. The head that one decision has written is the one that the next is based on, as long as
 * no other process writes in between: then head and rows are read again.
 */
function deciding(context: Context, params: BackfillParams, dues: readonly DueKey[], inTime: () => void) {
  const { store } = context;
  const { jobId } = params;
  let seen: Seen | undefined;
  let userId: string | undefined;

  async function look(): Promise<Seen | { readonly stopped: string }> {
    const head = await store.readHead(jobId, { consistent: true });
    const stopped = whyStopped(head, params);
    if (!head || stopped !== undefined) return { stopped: stopped ?? '' };
    userId = head.userId;
    if (head.note && dues.includes(head.note.due)) await recordDecisionRow(context, head, head.note);
    const wanted = new Set([...dues, ...(head.note ? [head.note.due] : [])]);
    const found = await store.readRows(keysOf(jobId, [...wanted]), { consistent: true });
    const rows = new Map(found.map((row) => [row.due, row]));
    return { head, rows, isRecorded: head.note !== undefined && rows.has(head.note.due) };
  }

  async function decide(due: DueKey): Promise<Decided> {
    let isHeld = false;
    const decided = await retryConflicts<Decided>(context, REQUEST_RETRY, async () => {
      const looked = seen ?? (await look());
      if ('stopped' in looked) return looked;
      const { head } = looked;
      const row = looked.rows.get(due);
      seen = looked;
      if (row) return isQueuedByHand(row) ? 'waits' : 'there';
      isHeld = head.overlap === 'allow' || head.hold?.due === due;
      if (head.hold?.due !== due) {
        inTime();
        const after = await (head.overlap === 'allow' ? beside : alone)(context, looked, due, inTime);
        seen = after && { ...looked, head: after, isRecorded: true };
        if (after) return 'queued';
      }
      seen = undefined;
      return CONFLICT;
    });
    if (decided !== CONFLICT) return decided;
    return {
      refused: isHeld
        ? 'a worker has it in hand; if it has no row later, ask again'
        : `job ${jobId} is being changed by others; ask again`,
    };
  }

  /** Undefined before the first decision. */
  return { decide, userOfJob: () => userId };
}

type Decide = (context: Context, seen: Seen, due: DueKey, inTime: () => void) => Promise<Head | undefined>;

/** The decision is a note, because the regular message may still be under way. */
const alone: Decide = (context, { head, isRecorded }, due, inTime) => {
  const decision = { due, status: 'QUEUED', reason: 'backfill', revision: MANUAL } as const;
  return recordDecision(context, head, decision, { inTime, isRecorded });
};

/** In place of a worker's id, in hold items that a backfill inserts. */
export const BACKFILL = 'backfill';

/**
 * overlap: allow. A worker that takes the occurrence does not write the head, so no note would stop it: the decision is
 * the hold item, inserted if absent, and the row says at once that it was let go. A hold item of a backfill that was cut
 * off before the row is completed.
 */
const beside: Decide = async (context, { head }, due, inTime) => {
  const { store, clock } = context;
  const { jobId } = head;
  const now = clock.now();
  const message = { jobId, due, revision: MANUAL, fireAt: now, enqueuedAt: now };
  let hold = newHold(context, message, BACKFILL, undefined, 0);
  if (!(await store.insertHoldItem({ jobId, due, hold, stamp: hold.token }))) {
    const found = (await store.readHoldItem(jobId, due))?.hold;
    if (found?.workerId !== BACKFILL) return undefined;
    hold = found;
  }
  inTime();
  const row: Row = {
    ...newRow(head, due, MANUAL, 'QUEUED'),
    fence: hold.token,
    enqueuedAt: now,
    reason: 'backfill',
  };
  if (await insertRow(context, row)) return head;
  await store.removeHoldItem(jobId, due, hold.token);
  return undefined;
};
