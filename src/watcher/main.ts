// The watcher as a loop: one pass over its shards at the start, so that recovery does not wait, and then one per watch
// period, shortly after its beginning. (On AWS, EventBridge calls for each pass.) Beside it, background operations.

import { carryOutOperations } from '../jobs/operations/carry-out.ts';
import type { Context } from '../scheduling/context.ts';
import { watch } from '../scheduling/planning/watch-shards.ts';

/** A slot is settled and cursors move by whole minutes: just after the minute there is something to do. */
const AFTER_THE_MINUTE_MS = 2_000;

/** Operations that a request began and did not finish are looked for this often. 2 RRU each time. */
export const LOOK_FOR_OPERATIONS_MS = 2_000;

export async function runWatcher(
  ctx: Context,
  shards: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([runPasses(ctx, shards, signal), runOperations(ctx, signal)]);
}

/** On its own, so that a long operation does not delay a pass. */
async function runOperations(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await carryOutOperations(ctx, () => !signal.aborted);
    await ctx.clock.sleep(LOOK_FOR_OPERATIONS_MS, signal);
  }
}

async function runPasses(ctx: Context, shards: readonly number[], signal: AbortSignal): Promise<void> {
  const { clock, log, settings } = ctx;
  while (!signal.aborted) {
    const started = clock.monotonic();
    let busy = 0;
    try {
      ({ busy } = await watch(ctx, shards, signal));
      log.debug('watched', { shards: shards.length, ms: Math.round(clock.monotonic() - started) });
    } catch (error) {
      // the next pass starts where the cursors stand; nothing is lost by waiting for it
      if (!signal.aborted) log.error('a pass of the watcher failed', { error });
    }
    const now = clock.now();
    const untilNext = nextPassAt(now, settings.watchPeriodMs) - now;
    // who has a shard in hand may have been killed: its lease is waited for, not the next minute
    await clock.sleep(busy > 0 ? Math.min(untilNext, settings.shardLeaseMs / 3) : untilNext, signal);
  }
}

/** The next multiple of the period, and a little. */
export function nextPassAt(now: number, periodMs: number): number {
  const offset = Math.min(AFTER_THE_MINUTE_MS, periodMs / 10);
  return (Math.floor((now - offset) / periodMs) + 1) * periodMs + offset;
}

export const allShards = (shards: number): number[] => Array.from({ length: shards }, (_, shard) => shard);
