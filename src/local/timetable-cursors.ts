// Initializes the cursors of the timetable at the start of a local server.
import { minuteOf } from '../domain/executions/slots.ts';
import type { Context } from '../scheduling/context.ts';
import { StartError } from './start-error.ts';

/** The slots of a job depend on the number of shards. With another number its entries would not be found. */
async function refuseOtherShardCount(store: Context['store'], shards: number): Promise<void> {
  if (!(await store.readShard(0))) return;
  const [last, next] = await Promise.all([store.readShard(shards - 1), store.readShard(shards)]);
  if (last && !next) return;
  throw new StartError(
    `PUNCTUAL_SHARDS is ${shards}, but these tables were created with ${next ? 'more' : 'fewer'} shards. ` +
      'Set it to the number at their creation (16 unless it was set), or use other tables (PUNCTUAL_DATA, PUNCTUAL_PREFIX).',
  );
}

/**
 * Writes cursors that begin now, before a job can be created. Without cursors a watcher assumes older jobs and reads an hour
 * of empty slots. Shard 0 is written last, so its row means that all rows are written.
 */
export async function initializeTimetable({ store, clock, settings }: Context): Promise<void> {
  await refuseOtherShardCount(store, settings.shards);
  const before = minuteOf(clock.now()) - 1;
  const insert = (shard: number) =>
    store.insertShard({ shard, leaseUntil: 0, dispatchedUntil: before, settledUntil: before });
  const others = Array.from({ length: settings.shards - 1 }, (_, i) => i + 1);
  await Promise.all(others.map(insert));
  await insert(0);
}
