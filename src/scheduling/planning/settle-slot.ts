// Settle: each slot once, some minutes after its end: whatever has no end yet is looked after (docs/protocol.md#settle).

import { ownerHash } from '../../domain/digest.ts';
import { dueAtOf, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import { needsNotification } from '../../domain/executions/row-events.ts';
import { type Entry, minuteOf, nextCheckAt } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { isRecurring, occurrencesAfter } from '../../domain/schedule/occurrences.ts';
import type { Message } from '../../queue/queue.ts';
import { isOver } from '../claiming/holds.ts';
import type { Context } from '../context.ts';
import type { Overdue } from '../notification-publisher.ts';
import { recordDecisionRow } from '../records/write-row.ts';
import { completeOnce } from '../running/after-execution.ts';
import { checkOf, successors } from './dispatch-slot.ts';
import { regularEntry, regularMessage } from './plan.ts';
import { firesAt, headsOf, holdOf, idOf, onePerExecution, readLargeSlot, rowsOf } from './read-slot.ts';
import { isMoved } from './replan.ts';

interface Acts {
  readonly messages: Message[];
  readonly entries: Entry[];
  readonly overdue: Overdue[];
}

/** Acts on a slot; doing it twice is harmless. The caller commits the cursor afterwards. */
export async function settleSlot(
  context: Context,
  shard: number,
  minute: number,
  dispatchedUntil: number,
): Promise<{ entries: number; corrected: number }> {
  const { store, queue } = context;
  const entries = onePerExecution(await readLargeSlot(context, minute, shard));
  if (entries.length === 0) return { entries: 0, corrected: 0 };
  const rows = await rowsOf(context, entries); // rows first, then heads
  const unsettled = entries.filter((e) => !isTerminal(rows.get(idOf(e))?.status));
  const once = entries.filter((e) => !isManual(e) && mayComplete(e, rows.get(idOf(e))));
  const byHand = entries.filter((e) => wasDecidedByHand(e, rows.get(idOf(e))));
  const heads = await headsOf(context, [...unsettled, ...once, ...byHand]);

  for (const e of once) {
    const row = rows.get(idOf(e));
    const head = heads.get(e.jobId);
    if (row && isTerminal(row.status) && head && !isRecurring(head.schedule))
      await completeOnce(context, head, e.revision, row.status);
  }
  const acts: Acts = { messages: [], entries: [], overdue: [] };
  const missed: Entry[] = [];
  for (const e of unsettled) {
    const head = heads.get(e.jobId);
    if (head && (await settleOne(context, e, head, rows.get(idOf(e)), acts)) === 'missed') missed.push(e);
  }
  const live = byHand.filter((e) => isInForce(heads.get(e.jobId), e));
  await mendChains(context, [...missed, ...live], entries, heads, minute, dispatchedUntil, acts);
  await tellAgain(context, entries, rows, acts);
  await store.putEntries(acts.entries);
  await queue.send(acts.messages);
  return { entries: entries.length, corrected: acts.messages.length };
}

/** Ends that nobody was told of, and what has not started. What cannot be said now is said at the next check. */
async function tellAgain(
  { publisher, clock }: Context,
  entries: readonly Entry[],
  rows: ReadonlyMap<string, Row>,
  acts: Acts,
): Promise<void> {
  if (!publisher) return;
  await publisher.overdue(acts.overdue);
  const untold = new Map(entries.map((e) => [idOf(e), e]));
  for (const id of untold.keys()) {
    const row = rows.get(id);
    if (!row || !needsNotification(row)) untold.delete(id);
  }
  if (await publisher.missed([...untold.keys()].flatMap((id) => rows.get(id) ?? []))) return;
  for (const e of untold.values())
    acts.entries.push({ ...e, at: nextCheckAt(dueAtOf(e.due), clock.now()), kind: 'check' });
}

/** Also one that ran as an occurrence of the schedule before: a recurring job was edited to run once, at that very time. */
const mayComplete = (e: Entry, row: Row | undefined): boolean =>
  isTerminal(row?.status) && (row?.once === true || row?.revision !== e.revision);

/**
 * An occurrence that a person let run, or cancelled before its start, has its row without a message of dispatch. Only
 * dispatch plans what follows, so the chain may end here.
 */
const wasDecidedByHand = (e: Entry, row: Row | undefined): boolean =>
  !isManual(e) &&
  row !== undefined &&
  (isManual(row) || (row.status === 'CANCELLED' && row.fence === undefined));

const isInForce = (head: Head | undefined, { revision }: Entry): boolean =>
  head?.status === 'active' && head.revision === revision;

/** 'missed': nobody has decided anything about this occurrence, and it counts. */
async function settleOne(
  context: Context,
  e: Entry,
  head: Head,
  row: Row | undefined,
  acts: Acts,
): Promise<'missed' | undefined> {
  const { clock } = context;
  const now = clock.now();
  const regular = !isManual(e);
  const fires = firesAt(head, e);
  const again: Message = {
    jobId: e.jobId,
    due: e.due,
    revision: e.revision,
    fireAt: fires,
    enqueuedAt: now,
    owner: ownerHash(head.userId),
  };
  const check: Entry = {
    at: nextCheckAt(fires, now),
    jobId: e.jobId,
    revision: e.revision,
    due: e.due,
    kind: 'check',
  };
  const hold = await holdOf(context, head, e);

  if (row) {
    acts.entries.push(check);
    const waitsUntil = row.status === 'RETRYING' ? (row.nextAttemptAt ?? 0) : 0;
    if (waitsUntil <= now && !(row.status === 'RUNNING' && hold && !isOver(context, hold)))
      acts.messages.push(again);
    if (row.status === 'QUEUED' || row.status === 'WAITING') {
      const expectedAt = regular ? fires : (row.enqueuedAt ?? fires);
      acts.overdue.push({ head, due: e.due, revision: e.revision, expectedAt });
    }
    return undefined;
  }
  if (head.note?.due === e.due) {
    await recordDecisionRow(context, head, head.note);
    acts.entries.push(check);
    return undefined;
  }
  if (hold) {
    acts.entries.push(check);
    if (isOver(context, hold)) acts.messages.push(again);
    return undefined;
  }
  if (!regular || head.status !== 'active' || head.revision !== e.revision) return undefined;
  // dispatch has planned what it has become, or the rules have changed since: then its chain is mended
  if (e.kind === 'regular' && isMoved(context, head, e)) return 'missed';
  acts.entries.push(check);
  if (fires <= now) acts.messages.push(again);
  acts.overdue.push({ head, due: e.due, revision: e.revision, expectedAt: fires });
  return 'missed';
}

/**
 * The cursor may have passed a slot before a slow writer's entry was there: then nobody has planned what follows it.
 * The occurrences up to the first that dispatch has yet to come to get entries, and messages where it has been already.
 */
async function mendChains(
  context: Context,
  missed: readonly Entry[],
  present: readonly Entry[],
  heads: ReadonlyMap<string, Head>,
  minute: number,
  dispatchedUntil: number,
  acts: Acts,
): Promise<void> {
  const { store, clock, log } = context;
  const now = clock.now();
  const ofJob = Map.groupBy(present, (e) => e.jobId);
  const beyondSlot: { head: Head; beyond: Entry }[] = [];
  for (const [jobId, own] of Map.groupBy(missed, (e) => e.jobId)) {
    const head = heads.get(jobId);
    const here = (e: Entry): boolean => e.revision === head?.revision && minuteOf(dueAtOf(e.due)) === minute;
    if (!head || !own.some(here)) continue; // a check in a later slot: its own slot has done this
    try {
      const { missing, beyond } = successors(head, (ofJob.get(jobId) ?? []).filter(here), minute);
      for (const e of missing) {
        acts.entries.push(e, checkOf(head, e, now));
        acts.messages.push(regularMessage(head, dueAtOf(e.due), now));
      }
      if (beyond) beyondSlot.push({ head, beyond });
    } catch (error) {
      log.error('a schedule cannot be computed; dispatch has put the job off', {
        jobId,
        error: String(error),
      });
    }
  }
  for (const some of inChunks(beyondSlot, SIDE_BY_SIDE)) {
    const known = await Promise.all(some.map(({ beyond }) => store.hasEntry(beyond)));
    for (const { head, beyond } of some.filter((_, i) => !known[i])) {
      // settle does not carry on the chain of an occurrence that has run by then: it is planned until dispatch does
      for (const due of occurrencesAfter(head.schedule, beyond.at - 1)) {
        acts.entries.push(regularEntry(head, due));
        if (minuteOf(due) > dispatchedUntil) break;
        acts.messages.push(regularMessage(head, due, now));
      }
    }
  }
}

const SIDE_BY_SIDE = 16;

function* inChunks<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
