// Watchers that die between two of their steps, and watchers that are two.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardOf } from '../../src/domain/executions/ids.ts';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import { type Engines, inWorld, startEngines } from '../support/faults/accelerated-world.ts';
import { moveCursor, sendMessages } from '../support/faults/calls.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

/** A short look-ahead, so that it is the watcher who sends. */
const settings = { lookAheadMs: 60_000 };

test.concurrent('watchers are killed after sending and before the cursor moves: nothing is lost, nothing runs twice', () =>
  inWorld(
    engines,
    'watcher-killed',
    async (world) => {
      await world.start('worker', ['worker']);
      const startAt = world.at(130_000);
      const endAt = world.at(310_000);
      const job = await world.create({ schedule: { every: 'PT10S', startAt, endAt } });
      const shard = shardOf(job.jobId, world.context.settings.shards);
      const minute = minuteOf(Date.parse(startAt));

      const killAt = async (name: string, point: Promise<unknown>) => {
        const watcher = await world.start(name, ['watcher']);
        await point;
        await world.kill(watcher);
      };
      const cursor = moveCursor('dispatchedUntil', shard, minute);
      await killAt('first', world.dynamodb.stopBefore(cursor));
      await killAt('second', world.dynamodb.stopAfter(cursor));
      await killAt('third', world.sqs.stopAfter(sendMessages(job.jobId)));
      await world.start('fourth', ['watcher']);
      await world.check();

      const rows = await world.rows(job);
      expect(rows.length).toBe(19);
      expect(world.runs(job).length, 'nobody who runs was disturbed').toBe(
        rows.filter((row) => row.status === 'SUCCEEDED').length,
      );
    },
    { settings },
  ));

test.concurrent('two watchers on the same shards, one of them frozen in between: every occurrence once', () =>
  inWorld(
    engines,
    'two-watchers',
    async (world) => {
      await world.start('worker', ['worker']);
      const [first] = await Promise.all([
        world.start('first', ['watcher']),
        world.start('second', ['watcher']),
      ]);
      const startAt = world.at(60_000);
      const endAt = world.at(240_000);
      const jobs = await Promise.all(
        ['PT10S', 'PT14S', 'PT20S', 'PT61S'].map((every) =>
          world.create({ schedule: { every, startAt, endAt } }),
        ),
      );
      await world.sleep(60_000);
      first?.signal('SIGSTOP');
      await world.sleep(45_000);
      first?.signal('SIGCONT');
      await world.check();

      for (const job of jobs) {
        const rows = await world.rows(job);
        expect(world.runs(job).length).toBe(rows.filter((row) => row.status === 'SUCCEEDED').length);
      }
    },
    { settings },
  ));
