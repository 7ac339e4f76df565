// Dispatch: sends the messages of one slot, and plans the next occurrences of its jobs (docs/protocol.md#dispatch).

import { giveWay } from '../../concurrency/request-turns.ts';
import { ownerHash } from '../../domain/digest.ts';
import { dueAtOf } from '../../domain/executions/ids.ts';
import { type Entry, MINUTE, minuteEnd, minuteOf, nextCheckAt } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { isoUtc } from '../../domain/schedule/instant.ts';
import { fireAt } from '../../domain/schedule/occurrences.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { searchesOf } from '../searches.ts';
import { planUntil, regularEntry, regularMessage, searchEntry } from './plan.ts';
import { readWholeSlot } from './read-slot.ts';
import { byPresentRules, lostFrom, replanFrom } from './replan.ts';

/** Dispatches a slot. Its entries stay, so a repeated dispatch only sends twice. The caller commits the cursor afterwards. */
export async function dispatchSlot(
  context: Context,
  shard: number,
  minute: number,
): Promise<{ sent: number }> {
  const { store, queue, clock } = context;
  const entries = (await readWholeSlot(context, minute, shard)).filter((e) => e.kind !== 'check');
  if (entries.length === 0) return { sent: 0 };
  const heads = await activeHeads(context, entries);
  const now = clock.now();

  const messages: Message[] = [];
  const planned: Entry[] = [];
  for (const [jobId, own] of Map.groupBy(entries, (e) => e.jobId)) {
    const turn = giveWay();
    if (turn) await turn;
    const head = heads.get(jobId);
    // the heads of jobs with manual runs or retries only are not read, and a worker finds out their owners
    const owner = head && ownerHash(head.userId);
    for (const e of own) {
      if (e.kind !== 'regular' && e.kind !== 'search')
        messages.push({ jobId, due: e.due, revision: e.revision, fireAt: e.at, enqueuedAt: now, owner });
    }
    if (!head) continue;
    const regular = own.filter((e) => e.kind === 'regular' && e.revision === head.revision);
    const search = lastSearch(head, own);
    if (regular.length === 0 && !search) continue;
    try {
      if (regular.length === 0 && search) {
        const { missing, next } = await goOnSearching(context, head, search, minute);
        planned.push(...missing, ...next);
        messages.push(...missing.map((e) => regularMessage(head, dueAtOf(e.due), now)));
        // settle may have passed the slots before this one
        planned.push(...missing.filter((e) => minuteOf(e.at) < minute).map((e) => checkOf(head, e, now)));
        continue;
      }
      const lost = await lostFrom(context, head, firstOf(regular));
      const { valid, missing, next } = await successors(context, head, regular, minute, minute + 1, lost);
      // occurrences planned into this slot are sent here, because dispatch does not read the slot again
      const due = [...valid, ...missing].map((e) => regularMessage(head, dueAtOf(e.due), now));
      planned.push(...missing, ...next);
      messages.push(...due);
      if (lost === undefined && valid.length === regular.length) continue;
      planned.push(...missing.filter((e) => minuteOf(e.at) < minute).map((e) => checkOf(head, e, now)));
      context.log.info('replanned a job because the rules of its timezone changed', {
        jobId,
        was: regular.map((e) => isoUtc(dueAtOf(e.due))),
        is: [...due, ...next].map((e) => isoUtc(dueAtOf(e.due))),
      });
    } catch (error) {
      // for example, this machine does not know the timezone. One job must not stop its shard, so its first entry is postponed,
      // and its chain continues from there
      context.log.error('failed to compute a schedule; postponed the job', { jobId, error: String(error) });
      const [first = search] = regular;
      if (first) planned.push({ ...first, at: now + postponeMs(context) });
    }
  }
  await store.putEntries(planned);
  await queue.send(messages);
  return { sent: messages.length };
}

/** How long a job is postponed. The new slot is beyond the cursor, so that dispatch reads it. */
const postponeMs = ({ settings }: Context): number => settings.lookAheadMs + 10 * MINUTE;

const firstOf = (entries: readonly Entry[]): number => Math.min(...entries.map((e) => dueAtOf(e.due)));

/** The next check of an entry whose slot may be settled already. */
export const checkOf = (head: Head, e: Entry, now: number): Entry => ({
  ...e,
  at: nextCheckAt(fireAt(head.schedule, head.jobId, dueAtOf(e.due)), now),
  kind: 'check',
});

export interface Successors {
  /** The entries of `present` that are occurrences by the present rules of their timezone. */
  readonly valid: readonly Entry[];
  /** The occurrences of the slot that have no entry. */
  readonly missing: readonly Entry[];
  /** The first occurrence after the slot, or the search for it. Empty if the schedule has ended. */
  readonly next: readonly Entry[];
}

/**
 * The entries after the first one of `present`: the missing occurrences of its slot, and the first one after the slot. By induction
 * every occurrence of a dispatched slot has an entry, and one entry stands beyond the cursor. Entries that a change of timezone
 * rules has moved are missing at their new times. Occurrences after `lost` are missing too.
 */
export async function successors(
  context: Context,
  head: Head,
  present: readonly Entry[],
  minute: number,
  /** The slot in which a search goes on that has ended by its budget. Dispatch has not read it yet. */
  searchMinute: number,
  lost = Number.POSITIVE_INFINITY,
): Promise<Successors> {
  const { valid, moved } = byPresentRules(head, present);
  const from = Math.min(lost, firstOf(valid), ...moved.map((e) => replanFrom(head, e)));
  const known = new Set(valid.map((e) => e.due));
  const { missing, next } = await entriesAfter(context, head, from, minute, searchMinute);
  return { valid, missing: missing.filter((e) => !known.has(e.due)), next };
}

/** The occurrences after `from` up to the end of the slot, and what the chain continues with. */
async function entriesAfter(
  context: Context,
  head: Head,
  from: number,
  minute: number,
  searchMinute: number,
): Promise<Omit<Successors, 'valid'>> {
  const searches = searchesOf(context);
  const { inside, beyond, ended } = await planUntil(searches, head.schedule, from, minuteEnd(minute) - 1);
  const next = [
    ...(beyond === undefined ? [] : [regularEntry(head, beyond)]),
    ...(ended ? [searchEntry(head, ended.searchedUntil, searchMinute)] : []),
  ];
  return { missing: inside.map((due) => regularEntry(head, due)), next };
}

/** The search of the job that has got furthest. A crash may leave two, and settle may have begun one of its own. */
const lastSearch = (head: Head, entries: readonly Entry[]): Entry | undefined =>
  entries
    .filter((e) => e.kind === 'search' && e.revision === head.revision)
    .reduce<Entry | undefined>((last, e) => (last && last.due >= e.due ? last : e), undefined);

/** Goes on with a search from where it has ended. It never ends the chain by itself: without a result, it goes on in the next slot. */
const goOnSearching = (context: Context, head: Head, search: Entry, minute: number) =>
  entriesAfter(context, head, dueAtOf(search.due), minute, minute + 1);

/** The heads of active jobs with a regular entry or a search. A head that would lead to a drop is read again consistently. */
async function activeHeads({ store }: Context, entries: readonly Entry[]): Promise<Map<string, Head>> {
  const revisions = Map.groupBy(
    entries.filter((e) => e.kind === 'regular' || e.kind === 'search'),
    (e) => e.jobId,
  );
  const isCurrent = (head: Head): boolean =>
    head.status === 'active' && (revisions.get(head.jobId) ?? []).every((e) => e.revision === head.revision);
  const heads = new Map<string, Head>();
  for (const head of await store.readHeads([...revisions.keys()], { consistent: false }))
    heads.set(head.jobId, head);
  const doubtful = [...revisions.keys()].filter((jobId) => {
    const head = heads.get(jobId);
    return !head || !isCurrent(head);
  });
  for (const head of await store.readHeads(doubtful, { consistent: true })) heads.set(head.jobId, head);
  return new Map([...heads].filter(([, head]) => head.status === 'active'));
}
