import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { allShards, LOOK_FOR_OPERATIONS_MS, nextPassAt, runWatcher } from '../../src/watcher/main.ts';
import { MemoryQueue } from '../support/memory-queue.ts';

const at = (time: string) => Date.parse(`2026-11-16T${time}Z`);

describe('the next pass', () => {
  it('is two seconds after the minute', () => {
    expect(nextPassAt(at('12:00:00'), 60_000)).toBe(at('12:00:02'));
    expect(nextPassAt(at('12:00:02'), 60_000)).toBe(at('12:01:02'));
    expect(nextPassAt(at('12:00:59.999'), 60_000)).toBe(at('12:01:02'));
  });

  it('comes once per period if the period is short', () => {
    expect(nextPassAt(at('12:00:00.5'), 1000)).toBe(at('12:00:01.1'));
  });
});

describe('the watcher', () => {
  /** A sleep moves the clock. The watcher stops after `sleeps` sleeps between passes. */
  async function watchFor(sleeps: number, store = new MemoryStore({ shards: 2 })) {
    const stop = new AbortController();
    const passes: number[] = [];
    const logged: { level: string; message: string }[] = [];
    let now = at('12:00:30');
    const ctx: Context = {
      store,
      queue: new MemoryQueue(),
      clock: {
        now: () => now,
        monotonic: () => now,
        async sleep(ms, signal) {
          if (ms === 0) return;
          // between passes; within one, only a lease waits to be renewed, and a pass takes no time here
          if (signal !== stop.signal || ms === LOOK_FOR_OPERATIONS_MS)
            return new Promise((r) => signal?.addEventListener('abort', () => r()));
          passes.push(now);
          now += ms;
          if (passes.length === sleeps) stop.abort();
        },
      },
      random: { id: (length) => 'x'.repeat(length), float: () => 0 },
      log: createLog('debug', {}, (line) => logged.push(JSON.parse(line))),
      settings: { ...DEFAULT_SETTINGS, shards: 2 },
    };
    await runWatcher(ctx, allShards(2), stop.signal);
    return { passes, logged, store };
  }

  it('makes a pass at once, then one after every minute', async () => {
    const { passes, store } = await watchFor(3);
    expect(passes).toEqual([at('12:00:30'), at('12:01:02'), at('12:02:02')]);
    const dispatched = store.snapshot().shards.map((shard) => shard.dispatchedUntil * 60_000);
    expect(dispatched).toEqual([at('12:07:00'), at('12:07:00')]);
  });

  it('carries out open operations in parallel to its passes', async () => {
    const store = new MemoryStore({ shards: 2 });
    const looked: number[] = [];
    store.listOpenOperations = async (limit) => {
      looked.push(limit);
      return [];
    };
    await watchFor(2, store);
    expect(looked).toHaveLength(1);
  });

  it('logs a failed pass and continues', async () => {
    const store = new MemoryStore({ shards: 2 });
    store.readShard = () => Promise.reject(new Error('no answer'));
    const { passes, logged } = await watchFor(2, store);
    expect(passes).toHaveLength(2);
    expect(logged.filter(({ level }) => level === 'ERROR').length).toBeGreaterThan(0);
  });
});
