// Dispatch: everything due in one slot goes to the queue, and the chains of its schedules are carried on
// (PROTOCOL.md, Dispatch).
import { dueAtOf } from '../domain/ids.ts';
import type { Head } from '../domain/job.ts';
import { type Entry, MINUTE, minuteEnd } from '../domain/slots.ts';
import type { Message } from '../queue/queue.ts';
import type { Context } from './context.ts';
import { occurrencesUntil, regularEntry, regularMessage } from './plan.ts';
import { readLargeSlot } from './slot.ts';

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
      const { missing, beyond } = successors(head, regular, minute);
      // what is planned into this very slot has to be sent here: nobody reads the slot again
      const due = [...regular, ...missing].map((e) => regularMessage(head, dueAtOf(e.due), now));
      planned.push(...missing, ...(beyond ? [beyond] : []));
      messages.push(...due);
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

/**
 * The occurrences that follow the first of `present` in its slot and have no entry yet, and the first one after the
 * slot. By induction every occurrence of a dispatched slot has an entry, and one entry waits beyond the cursor.
 */
export function successors(
  head: Head,
  present: readonly Entry[],
  minute: number,
): { missing: Entry[]; beyond: Entry | undefined } {
  const known = new Set(present.map((e) => e.due));
  const first = present.reduce((earliest, e) => Math.min(earliest, dueAtOf(e.due)), Number.POSITIVE_INFINITY);
  const { inside, beyond } = occurrencesUntil(head.schedule, first, minuteEnd(minute) - 1);
  const missing = inside.map((due) => regularEntry(head, due)).filter((e) => !known.has(e.due));
  return { missing, beyond: beyond === undefined ? undefined : regularEntry(head, beyond) };
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
