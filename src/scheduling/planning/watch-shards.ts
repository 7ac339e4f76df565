// One pass of a watcher over its shards: take each one's lease, recover if the shard was left alone, dispatch up to the
// horizon, settle what is old enough.
import { forEachLimit } from '../../concurrency/map-limit.ts';
import { MINUTE, minuteEnd, minuteOf } from '../../domain/executions/slots.ts';
import type { Shard } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { dispatchSlot } from './dispatch-slot.ts';
import { recoverShard } from './recover.ts';
import { settleSlot } from './settle-slot.ts';

export interface Watched {
  sent: number;
  corrected: number;
  /** Messages that were sent again because the queue may have lost them. */
  recovered: number;
  /** Shards that another watcher has in hand. */
  busy: number;
}

/**
 * A shard that nobody has watched yet starts this far back: jobs may have been created before its row. So does one whose
 * cursors were wrong.
 */
const LOOK_BACK_MINUTES = 60;
/** After downtime: the next shard's dispatch does not wait for all that there is to settle in this one. */
const MAX_SETTLED = 120;
/** Empty slots are passed quickly, after days of downtime thousands of them. So many slots are one pass's share. */
const MAX_PASSED = 3_600;
/** Of slots without work, each of so many moves the cursor: a commit per minute of downtime would take too long. */
const SLOTS_PER_COMMIT = 60;
/** Shards worked on side by side: enough to hide the round trips, few enough not to flood one process. */
const SIDE_BY_SIDE = 8;

export interface WatchOptions {
  /** The queue has lost its contents: its messages are sent again. */
  readonly recover?: boolean;
}

export async function watch(
  context: Context,
  shards: readonly number[],
  signal: AbortSignal,
  options: WatchOptions = {},
): Promise<Watched> {
  const total: Watched = { sent: 0, corrected: 0, recovered: 0, busy: 0 };
  // another one goes first each time: whoever takes long must not be in the same ones' way for ever
  const first = minuteOf(context.clock.now()) % Math.max(1, shards.length);
  const rotated = [...shards.slice(first), ...shards.slice(0, first)];
  await forEachLimit(rotated, SIDE_BY_SIDE, async (shard) => {
    if (signal.aborted) return;
    try {
      await watchShard(context, shard, signal, total, options);
    } catch (error) {
      // the cursor has not moved past what failed; the other shards must not wait for it
      context.log.error('a shard could not be watched', { shard, error: String(error) });
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
  // it needs no lease, so a pass that has the shard in hand is not in its way
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
  const commit = (
    change: { dispatchedUntil?: number; settledUntil?: number },
    leaseMs = settings.shardLeaseMs,
  ) => store.commitShard(shard, token, { ...change, leaseUntil: leaseMs === 0 ? 0 : clock.now() + leaseMs });

  const done = new AbortController();
  const renewing = renew(context, commit, done.signal);
  try {
    // read again under the lease: another watcher may have moved the cursors since
    const held = await notAheadOfTime(context, (await store.readShard(shard)) ?? row, token);
    if (!held) return;
    if (!recover && wasLeftAlone(context, held))
      total.recovered += (await recoverShard(context, held, signal)).sent;
    await advance(context, held, commit, signal, total);
  } finally {
    done.abort();
    await renewing;
    await commit({}, 0).catch(() =>
      context.log.warn('a shard was not released; its lease will run out', { shard }),
    );
  }
}

/** A lease that ends later than any taken now was written by a wrong clock, and does not count. */
function isLeased({ clock, settings }: Context, { leaseUntil }: Shard): boolean {
  const left = leaseUntil - clock.now();
  return left > 0 && left <= settings.shardLeaseMs + settings.clockSkewMs;
}

type Commit = (change: { dispatchedUntil?: number; settledUntil?: number }) => Promise<boolean>;

/** A slot may take longer than the lease; another watcher would begin it again, and so on for ever. */
async function renew({ clock, settings, log }: Context, commit: Commit, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await clock.sleep(settings.shardLeaseMs / 3, done);
    if (!done.aborted)
      await commit({}).catch((error) => log.warn('a shard was not renewed', { error: String(error) }));
  }
}

/** Acts first, commits after: a crash in between repeats a slot, and that is harmless. */
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
 * No watcher came by for longer than the look-ahead: everything was down, and nobody knows what became of the queue. All
 * that was dispatched before is overdue by now, so recover sends only what has not ended.
 */
const wasLeftAlone = ({ clock }: Context, { dispatchedUntil }: Shard): boolean =>
  dispatchedUntil < minuteOf(clock.now());

/**
 * Cursors beyond the horizon were moved by a wrong clock: what is planned now would be behind them, unsent. They are set
 * back, and the last hour is settled again. Repeated slots only send twice. Undefined: the lease is lost.
 */
async function notAheadOfTime(
  { store, clock, settings, log }: Context,
  row: Shard,
  token: string,
): Promise<Shard | undefined> {
  const now = clock.now();
  const aheadBy = row.dispatchedUntil - minuteOf(now + settings.lookAheadMs + settings.clockSkewMs);
  if (aheadBy <= 0) return row;
  const { shard } = row;
  log.error('the cursor of a shard is ahead of time: was a clock wrong?', {
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
