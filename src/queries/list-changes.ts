// The changes that people have made to one job.
import { type ChangeKey, type ChangeView, changeView } from '../domain/jobs/change.ts';
import { jsonBytes } from '../domain/jobs/stored-bytes.ts';
import type { Principal } from '../domain/principal.ts';
import { requireJob } from '../jobs/access.ts';
import { lastChange } from '../jobs/change-records.ts';
import type { Context } from '../scheduling/context.ts';
import { changeCursor, changeOfCursor } from '../store/cursors.ts';
import { type Listed, MAX_PAGE_BYTES } from './filtered-page.ts';

/** Records that are read at once. One with the longest tags, notes and schedules has about 20 KB. */
const RECORDS_AT_ONCE = 100;

/** Newest first. 1 RRU for the head, and 1 RRU per 4 KB of records. */
export async function listChanges(
  context: Context,
  who: Principal,
  jobId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<Listed<ChangeView>> {
  const head = await requireJob(context, who, jobId);
  const from = cursor === undefined ? lastChange(head) : changeOfCursor(cursor);
  const { items, next } = await followChanges(context, jobId, from, limit);
  return { items, nextCursor: next && changeCursor(next) };
}

/** The changes from `from` on, newest first, and the key of the one after them. 1 RRU per 4 KB of records. */
export async function followChanges(
  { store }: Context,
  jobId: string,
  from: ChangeKey | undefined,
  limit: number,
): Promise<{ items: ChangeView[]; next: ChangeKey | undefined }> {
  const items: ChangeView[] = [];
  let next = from;
  let bytes = 0;
  while (next && items.length < limit) {
    const found = items.length;
    for (const change of await store.listChanges(jobId, next, Math.min(limit - found, RECORDS_AT_ONCE))) {
      if (change.version !== next?.version || change.at !== next.at) continue; // the change never reached the head
      const view = changeView(change);
      bytes += jsonBytes(view);
      if (items.length > 0 && bytes > MAX_PAGE_BYTES) return { items, next };
      items.push(view);
      next = change.previous;
    }
    if (items.length === found) next = undefined;
  }
  return { items, next };
}
