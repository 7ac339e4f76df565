// The state of the deployment, for operators: how far the watcher is, and what runs it.
import { forEachLimit } from '../concurrency/map-limit.ts';
import { minuteEnd, minuteOf } from '../domain/executions/slots.ts';
import type { Context } from '../scheduling/context.ts';

export interface ShardState {
  readonly shard: number;
  /** Executions that are due before this time have been sent to the queue. Undefined if no watcher has come yet. */
  readonly dispatchedUntil?: number;
  /** Executions that were due before this time have been checked. Undefined if no watcher has come yet. */
  readonly settledUntil?: number;
  /** Seconds that the cursor is behind the horizon. Up to 60 between two passes. */
  readonly dispatchLagSeconds?: number;
  /** Seconds that the cursor is behind the slot that can be settled. Up to 60 between two passes. */
  readonly settleLagSeconds?: number;
}

export interface SystemState {
  readonly engine: 'embedded' | 'aws';
  readonly readAt: number;
  /** Executions that are due before this time should have been sent to the queue. */
  readonly horizon: number;
  readonly shards: readonly ShardState[];
}

const PARALLEL_READS = 16;

/** 1 RRU per shard. */
export async function getSystem(context: Context): Promise<SystemState> {
  const { clock, settings, boot } = context;
  const now = clock.now();
  const numbers = Array.from({ length: settings.shards }, (_, shard) => shard);
  const shards: ShardState[] = [];
  await forEachLimit(numbers, PARALLEL_READS, async (shard) => {
    shards[shard] = await shardState(context, shard, now);
  });
  return {
    engine: boot === undefined ? 'aws' : 'embedded',
    readAt: now,
    horizon: minuteEnd(minuteOf(now + settings.lookAheadMs)),
    shards,
  };
}

async function shardState({ store, settings }: Context, shard: number, now: number): Promise<ShardState> {
  const row = await store.readShard(shard);
  if (!row) return { shard };
  const { dispatchedUntil, settledUntil } = row;
  const secondsBehind = (minute: number, target: number): number => Math.max(0, target - minute) * 60;
  return {
    shard,
    dispatchedUntil: minuteEnd(dispatchedUntil),
    settledUntil: minuteEnd(settledUntil),
    dispatchLagSeconds: secondsBehind(dispatchedUntil, minuteOf(now + settings.lookAheadMs)),
    settleLagSeconds: secondsBehind(settledUntil, minuteOf(now - settings.settleLagMs) - 1),
  };
}
