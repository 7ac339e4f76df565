// Forecast of the load: the number of executions that are due in the next minutes. It is counted from the timetable, which has
// an entry for every occurrence within the look-ahead. Workers scale on it before the load arrives.
import { forEachLimit } from '../concurrency/map-limit.ts';
import { minuteOf } from '../domain/executions/slots.ts';
import type { Context } from '../scheduling/context.ts';

export interface Forecast {
  /** Executions due in each minute of the look-ahead. The first is the current minute. */
  readonly perMinute: readonly number[];
  /** Executions due in the busiest second. */
  readonly busiestSecond: number;
}

const MAX_CONCURRENT_READS = 8;

/** About 0.03 RRU per entry, and 0.5 RRU per empty slot. */
export async function forecast(
  { store, clock, settings }: Context,
  shards: readonly number[],
  signal: AbortSignal,
): Promise<Forecast> {
  const first = minuteOf(clock.now());
  const minutes = minuteOf(clock.now() + settings.lookAheadMs) - first + 1;
  const perMinute = Array<number>(minutes).fill(0);
  const perSecond = new Map<number, number>();

  const slots = shards.flatMap((shard) => perMinute.map((_, offset) => ({ shard, offset })));
  await forEachLimit(slots, MAX_CONCURRENT_READS, async ({ shard, offset }) => {
    let cursor: string | undefined;
    while (!signal.aborted) {
      const page = await store.readSlot(first + offset, shard, cursor);
      for (const { at, kind } of page.items) {
        if (kind === 'check') continue;
        perMinute[offset] = (perMinute[offset] ?? 0) + 1;
        const second = Math.floor(at / 1000);
        perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
      }
      cursor = page.next;
      if (cursor === undefined) return;
    }
  });
  let busiestSecond = 0;
  for (const count of perSecond.values()) busiestSecond = Math.max(busiestSecond, count);
  return { perMinute, busiestSecond };
}
