import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/domain/executions/slots.ts';
import { forecast } from '../../src/queries/forecast.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { allShards } from '../../src/watcher/main.ts';
import { passSchema, shardRanges, shardsOf } from '../../src/watcher/shard-ranges.ts';
import { MemoryQueue } from '../support/memory-queue.ts';

const NOW = Date.parse('2026-11-16T12:00:30Z');
const entry = (job: number, at: number, kind: Entry['kind'] = 'regular'): Entry => ({
  at,
  jobId: `job_${job}`,
  revision: 'r',
  due: String(at),
  kind,
});

describe('the forecast', () => {
  const context = (store: MemoryStore): Context => ({
    store,
    queue: new MemoryQueue(),
    clock: { now: () => NOW, monotonic: () => NOW, sleep: async () => {} },
    random: { id: () => 'x', float: () => 0.5 },
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  });

  it('counts the executions due in each of the next minutes, and in the busiest second', async () => {
    const store = new MemoryStore({ shards: 16 });
    const spike = Date.parse('2026-11-16T12:04:00Z');
    await store.putEntries([
      ...Array.from({ length: 300 }, (_, n) => entry(n, spike)),
      ...Array.from({ length: 60 }, (_, n) => entry(1000 + n, Date.parse('2026-11-16T12:02:00Z') + n * 1000)),
      entry(2000, NOW + 1),
      // a check entry starts no execution
      entry(2001, spike, 'check'),
      // beyond the look-ahead
      entry(2002, NOW + 400_000),
    ]);
    const { perMinute, busiestSecond, truncated } = await forecast(context(store), allShards(16));
    expect(perMinute).toEqual([1, 0, 60, 0, 300, 0]);
    expect(busiestSecond).toBe(300);
    expect(truncated).toBe(false);
  });

  it('reads no further page after a maximum of entries, earlier minutes first', async () => {
    const store = new MemoryStore({ shards: 16, slotPage: 10 });
    const at = (minute: string) => Date.parse(`2026-11-16T12:${minute}:00Z`);
    await store.putEntries([
      ...Array.from({ length: 200 }, (_, n) => entry(n, at('01'))),
      ...Array.from({ length: 5000 }, (_, n) => entry(n, at('02'))),
      ...Array.from({ length: 300 }, (_, n) => entry(n, at('05'))),
    ]);
    let read = 0;
    const readSlot = store.readSlot.bind(store);
    store.readSlot = async (...slot) => {
      const page = await readSlot(...slot);
      read += page.items.length;
      return page;
    };
    const { perMinute, truncated } = await forecast(context(store), allShards(16), { maxEntries: 1000 });
    expect(truncated).toBe(true);
    expect(perMinute.slice(0, 2)).toEqual([0, 200]);
    expect(perMinute.slice(3)).toEqual([0, 0, 0]);
    // eight reads of ten entries may be under way when the maximum is reached
    expect(read).toBeLessThanOrEqual(1000 + 8 * 10);
  });

  it('reads no slot after it is aborted', async () => {
    const store = new MemoryStore({ shards: 16 });
    await store.putEntries([entry(1, NOW + 1)]);
    const { perMinute, truncated } = await forecast(context(store), allShards(16), {
      signal: AbortSignal.abort(),
    });
    expect(perMinute).toEqual([0, 0, 0, 0, 0, 0]);
    expect(truncated).toBe(true);
  });
});

describe('shard ranges', () => {
  it.each([
    [16, 1],
    [16, 3],
    [16, 16],
    [1024, 7],
  ])('of %i shards and %i watchers contain every shard once', (shards, watchers) => {
    const ranges = shardRanges(shards, watchers);
    expect(ranges).toHaveLength(watchers);
    expect(ranges.flatMap(shardsOf)).toEqual(allShards(shards));
  });
});

describe('the event of a pass', () => {
  it('recovers only with `recover: true`', () => {
    expect(passSchema.parse({ from: 0, to: 16 })).toEqual({ from: 0, to: 16, recover: false });
    expect(passSchema.parse({ from: 0, to: 16, recover: true })).toMatchObject({ recover: true });
    expect(passSchema.safeParse({ from: 0, to: 16, recover: 'yes' }).success).toBe(false);
  });
});
