import { expect, test } from 'vitest';
import { recoverShard } from '../../../src/scheduling/planning/recover.ts';
import { watch } from '../../../src/scheduling/planning/watch-shards.ts';
import { newRow } from '../../../src/scheduling/records/write-row.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

test('a queue that lost its contents gets a message for each execution that has not ended', async () => {
  const world = standingWorld();
  const { context, store } = world;
  await watch(context, [0], new AbortController().signal);
  const jobId = await world.create(EVERY_MINUTE);
  const ended = world.message(jobId, at('12:01:00'));
  await store.insertRow({ ...newRow(world.head(jobId), ended.due, ended.revision, 'SUCCEEDED'), attempt: 1 });
  const before = store.snapshot();
  world.sent.length = 0;

  const shard = await store.readShard(0);
  if (!shard) throw new Error('no watcher has come by');
  expect(await recoverShard(context, shard)).toEqual({ sent: 4 });
  expect(world.sent.map(({ fireAt }) => fireAt)).toEqual(
    ['12:02:00', '12:03:00', '12:04:00', '12:05:00'].map(at),
  );
  expect(store.snapshot()).toEqual(before);
});
