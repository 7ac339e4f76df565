// One pass of a watcher over its shards. For each shard: acquire the lease, recover if no watcher came for long, dispatch up to
// the horizon, and settle the slots that are old enough.
import { forEachLimit } from '../../concurrency/map-limit.ts';
import { MINUTE, minuteEnd, minuteOf } from '../../domain/executions/slots.ts';
import type { Shard, ShardChange } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { withSearchBudget } from '../searches.ts';
import { dispatchSlot } from './dispatch-slot.ts';
import { rebuildIfLost } from './rebuild.ts';
import { recoverShard } from './recover.ts';
import { settleSlot } from './settle-slot.ts';

export interface Watched {
  sent: number;
  corrected: number;
  /** Messages sent again because the queue may have lost them. */
  recovered: number;
  /** Shards that another watcher holds. */
  busy: number;
}

/** How far back the cursors of a new shard start, because jobs may have been created before its row. Also after a reset. */
const LOOK_BACK_MINUTES = 60;
/** Slots with entries that one pass settles per shard. After downtime, the next shard's dispatch must not wait for all of them. */
const MAX_SETTLED = 120;
/** Slots that one pass settles per shard, empty ones included. After days of downtime there are thousands of them. */
const MAX_PASSED = 3_600;
/** Empty slots per commit of the cursor. A commit per minute of downtime would take too long. */
const SLOTS_PER_COMMIT = 60;
/** Shards that a pass works on concurrently: enough to hide round trips, few enough for one process. */
const MAX_CONCURRENT_SHARDS = 8;

export interface WatchOptions {
  /** Whether the queue has lost its messages, which are sent again then. */
  readonly recover?: boolean;
}

export async function watch(
  context: Context,
  shards: readonly number[],
  signal: AbortSignal,
  options: WatchOptions = {},
): Promise<Watched> {
  const total: Watched = { sent: 0, corrected: 0, recovered: 0, busy: 0 };
  // another shard goes first in each pass, so that a slow shard does not always delay the same ones
  const first = minuteOf(context.clock.now()) % Math.max(1, shards.length);
  const rotated = [...shards.slice(first), ...shards.slice(0, first)];
  await forEachLimit(rotated, MAX_CONCURRENT_SHARDS, async (shard) => {
    if (signal.aborted) return;
    try {
      await withSearchBudget(context.searchLimits, () => watchShard(context, shard, signal, total, options));
    } catch (error) {
      // the cursor has not passed the failed slot, and the next pass repeats it
      context.log.error('failed to watch a shard', { shard, error: String(error) });
    }
  });
  return total;
}

export async function watchShard(
  context: Context,
  shard: number,
  signal: AbortSignal,
  total: Watched,
  { recover = false }: WatchOptions = {},
): Promise<void> {
  const { store, clock, random, settings } = context;
  const row = (await store.readShard(shard)) ?? (await firstRow(context, shard));
  // recover needs no lease, so it runs beside a pass that holds the shard
  if (recover) total.recovered += (await recoverShard(context, row, signal)).sent;
  if (row.token && isLeased(context, row)) {
    total.busy++;
    return;
  }
  const token = random.id(12);
  if (!(await store.takeShard(shard, row.token, token, clock.now() + settings.shardLeaseMs))) {
    total.busy++;
    return;
  }
  const commit = (change: Omit<ShardChange, 'leaseUntil'>, leaseMs = settings.shardLeaseMs) =>
    store.commitShard(shard, token, { ...change, leaseUntil: leaseMs === 0 ? 0 : clock.now() + leaseMs });

  const done = new AbortController();
  const renewing = renew(context, commit, done.signal);
  try {
    // another watcher may have moved the cursors since the first read
    const held = await withoutFutureCursors(context, (await store.readShard(shard)) ?? row, token);
    if (!held) return;
    if (!(await rebuildIfLost(context, held, commit, signal))) return;
    if (!recover && wasUnwatched(context, held))
      total.recovered += (await recoverShard(context, held, signal)).sent;
    await advance(context, held, commit, signal, total);
  } finally {
    done.abort();
    await renewing;
    await commit({}, 0).catch(() =>
      context.log.warn('failed to release a shard; its lease will expire', { shard }),
    );
  }
}

/** Whether the shard is leased. A lease that ends later than any acquired now was written by a wrong clock, and does not count. */
function isLeased({ clock, settings }: Context, { leaseUntil }: Shard): boolean {
  const left = leaseUntil - clock.now();
  return left > 0 && left <= settings.shardLeaseMs + settings.clockSkewMs;
}

type Commit = (change: Omit<ShardChange, 'leaseUntil'>) => Promise<boolean>;

/** Renews the lease. A slot may take longer than the lease, and without renewal every watcher would begin it again. */
async function renew({ clock, settings, log }: Context, commit: Commit, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await clock.sleep(settings.shardLeaseMs / 3, done);
    if (!done.aborted)
      await commit({}).catch((error) =>
        log.warn('failed to renew the lease of a shard', { error: String(error) }),
      );
  }
}

/** Moves the cursors. It acts first and commits after, so a crash in between repeats a slot, which is harmless. */
async function advance(
  context: Context,
  row: Shard,
  commit: Commit,
  signal: AbortSignal,
  total: Watched,
): Promise<void> {
  const { clock, settings } = context;
  const { shard } = row;
  let { dispatchedUntil, settledUntil } = row;
  const dispatchable = () =>
    dispatchedUntil < minuteOf(clock.now() + settings.lookAheadMs) && !signal.aborted;
  while (dispatchable()) {
    const { sent } = await dispatchSlot(context, shard, dispatchedUntil + 1);
    total.sent += sent;
    dispatchedUntil++;
    const isDue = sent > 0 || dispatchedUntil % SLOTS_PER_COMMIT === 0 || !dispatchable();
    if (isDue && !(await commit({ dispatchedUntil }))) return;
  }
  let passed = 0;
  let settled = 0;
  const settleable = () =>
    minuteEnd(settledUntil + 1) + settings.settleLagMs <= clock.now() &&
    settledUntil < dispatchedUntil &&
    settled < MAX_SETTLED &&
    passed < MAX_PASSED &&
    !signal.aborted;
  while (settleable()) {
    const { entries, corrected } = await settleSlot(context, shard, settledUntil + 1, dispatchedUntil);
    total.corrected += corrected;
    settledUntil++;
    passed++;
    if (entries > 0) settled++;
    const isDue = entries > 0 || settledUntil % SLOTS_PER_COMMIT === 0 || !settleable();
    if (isDue && !(await commit({ settledUntil }))) return;
  }
}

/**
 * Whether no watcher came for longer than the look-ahead. The whole deployment was down then, and the queue may have lost its
 * messages. All that was dispatched is overdue by now, so recover sends only what has not ended.
 */
const wasUnwatched = ({ clock }: Context, { dispatchedUntil }: Shard): boolean =>
  dispatchedUntil < minuteOf(clock.now());

/**
 * Resets cursors beyond the horizon, which a wrong clock has moved. Occurrences planned now would be behind them and never be
 * sent. The last hour is settled again, which only sends messages twice. Undefined if the lease is lost.
 */
async function withoutFutureCursors(
  { store, clock, settings, log }: Context,
  row: Shard,
  token: string,
): Promise<Shard | undefined> {
  const now = clock.now();
  const aheadBy = row.dispatchedUntil - minuteOf(now + settings.lookAheadMs + settings.clockSkewMs);
  if (aheadBy <= 0) return row;
  const { shard } = row;
  log.error('the cursor of a shard is in the future; a clock may be wrong', {
    shard,
    aheadMs: aheadBy * MINUTE,
  });
  const settledUntil = Math.min(row.settledUntil, minuteOf(now) - LOOK_BACK_MINUTES);
  const cursors = { dispatchedUntil: Math.min(minuteOf(now) - 1, settledUntil), settledUntil };
  return (await store.resetShard(shard, token, cursors)) ? { ...row, ...cursors } : undefined;
}

async function firstRow({ store, clock }: Context, shard: number): Promise<Shard> {
  const start = minuteOf(clock.now()) - LOOK_BACK_MINUTES;
  const row: Shard = { shard, leaseUntil: 0, dispatchedUntil: start, settledUntil: start };
  await store.insertShard(row);
  return (await store.readShard(shard)) ?? row;
}
