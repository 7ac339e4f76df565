// The cursors of the timetable at the start of a local server.
import { minuteOf } from '../domain/executions/slots.ts';
import type { Context } from '../scheduling/context.ts';
import { StartError } from './run.ts';

/** A job's slots follow from the number of shards: under another number its entries would not be found any more. */
async function sameShards(store: Context['store'], shards: number): Promise<void> {
  if (!(await store.readShard(0))) return;
  const [last, next] = await Promise.all([store.readShard(shards - 1), store.readShard(shards)]);
  if (last && !next) return;
  throw new StartError(
    `PUNCTUAL_SHARDS is ${shards}, and these tables were made with ${next ? 'more' : 'fewer'} shards. ` +
      'Start with the number they were made with (16 unless set), or with other tables (PUNCTUAL_DATA, PUNCTUAL_PREFIX).',
  );
}

/**
 * Writes the cursors, beginning now, before a job can be created. A watcher that finds no cursors assumes older jobs and reads
 * an hour of empty slots. Shard 0 is written last: its row says that all rows are there.
 */
export async function beginTimetable({ store, clock, settings }: Context): Promise<void> {
  await sameShards(store, settings.shards);
  const before = minuteOf(clock.now()) - 1;
  const insert = (shard: number) =>
    store.insertShard({ shard, leaseUntil: 0, dispatchedUntil: before, settledUntil: before });
  const others = Array.from({ length: settings.shards - 1 }, (_, i) => i + 1);
  await Promise.all(others.map(insert));
  await insert(0);
}
