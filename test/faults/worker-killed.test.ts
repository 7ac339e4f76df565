// kill -9 of a worker, at every point of an execution's life.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engines, inWorld, startEngines } from '../support/faults/accelerated-world.ts';
import { endRow, handsOut, openRow, takeLock } from '../support/faults/calls.ts';
import type { Accepted } from '../support/faults/check.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

test.concurrent('a worker is killed while it holds, claims, runs and finishes: each of its jobs runs all the same', () =>
  inWorld(
    engines,
    'worker-killed',
    async (world) => {
      const worker = await world.start('victim', ['worker']);

      // one job for each point; all of them are there when the process dies
      const reached = Promise.all([
        world.dynamodb.stopBefore(openRow(world.idOf('opens'))),
        world.dynamodb.stopAfter(openRow(world.idOf('opened'))),
        world.dynamodb.stopBefore(takeLock(world.idOf('takes'))),
        world.dynamodb.stopAfter(takeLock(world.idOf('taken'))),
        world.dynamodb.stopBefore(endRow(world.idOf('ends'), 'SUCCEEDED')),
        world.dynamodb.stopAfter(endRow(world.idOf('ended'), 'SUCCEEDED')),
      ]);
      const create = (key: string, durationMs: number, seconds = 5) =>
        world.create({ schedule: { in: `PT${seconds}S` }, params: { durationMs } }, key);
      const [opens, opened, takes, taken, ends, ended] = await Promise.all(
        ['opens', 'opened', 'takes', 'taken', 'ends', 'ended'].map((key) => create(key, 2_000)),
      );
      const runs = await create('runs', 60_000);
      await reached;
      const held = await create('held', 2_000, 60);
      await world.until('one runs', () => world.runs(runs).length === 1);
      await world.until('one is held', () => world.sqs.calls.some(handsOut(held.jobId)));
      await world.kill(worker);
      await world.start('rescuer', ['worker', 'watcher']);
      await world.check();

      const starts = (job: Accepted | undefined) => (job ? world.runs(job).length : -1);
      const unstarted = [held, opens, opened, takes, taken].map(starts);
      expect(unstarted, 'what had not started runs once').toEqual([1, 1, 1, 1, 1]);
      expect({ runs: starts(runs), ends: starts(ends) }, 'what nobody knows the end of runs again').toEqual({
        runs: 2,
        ends: 2,
      });
      expect(starts(ended), 'an end that was written is the end').toBe(1);
    },
    { groupCommit: false },
  ));
