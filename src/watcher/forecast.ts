// How much will be due in the next minutes: counted from the timetable, where every occurrence within the horizon has an
// entry. Workers are started by it before the load is there.
import { forEachLimit } from '../concurrency/map-limit.ts';
import { minuteOf } from '../domain/executions/slots.ts';
import type { Context } from '../scheduling/context.ts';

export interface Forecast {
  /** Executions due in each of the coming minutes; the first is the current one. */
  readonly perMinute: readonly number[];
  /** Of the busiest second of them all. */
  readonly busiestSecond: number;
}

const SIDE_BY_SIDE = 8;

/** About 0.03 RRU per entry, and 0.5 per shard and minute that has none. */
export async function forecast(
  { store, clock, settings }: Context,
  shards: readonly number[],
  signal: AbortSignal,
): Promise<Forecast> {
  const first = minuteOf(clock.now());
  const minutes = minuteOf(clock.now() + settings.lookAheadMs) - first + 1;
  const perMinute = Array<number>(minutes).fill(0);
  const perSecond = new Map<number, number>();

  const slots = shards.flatMap((shard) => perMinute.map((_, ahead) => ({ shard, ahead })));
  await forEachLimit(slots, SIDE_BY_SIDE, async ({ shard, ahead }) => {
    let cursor: string | undefined;
    while (!signal.aborted) {
      const page = await store.readSlot(first + ahead, shard, cursor);
      for (const { at, kind } of page.items) {
        if (kind === 'check') continue;
        perMinute[ahead] = (perMinute[ahead] ?? 0) + 1;
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
