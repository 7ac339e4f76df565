// Refills the work queue at the start. The queue of a local server is in memory, so it is empty after a restart.
import type { Context } from '../scheduling/context.ts';
import { recoverShard } from '../scheduling/planning/recover.ts';
import { allShards } from '../watcher/main.ts';

export async function refillQueue(ctx: Context): Promise<number> {
  const sent = await Promise.all(allShards(ctx.settings.shards).map((shard) => refillShard(ctx, shard)));
  const total = sent.reduce((sum, count) => sum + count, 0);
  ctx.log.info('refilled the work queue', { sent: total });
  return total;
}

async function refillShard(ctx: Context, shard: number): Promise<number> {
  const { store, random } = ctx;
  const row = await store.readShard(shard);
  if (!row) return 0;
  // no other watcher uses this store, so the lease belongs to a process that has ended
  if (row.token) await store.takeShard(shard, row.token, random.id(12), 0);
  return (await recoverShard(ctx, row)).sent;
}
