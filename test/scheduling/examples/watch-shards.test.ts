import { expect, test } from 'vitest';
import { minuteOf } from '../../../src/domain/executions/slots.ts';
import { watch } from '../../../src/scheduling/planning/watch-shards.ts';
import { at, standingWorld } from '../../support/standing-world.ts';
import { onNextCall } from '../../support/store-faults.ts';

const never = new AbortController().signal;

test('a second watcher leaves a shard alone until the lease of the first has ended', async () => {
  const world = standingWorld();
  const { context, store } = world;
  await watch(context, [0], never);
  const jobId = await world.create({ schedule: { at: '2026-12-01T12:20:00Z' } });

  world.now = at('12:16:00');
  const died = Promise.withResolvers<void>();
  onNextCall(store, 'readSlot', () => {
    died.resolve();
    return new Promise(() => {});
  });
  void watch(context, [0], never);
  await died.promise;

  expect(await watch(context, [0], never)).toMatchObject({ busy: 1, sent: 0 });
  expect(world.sent).toEqual([]);

  world.now += context.settings.shardLeaseMs;
  expect(await watch(context, [0], never)).toMatchObject({ busy: 0, sent: 1 });
  expect(world.message(jobId, at('12:20:00'))).toBeDefined();
  expect((await store.readShard(0))?.dispatchedUntil).toBe(
    minuteOf(world.now + context.settings.lookAheadMs),
  );
});
