// A slot's entries, and what is known of the executions that they are about.

import { dueAtOf, executionId, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import type { Entry } from '../../domain/executions/slots.ts';
import type { Head, Hold } from '../../domain/jobs/job.ts';
import { fireAt } from '../../domain/schedule/occurrences.ts';
import type { Context } from '../context.ts';

/** The pages of a slot, as the store cuts them (1 MB of entries at most). */
export async function* slotPages({ store }: Context, minute: number, shard: number): AsyncGenerator<Entry[]> {
  let cursor: string | undefined;
  do {
    const page = await store.readSlot(minute, shard, cursor);
    yield [...page.items];
    cursor = page.next;
  } while (cursor);
}

/** All pages together. */
export async function readLargeSlot(context: Context, minute: number, shard: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const page of slotPages(context, minute, shard)) entries.push(...page);
  return entries;
}

export const idOf = (e: Entry): string => executionId(e.jobId, e.due);

/** An execution may have an entry and checks in one slot; a regular entry says most. Revisions stay apart. */
export function onePerExecution(entries: readonly Entry[]): Entry[] {
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
export async function rowsOf({ store }: Context, entries: readonly Entry[]): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  const keep = (found: readonly Row[]) => {
    for (const row of found) rows.set(executionId(row.jobId, row.due), row);
  };
  const keys = new Map(entries.map((e) => [idOf(e), { jobId: e.jobId, due: e.due }]));
  keep(await store.readRows([...keys.values()], { consistent: false }));
  const byHand = new Set(entries.filter(isManual).map(idOf));
  const isSure = (id: string): boolean => {
    const status = rows.get(id)?.status;
    return status === 'SUCCEEDED' || (isTerminal(status) && !byHand.has(id));
  };
  const open = [...keys].filter(([id]) => !isSure(id)).map(([, key]) => key);
  keep(await store.readRows(open, { consistent: true }));
  return rows;
}

export async function headsOf({ store }: Context, entries: readonly Entry[]): Promise<Map<string, Head>> {
  const jobIds = [...new Set(entries.map((e) => e.jobId))];
  const heads = await store.readHeads(jobIds, { consistent: true });
  return new Map(heads.map((head) => [head.jobId, head]));
}

/** The hold of this very execution, wherever it lives. */
export async function holdOf({ store }: Context, head: Head, e: Entry): Promise<Hold | undefined> {
  if (head.hold?.due === e.due) return head.hold;
  return head.overlap === 'allow' ? (await store.readHoldItem(head.jobId, e.due))?.hold : undefined;
}

/** The time of its first attempt: the due time, with the jitter of an occurrence. */
export function firesAt(head: Head, e: Entry): number {
  const due = dueAtOf(e.due);
  return isManual(e) ? due : fireAt(head.schedule, head.jobId, due);
}
