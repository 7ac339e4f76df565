// Reads a whole slot: all its pages.
import type { Entry } from '../domain/slots.ts';
import type { Context } from './context.ts';

export async function readLargeSlot({ store }: Context, minute: number, shard: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.readSlot(minute, shard, cursor);
    entries.push(...page.items);
    cursor = page.next;
  } while (cursor);
  return entries;
}
