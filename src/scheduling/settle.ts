// Settle: each slot once, some minutes after its end: whatever has no end yet is looked after (PROTOCOL.md, Settle).
import { isTerminal, type Row } from '../domain/execution.ts';
import { BY_HAND, dueAtOf, executionId } from '../domain/ids.ts';
import type { Head, Hold } from '../domain/job.ts';
import { fireAt, isRecurring, occurrencesAfter } from '../domain/schedule/occurrences.ts';
import { type Entry, minuteOf, nextCheckAt } from '../domain/slots.ts';
import type { Message } from '../queue/queue.ts';
import type { Context } from './context.ts';
import { checkOf, successors } from './dispatch.ts';
import { completeOnce } from './ended.ts';
import { isOver } from './holds.ts';
import { regularEntry, regularMessage } from './plan.ts';
import { byPresentRules } from './replan.ts';
import { recordNote } from './rows.ts';
import { readLargeSlot } from './slot.ts';
import { isUntold, type Overdue } from './telling.ts';

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
): Promise<{ corrected: number }> {
  const { store, queue } = context;
  const entries = onePerExecution(await readLargeSlot(context, minute, shard));
  if (entries.length === 0) return { corrected: 0 };
  const rows = await rowsOf(context, entries); // rows first, then heads
  const unsettled = entries.filter((e) => !isTerminal(rows.get(idOf(e))?.status));
  const once = entries.filter((e) => e.revision !== BY_HAND && mayComplete(e, rows.get(idOf(e))));
  const heads = new Map<string, Head>();
  const jobIds = [...new Set([...unsettled, ...once].map((e) => e.jobId))];
  for (const head of await store.readHeads(jobIds, { consistent: true })) heads.set(head.jobId, head);

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
  await mendChains(context, missed, entries, heads, minute, dispatchedUntil, acts);
  await tellAgain(context, entries, rows, acts);
  await store.putEntries(acts.entries);
  await queue.send(acts.messages);
  return { corrected: acts.messages.length };
}

/** Ends that nobody was told of, and what has not started. What cannot be said now is said at the next check. */
async function tellAgain(
  { tell, clock }: Context,
  entries: readonly Entry[],
  rows: ReadonlyMap<string, Row>,
  acts: Acts,
): Promise<void> {
  if (!tell) return;
  await tell.notStarted(acts.overdue);
  const untold = new Map(entries.map((e) => [idOf(e), e]));
  for (const id of untold.keys()) {
    const row = rows.get(id);
    if (!row || !isUntold(row)) untold.delete(id);
  }
  if (await tell.untold([...untold.keys()].flatMap((id) => rows.get(id) ?? []))) return;
  for (const e of untold.values())
    acts.entries.push({ ...e, at: nextCheckAt(dueAtOf(e.due), clock.now()), kind: 'check' });
}

/** Also one that ran as an occurrence of the schedule before: a recurring job was edited to run once, at that very time. */
const mayComplete = (e: Entry, row: Row | undefined): boolean =>
  isTerminal(row?.status) && (row?.once === true || row?.revision !== e.revision);

const idOf = (e: Entry): string => executionId(e.jobId, e.due);

/** An execution may have an entry and checks in one slot; a regular entry says most. Revisions stay apart. */
function onePerExecution(entries: readonly Entry[]): Entry[] {
  const byKey = new Map<string, Entry>();
  for (const e of entries) {
    const key = `${idOf(e)}#${e.revision}`;
    if (!byKey.has(key) || e.kind === 'regular') byKey.set(key, e);
  }
  return [...byKey.values()];
}

/**
 * Terminal rows may come from an eventually consistent read; everything else is asked again. So is what was started by
 * hand and did not succeed: it may show the end before the /retry that this entry is about. (A stale end of a regular
 * entry is an end: whoever reopened it has put an entry of its own into a later slot.)
 */
async function rowsOf({ store }: Context, entries: readonly Entry[]): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  const keep = (found: readonly Row[]) => {
    for (const row of found) rows.set(executionId(row.jobId, row.due), row);
  };
  const keys = new Map(entries.map((e) => [idOf(e), { jobId: e.jobId, due: e.due }]));
  keep(await store.readRows([...keys.values()], { consistent: false }));
  const byHand = new Set(entries.filter((e) => e.revision === BY_HAND).map(idOf));
  const isSure = (id: string): boolean => {
    const status = rows.get(id)?.status;
    return status === 'SUCCEEDED' || (isTerminal(status) && !byHand.has(id));
  };
  const open = [...keys].filter(([id]) => !isSure(id)).map(([, key]) => key);
  keep(await store.readRows(open, { consistent: true }));
  return rows;
}

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
  const regular = e.revision !== BY_HAND;
  const due = dueAtOf(e.due);
  const fires = regular ? fireAt(head.schedule, head.jobId, due) : due;
  const again: Message = { jobId: e.jobId, due: e.due, revision: e.revision, fireAt: fires, enqueuedAt: now };
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
      const expectedAt = regular ? fires : (row.enqueuedAt ?? due);
      acts.overdue.push({ head, due: e.due, revision: e.revision, expectedAt });
    }
    return undefined;
  }
  if (head.note?.due === e.due) {
    await recordNote(context, head, head.note);
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

/** No occurrence by the present rules of its timezone. */
function isMoved({ log }: Context, head: Head, e: Entry): boolean {
  try {
    return byPresentRules(head, [e]).moved.length > 0;
  } catch (error) {
    log.debug('a schedule cannot be computed', { jobId: head.jobId, error: String(error) });
    return false;
  }
}

/** The hold of this very execution, wherever it lives. */
async function holdOf({ store }: Context, head: Head, e: Entry): Promise<Hold | undefined> {
  if (head.hold?.due === e.due) return head.hold;
  return head.overlap === 'allow' ? (await store.readHoldItem(head.jobId, e.due))?.hold : undefined;
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
