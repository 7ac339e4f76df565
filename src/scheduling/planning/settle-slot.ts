// Settle: the later check of each slot, two minutes after its end. Executions that have not ended are sent again
// (docs/protocol.md#settle).

import { chunksOf } from '../../concurrency/map-limit.ts';
import { giveWay } from '../../concurrency/request-turns.ts';
import { dueAtOf, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import { needsNotification } from '../../domain/executions/row-events.ts';
import { type Entry, minuteEnd, minuteOf, nextCheckAt } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { isRecurring } from '../../domain/schedule/occurrences.ts';
import type { Message } from '../../queue/queue.ts';
import { isLeaseOver } from '../claiming/decide-claim.ts';
import type { Context } from '../context.ts';
import type { Overdue } from '../notification-publisher.ts';
import { completeOneTimeJob } from '../running/after-execution.ts';
import { searchesOf } from '../searches.ts';
import { checkOf, successors } from './dispatch-slot.ts';
import { messageOf, planUntil, regularEntry, regularMessage, searchEntry } from './plan.ts';
import { firesAt, headsOf, idOf, onePerExecution, readWholeSlot, rowsOf } from './read-slot.ts';
import { isMoved } from './replan.ts';

/** The writes and messages of settle for a slot. */
interface Actions {
  readonly messages: Message[];
  readonly entries: Entry[];
  readonly overdue: Overdue[];
}

/** Settles a slot. A repetition is harmless. The caller commits the cursor afterwards. */
export async function settleSlot(
  context: Context,
  shard: number,
  minute: number,
  dispatchedUntil: number,
): Promise<{ entries: number; corrected: number }> {
  const { store, queue } = context;
  // dispatch has gone on with the searches, and they have no execution
  const slot = await readWholeSlot(context, minute, shard);
  const entries = onePerExecution(slot.filter((e) => e.kind !== 'search'));
  if (entries.length === 0) return { entries: 0, corrected: 0 };
  const rows = await rowsOf(context, entries); // rows first, then heads
  const unsettled = entries.filter((e) => !isTerminal(rows.get(idOf(e))?.status));
  const once = entries.filter((e) => !isManual(e) && mayComplete(e, rows.get(idOf(e))));
  const manuallyDecided = entries.filter((e) => wasDecidedManually(e, rows.get(idOf(e))));
  const heads = await headsOf(context, [...unsettled, ...once, ...manuallyDecided]);

  for (const e of once) {
    const row = rows.get(idOf(e));
    const head = heads.get(e.jobId);
    if (row && isTerminal(row.status) && head && !isRecurring(head.schedule))
      await completeOneTimeJob(context, head, e.revision, row.status);
  }
  const actions: Actions = { messages: [], entries: [], overdue: [] };
  const missed: Entry[] = [];
  for (const e of unsettled) {
    const turn = giveWay();
    if (turn) await turn;
    const head = heads.get(e.jobId);
    if (head && settleOne(context, e, head, rows.get(idOf(e)), actions) === 'missed') missed.push(e);
  }
  const inForce = manuallyDecided.filter((e) => isInForce(heads.get(e.jobId), e));
  await mendChains(context, [...missed, ...inForce], entries, heads, minute, dispatchedUntil, actions);
  await republish(context, entries, rows, actions);
  await store.putEntries(actions.entries);
  await queue.send(actions.messages);
  return { entries: entries.length, corrected: actions.messages.length };
}

/** Publishes lost notifications of ends, and executions that have not started. What cannot be sent is retried at the next check. */
async function republish(
  { publisher, clock }: Context,
  entries: readonly Entry[],
  rows: ReadonlyMap<string, Row>,
  actions: Actions,
): Promise<void> {
  if (!publisher) return;
  await publisher.overdue(actions.overdue);
  const unpublished = new Map(entries.map((e) => [idOf(e), e]));
  for (const id of unpublished.keys()) {
    const row = rows.get(id);
    if (!row || !needsNotification(row)) unpublished.delete(id);
  }
  if (await publisher.missed([...unpublished.keys()].flatMap((id) => rows.get(id) ?? []))) return;
  for (const e of unpublished.values())
    actions.entries.push({ ...e, at: nextCheckAt(dueAtOf(e.due), clock.now()), kind: 'check' });
}

/**
 * Whether the execution may complete a one-time job. An execution of another revision may too: a recurring job was edited to
 * run once, at that time.
 */
const mayComplete = (e: Entry, row: Row | undefined): boolean =>
  isTerminal(row?.status) && (row?.once === true || row?.revision !== e.revision);

/**
 * Whether a person backfilled the occurrence, or cancelled it before its start. Its row then exists without a message of
 * dispatch. Only dispatch plans what follows, so the chain may end here.
 */
const wasDecidedManually = (e: Entry, row: Row | undefined): boolean =>
  !isManual(e) && row !== undefined && (isManual(row) || (row.status === 'CANCELLED' && row.number === 0));

const isInForce = (head: Head | undefined, { revision }: Entry): boolean =>
  head?.status === 'active' && head.revision === revision;

/** A withdrawn execution without a row is checked for this many leases after the change. No request of a worker takes longer. */
const LATE_CLAIMS = 10;

/** 'missed' if the occurrence is in force and has no row. */
function settleOne(
  context: Context,
  e: Entry,
  head: Head,
  row: Row | undefined,
  actions: Actions,
): 'missed' | undefined {
  const { clock, settings, boot } = context;
  const now = clock.now();
  const regular = !isManual(e);
  const fires = firesAt(head, e);
  const again = messageOf(head, e, fires, now);
  const check: Entry = {
    at: nextCheckAt(fires, now),
    jobId: e.jobId,
    revision: e.revision,
    due: e.due,
    kind: 'check',
  };
  if (row) {
    actions.entries.push(check);
    const waitsUntil = row.status === 'RETRYING' ? (row.nextAttemptAt ?? 0) : 0;
    const runs =
      row.status === 'RUNNING' && !isLeaseOver({ now, clockSkewMs: settings.clockSkewMs, boot }, row);
    if (waitsUntil <= now && !runs) actions.messages.push(again);
    if (row.status === 'QUEUED') {
      const expectedAt = regular ? fires : (row.enqueuedAt ?? fires);
      actions.overdue.push({ head, due: e.due, revision: e.revision, expectedAt });
    }
    return undefined;
  }
  if (!regular) return undefined;
  if (head.status !== 'active' || head.revision !== e.revision) {
    // a claim that has read the job before the change may still open the row, and die
    if (now - head.updatedAt < LATE_CLAIMS * settings.leaseMs) actions.entries.push(check);
    return undefined;
  }
  // the occurrence has moved. Dispatch has planned its new time, or the rules have changed since and its chain is mended
  if (e.kind === 'regular' && isMoved(context, head, e)) return 'missed';
  actions.entries.push(check);
  if (fires <= now) actions.messages.push(again);
  actions.overdue.push({ head, due: e.due, revision: e.revision, expectedAt: fires });
  return 'missed';
}

/**
 * Plans what follows missed occurrences. The cursor may have passed a slot before a slow writer's entry was there, so that
 * dispatch did not. Occurrences get entries up to the first one beyond the cursor, and messages before the cursor.
 */
async function mendChains(
  context: Context,
  missed: readonly Entry[],
  present: readonly Entry[],
  heads: ReadonlyMap<string, Head>,
  minute: number,
  dispatchedUntil: number,
  actions: Actions,
): Promise<void> {
  const { store, clock, log } = context;
  const now = clock.now();
  const ofJob = Map.groupBy(present, (e) => e.jobId);
  const beyondSlot: { head: Head; beyond: Entry }[] = [];
  for (const [jobId, own] of Map.groupBy(missed, (e) => e.jobId)) {
    const turn = giveWay();
    if (turn) await turn;
    const head = heads.get(jobId);
    const here = (e: Entry): boolean => e.revision === head?.revision && minuteOf(dueAtOf(e.due)) === minute;
    if (!head || !own.some(here)) continue; // this is a check, and the chain was mended in the entry's own slot
    try {
      const all = (ofJob.get(jobId) ?? []).filter(here);
      const { missing, next } = await successors(context, head, all, minute, dispatchedUntil + 1);
      for (const e of missing) {
        actions.entries.push(e, checkOf(head, e, now));
        actions.messages.push(regularMessage(head, dueAtOf(e.due), now));
      }
      for (const e of next) {
        if (e.kind === 'search') actions.entries.push(e);
        else beyondSlot.push({ head, beyond: e });
      }
    } catch (error) {
      log.error('failed to compute a schedule; dispatch has postponed the job', {
        jobId,
        error: String(error),
      });
    }
  }
  for (const some of chunksOf(beyondSlot, MAX_CONCURRENT_READS)) {
    const known = await Promise.all(some.map(({ beyond }) => store.hasEntry(beyond)));
    for (const { head, beyond } of some.filter((_, i) => !known[i])) {
      // settle does not continue the chain of an occurrence that has run by then, so it is planned up to the cursor
      const cursor = minuteEnd(dispatchedUntil) - 1;
      const found = await planUntil(searchesOf(context), head.schedule, beyond.at - 1, cursor);
      for (const due of found.inside) {
        actions.entries.push(regularEntry(head, due));
        actions.messages.push(regularMessage(head, due, now));
      }
      if (found.beyond !== undefined) actions.entries.push(regularEntry(head, found.beyond));
      if (found.ended)
        actions.entries.push(searchEntry(head, found.ended.searchedUntil, dispatchedUntil + 1));
    }
  }
}

const MAX_CONCURRENT_READS = 16;
