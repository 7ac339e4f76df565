// Forecast of the load: the number of executions that are due in the next minutes. It is counted from the timetable, which has
// an entry for every occurrence within the look-ahead. Workers scale on it before the load arrives, and operators can read it.
import { forEachLimit } from '../concurrency/map-limit.ts';
import { minuteOf } from '../domain/executions/slots.ts';
import type { Context } from '../scheduling/context.ts';

export interface Forecast {
  /**
   * Executions due in each minute of the look-ahead. The first is the current minute. Entries of jobs that were paused or edited
   * since are counted, too.
   */
  readonly perMinute: readonly number[];
  /** Executions due in the busiest second. */
  readonly busiestSecond: number;
  /** Whether the count was ended by `maxEntries` or the signal. Earlier minutes are counted first. */
  readonly truncated: boolean;
}

export interface ForecastOptions {
  readonly signal?: AbortSignal;
  /** No further page is read after this many entries. Default: no limit. */
  readonly maxEntries?: number;
  /** Default true. */
  readonly consistent?: boolean;
}

const MAX_CONCURRENT_READS = 8;

/** About 0.03 RRU per entry, and 1 RRU per empty slot, which is one minute of one shard. Half of it if not consistent. */
export async function forecast(
  { store, clock, settings }: Context,
  shards: readonly number[],
  { signal, maxEntries = Number.POSITIVE_INFINITY, consistent = true }: ForecastOptions = {},
): Promise<Forecast> {
  const first = minuteOf(clock.now());
  const minutes = minuteOf(clock.now() + settings.lookAheadMs) - first + 1;
  const perMinute = Array<number>(minutes).fill(0);
  const perSecond = new Map<number, number>();
  let entries = 0;
  let truncated = false;

  const slots = perMinute.flatMap((_, offset) => shards.map((shard) => ({ shard, offset })));
  await forEachLimit(slots, MAX_CONCURRENT_READS, async ({ shard, offset }) => {
    let cursor: string | undefined;
    do {
      if (signal?.aborted || entries >= maxEntries) {
        truncated = true;
        return;
      }
      const page = await store.readSlot(first + offset, shard, cursor, { consistent });
      entries += page.items.length;
      for (const { at, kind } of page.items) {
        if (kind === 'check' || kind === 'search') continue;
        perMinute[offset] = (perMinute[offset] ?? 0) + 1;
        const second = Math.floor(at / 1000);
        perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
      }
      cursor = page.next;
    } while (cursor !== undefined);
  });
  let busiestSecond = 0;
  for (const count of perSecond.values()) busiestSecond = Math.max(busiestSecond, count);
  return { perMinute, busiestSecond, truncated };
}
