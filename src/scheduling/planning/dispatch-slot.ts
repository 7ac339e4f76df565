// Dispatch: everything due in one slot goes to the queue, and the chains of its schedules are carried on
// (docs/protocol.md#dispatch).
import { dueAtOf } from '../../domain/executions/ids.ts';
import { type Entry, MINUTE, minuteEnd, minuteOf, nextCheckAt } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { isoUtc } from '../../domain/schedule/instant.ts';
import { fireAt } from '../../domain/schedule/occurrences.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { occurrencesUntil, regularEntry, regularMessage } from './plan.ts';
import { readLargeSlot } from './read-slot.ts';
import { byPresentRules, lostFrom, replanFrom } from './replan.ts';

/** Sends a slot. Its entries stay, so doing it twice only sends twice. The caller commits the cursor afterwards. */
export async function dispatchSlot(
  context: Context,
  shard: number,
  minute: number,
): Promise<{ sent: number }> {
  const { store, queue, clock } = context;
  const entries = (await readLargeSlot(context, minute, shard)).filter((e) => e.kind !== 'check');
  if (entries.length === 0) return { sent: 0 };
  const live = await liveHeads(context, entries);
  const now = clock.now();

  const messages: Message[] = [];
  const planned: Entry[] = [];
  for (const [jobId, own] of Map.groupBy(entries, (e) => e.jobId)) {
    for (const e of own) {
      if (e.kind !== 'regular')
        messages.push({ jobId, due: e.due, revision: e.revision, fireAt: e.at, enqueuedAt: now });
    }
    const head = live.get(jobId);
    const regular = own.filter((e) => e.kind === 'regular' && e.revision === head?.revision);
    if (!head || regular.length === 0) continue;
    try {
      const lost = await lostFrom(context, head, firstOf(regular));
      const { valid, missing, beyond } = successors(head, regular, minute, lost);
      // what is planned into this very slot has to be sent here: nobody reads the slot again
      const due = [...valid, ...missing].map((e) => regularMessage(head, dueAtOf(e.due), now));
      planned.push(...missing, ...(beyond ? [beyond] : []));
      messages.push(...due);
      if (lost === undefined && valid.length === regular.length) continue;
      planned.push(...missing.filter((e) => minuteOf(e.at) < minute).map((e) => checkOf(head, e, now)));
      context.log.info('planned a job again by the present rules of its timezone', {
        jobId,
        was: regular.map((e) => isoUtc(dueAtOf(e.due))),
        is: [...due, ...(beyond ? [beyond] : [])].map((e) => isoUtc(dueAtOf(e.due))),
      });
    } catch (error) {
      // a zone that this machine does not know, say: one job must not stop its shard. It is looked at again later, and its
      // chain goes on from there
      context.log.error('a schedule cannot be computed; the job is put off', { jobId, error: String(error) });
      planned.push(...regular.slice(0, 1).map((e) => ({ ...e, at: now + lookAgainMs(context) })));
    }
  }
  await store.putEntries(planned);
  await queue.send(messages);
  return { sent: messages.length };
}

/** Beyond the cursor, so that dispatch comes by. */
const lookAgainMs = ({ settings }: Context): number => settings.lookAheadMs + 10 * MINUTE;

const firstOf = (entries: readonly Entry[]): number => Math.min(...entries.map((e) => dueAtOf(e.due)));

/** For an entry in a slot that settle may have passed. */
export const checkOf = (head: Head, e: Entry, now: number): Entry => ({
  ...e,
  at: nextCheckAt(fireAt(head.schedule, head.jobId, dueAtOf(e.due)), now),
  kind: 'check',
});

export interface Successors {
  /** Those of `present` that are occurrences by the present rules of their timezone. */
  readonly valid: readonly Entry[];
  readonly missing: readonly Entry[];
  readonly beyond: Entry | undefined;
}

/**
 * The occurrences that follow the first of `present` in its slot and have no entry yet, and the first one after the
 * slot. By induction every occurrence of a dispatched slot has an entry, and one entry waits beyond the cursor. What
 * `present` has become where the rules of its timezone have changed is missing too, and so is what is due after `lost`.
 */
export function successors(
  head: Head,
  present: readonly Entry[],
  minute: number,
  lost = Number.POSITIVE_INFINITY,
): Successors {
  const { valid, moved } = byPresentRules(head, present);
  const from = Math.min(lost, firstOf(valid), ...moved.map((e) => replanFrom(head, e)));
  const known = new Set(valid.map((e) => e.due));
  const { inside, beyond } = occurrencesUntil(head.schedule, from, minuteEnd(minute) - 1);
  const missing = inside.map((due) => regularEntry(head, due)).filter((e) => !known.has(e.due));
  return { valid, missing, beyond: beyond === undefined ? undefined : regularEntry(head, beyond) };
}

/** Heads of the jobs with a regular entry that counts. What would be dropped is read again consistently first. */
async function liveHeads({ store }: Context, entries: readonly Entry[]): Promise<Map<string, Head>> {
  const revisions = Map.groupBy(
    entries.filter((e) => e.kind === 'regular'),
    (e) => e.jobId,
  );
  const counts = (head: Head): boolean =>
    head.status === 'active' && (revisions.get(head.jobId) ?? []).every((e) => e.revision === head.revision);
  const heads = new Map<string, Head>();
  for (const head of await store.readHeads([...revisions.keys()], { consistent: false }))
    heads.set(head.jobId, head);
  const doubtful = [...revisions.keys()].filter((jobId) => {
    const head = heads.get(jobId);
    return !head || !counts(head);
  });
  for (const head of await store.readHeads(doubtful, { consistent: true })) heads.set(head.jobId, head);
  return new Map([...heads].filter(([, head]) => head.status === 'active'));
}
