// The watcher as a loop: one pass at the start, so that recovery does not wait, then one shortly after the beginning of each
// watch period. A second loop carries out background operations. On AWS, EventBridge starts each pass instead.

import { carryOutOperations } from '../jobs/operations/carry-out.ts';
import type { Context } from '../scheduling/context.ts';
import { watch } from '../scheduling/planning/watch-shards.ts';

/** The delay of a pass after the period's beginning. Cursors move by whole minutes, so there is work just after a minute. */
const PASS_DELAY_MS = 2_000;

/** How often the watcher looks for open operations. 2 RRU each time. */
export const LOOK_FOR_OPERATIONS_MS = 2_000;

export async function runWatcher(
  ctx: Context,
  shards: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([runPasses(ctx, shards, signal), runOperations(ctx, signal)]);
}

/** A loop of its own, so that a long operation does not delay a pass. */
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
      log.debug('watcher pass finished', {
        shards: shards.length,
        ms: Math.round(clock.monotonic() - started),
      });
    } catch (error) {
      // the next pass continues at the cursors, so nothing is lost
      if (!signal.aborted) log.error('watcher pass failed', { error });
    }
    const now = clock.now();
    const untilNext = nextPassAt(now, settings.watchPeriodMs) - now;
    // another watcher holds a shard and may have been killed, so the next pass comes after its lease
    await clock.sleep(busy > 0 ? Math.min(untilNext, settings.shardLeaseMs / 3) : untilNext, signal);
  }
}

/** The time of the next pass: the next multiple of the period, plus `PASS_DELAY_MS` or a tenth of the period. */
export function nextPassAt(now: number, periodMs: number): number {
  const offset = Math.min(PASS_DELAY_MS, periodMs / 10);
  return (Math.floor((now - offset) / periodMs) + 1) * periodMs + offset;
}

export const allShards = (shards: number): number[] => Array.from({ length: shards }, (_, shard) => shard);
