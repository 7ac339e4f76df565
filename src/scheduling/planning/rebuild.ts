// Rebuild: plans the entries of a shard again from its jobs. A timetable that removes entries by age has lost the only entry of a
// job after a month without watchers, and the job would never fire again (docs/protocol.md#rebuild).
//
// Every job gets again what the cursors rest on: an entry beyond the cursor of dispatch, from which its chain goes on, and a check
// of every occurrence that was dispatched and not settled. Entries that are still there are the same ones, so a repetition is
// harmless. Other kinds of entries are kept for longer than a year.

import { giveWay } from '../../concurrency/request-turns.ts';
import { shardOf } from '../../domain/executions/ids.ts';
import {
  type Entry,
  minuteEnd,
  minuteOf,
  minuteStart,
  OCCURRENCE_KEPT_MS,
} from '../../domain/executions/slots.ts';
import { isoUtc } from '../../domain/schedule/instant.ts';
import { isRecurring, latestOccurrence, unlessEnded } from '../../domain/schedule/occurrences.ts';
import type { HeadSummary, Shard, ShardChange } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { searchesOf } from '../searches.ts';
import { planUntil, regularEntry, searchEntry } from './plan.ts';

/** Entries are gone after twice this time. The watchers that have returned need the other half to reach them. */
const UNWATCHED_MS = OCCURRENCE_KEPT_MS / 2;
/** Jobs in one page. The progress is stored after each page. */
const PAGE = 200;
/** Pages of one pass, so that a pass ends also if there are millions of jobs. */
const MAX_PAGES = 500;
/** The most minutes between the two cursors of a shard that was watched. */
const MAX_UNSETTLED_MINUTES = 60;

type Commit = (change: Pick<ShardChange, 'rebuild'>) => Promise<boolean>;

/**
 * Rebuilds the entries of the shard if nobody came for long. False if the pass must end, and the next one goes on: dispatch may
 * not pass slots whose entries are still to come.
 */
export async function rebuildIfLost(
  context: Context,
  shard: Shard,
  commit: Commit,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, clock, log, settings } = context;
  const longAgo = clock.now() - UNWATCHED_MS;
  if (shard.dispatchedUntil >= minuteOf(longAgo)) return true;
  const { beganAt: at = 0 } = shard.rebuild ?? {};
  // a wrong clock may have begun one in the future
  const begun = at > longAgo && at <= clock.now() + settings.clockSkewMs ? shard.rebuild : undefined;
  if (begun && begun.next === undefined) return true; // dispatch is on its way
  const { beganAt, next: first } = begun ?? { beganAt: clock.now() };
  if (!begun)
    log.warn('no watcher came for long; planning the jobs of a shard again', {
      shard: shard.shard,
      since: isoUtc(minuteStart(shard.dispatchedUntil)),
    });
  let next = first;
  for (let pages = 0; pages < MAX_PAGES && !signal.aborted && !searchesOf(context).isSpent; pages++) {
    const page = await store.listAllHeads({ limit: PAGE, ...(next !== undefined && { cursor: next }) });
    const entries: Entry[] = [];
    for (const head of page.items) {
      if (head.status !== 'active' || shardOf(head.jobId, settings.shards) !== shard.shard) continue;
      const turn = giveWay();
      if (turn) await turn;
      entries.push(...(await entriesOf(context, head, shard)));
    }
    await store.putEntries(entries);
    ({ next } = page);
    if (!(await commit({ rebuild: { beganAt, next } }))) return false;
    if (next === undefined) return true;
  }
  return false;
}

/** The entries that a job needs in a shard with these cursors. */
async function entriesOf(context: Context, head: HeadSummary, shard: Shard): Promise<Entry[]> {
  const { dispatchedUntil } = shard;
  const cursor = minuteEnd(dispatchedUntil) - 1;
  const settledUntil = Math.max(shard.settledUntil, dispatchedUntil - MAX_UNSETTLED_MINUTES);
  // nothing was planned before the last change. The time of a job that runs once is never before it
  const planned = isRecurring(head.schedule) ? Math.max(head.updatedAt, head.pausedUntil ?? 0) : 0;
  const from = Math.max(minuteEnd(settledUntil), planned) - 1;
  try {
    const { inside, beyond, ended } = await planUntil(searchesOf(context), head.schedule, from, cursor);
    const checks = inside.map(
      (due): Entry => ({
        ...regularEntry(head, due),
        at: minuteStart(dispatchedUntil + 1),
        kind: 'check',
      }),
    );
    if (ended) return [...checks, searchEntry(head, ended.searchedUntil, dispatchedUntil + 1)];
    if (beyond === undefined) return checks;
    return [...checks, chainStart(context, head, beyond)];
  } catch (error) {
    context.log.error('failed to compute a schedule; dispatch tries again', {
      jobId: head.jobId,
      error: String(error),
    });
    return [searchEntry(head, Math.max(from, cursor), dispatchedUntil + 1)];
  }
}

/**
 * Where the chain of a job begins: with the first missed occurrence if its misfire policy runs all of them, else with the last
 * one. Months of others would only be skipped, each with a row. `first` is the first occurrence beyond the cursor.
 */
function chainStart(context: Context, head: HeadSummary, first: number): Entry {
  const { schedule, misfire } = head;
  if (!isRecurring(schedule) || misfire.policy === 'runAll') return regularEntry(head, first);
  const jitterMs = ('jitterSeconds' in schedule ? (schedule.jitterSeconds ?? 0) : 0) * 1_000;
  const missedUntil = context.clock.now() - misfire.graceSeconds * 1_000 - jitterMs;
  const last = unlessEnded(
    () => latestOccurrence(schedule, first, missedUntil, searchesOf(context)),
    () => undefined,
  );
  // as a search, because dispatch would take the occurrences before an entry for lost ones
  return last === undefined ? regularEntry(head, first) : searchEntry(head, last - 1, minuteOf(last));
}
