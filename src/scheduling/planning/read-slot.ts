// Reads the entries of a slot, and the rows and heads of their executions.

import { dueAtOf, executionId, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import type { Entry } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { fireAt } from '../../domain/schedule/occurrences.ts';
import type { Context } from '../context.ts';

/** The pages of a slot, each with up to 1 MB of entries. */
export async function* slotPages({ store }: Context, minute: number, shard: number): AsyncGenerator<Entry[]> {
  let cursor: string | undefined;
  do {
    const page = await store.readSlot(minute, shard, cursor);
    yield [...page.items];
    cursor = page.next;
  } while (cursor);
}

/** All entries of a slot. */
export async function readWholeSlot(context: Context, minute: number, shard: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const page of slotPages(context, minute, shard)) entries.push(...page);
  return entries;
}

export const idOf = (e: Entry): string => executionId(e.jobId, e.due);

/** One entry per execution and revision. A regular entry is preferred to a check. */
export function onePerExecution(entries: readonly Entry[]): Entry[] {
  const byKey = new Map<string, Entry>();
  for (const e of entries) {
    const key = `${idOf(e)}#${e.revision}`;
    if (!byKey.has(key) || e.kind === 'regular') byKey.set(key, e);
  }
  return [...byKey.values()];
}

/**
 * The rows of the entries' executions. Terminal rows may come from an eventually consistent read, and others are read again.
 * A manual run that did not succeed is read again too, because the end may be the one before its retry. The end of a regular
 * entry may be stale: a retry has put an entry of its own into a later slot.
 */
export async function rowsOf({ store }: Context, entries: readonly Entry[]): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  const keep = (found: readonly Row[]) => {
    for (const row of found) rows.set(executionId(row.jobId, row.due), row);
  };
  const keys = new Map(entries.map((e) => [idOf(e), { jobId: e.jobId, due: e.due }]));
  keep(await store.readRows([...keys.values()], { consistent: false }));
  const manual = new Set(entries.filter(isManual).map(idOf));
  const isFinal = (id: string): boolean => {
    const status = rows.get(id)?.status;
    return status === 'SUCCEEDED' || (isTerminal(status) && !manual.has(id));
  };
  const open = [...keys].filter(([id]) => !isFinal(id)).map(([, key]) => key);
  keep(await store.readRows(open, { consistent: true }));
  return rows;
}

export async function headsOf({ store }: Context, entries: readonly Entry[]): Promise<Map<string, Head>> {
  const jobIds = [...new Set(entries.map((e) => e.jobId))];
  const heads = await store.readHeads(jobIds, { consistent: true });
  return new Map(heads.map((head) => [head.jobId, head]));
}

/** The fire time: the due time, plus the jitter of an occurrence. */
export function firesAt(head: Head, e: Entry): number {
  const due = dueAtOf(e.due);
  return isManual(e) ? due : fireAt(head.schedule, head.jobId, due);
}
