// The embedded queue is in memory, so it is empty after a restart. Settle would send again what was lost, but only
// minutes later; here it is known at once. So every slot between the two cursors is sent again: that is harmless, as
// any doubled message is, and what is due in ten seconds comes on time.
import type { Context } from '../scheduling/context.ts';
import { dispatchSlot } from '../scheduling/dispatch.ts';
import { allShards } from '../watcher/main.ts';

export async function refillQueue(ctx: Context): Promise<number> {
  const sent = await Promise.all(allShards(ctx.settings.shards).map((shard) => resendShard(ctx, shard)));
  const total = sent.reduce((sum, count) => sum + count, 0);
  ctx.log.info('filled the queue', { sent: total });
  return total;
}

async function resendShard(ctx: Context, shard: number): Promise<number> {
  const { store, random } = ctx;
  const row = await store.readShard(shard);
  if (!row) return 0;
  // the engines are ours alone and were not running: whoever had the lease was killed with them
  if (row.token) await store.takeShard(shard, row.token, random.id(12), 0);
  let total = 0;
  for (let minute = row.settledUntil + 1; minute <= row.dispatchedUntil; minute++) {
    const { sent } = await dispatchSlot(ctx, shard, minute);
    total += sent;
  }
  return total;
}
