// kill -9 of a worker, at every point of an execution's life.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handsOut, insertRow, take } from './calls.ts';
import type { Accepted } from './check.ts';
import { type Engines, inWorld, startEngines } from './world.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

test.concurrent('a worker is killed while it holds, claims, runs and finishes: each of its jobs runs all the same', () =>
  inWorld(engines, 'worker-killed', async (world) => {
    const worker = await world.start('victim', ['worker']);
    const create = (inMs: number) =>
      world.create({ schedule: { at: world.at(inMs) }, params: { durationMs: 4_000 } });

    // one job for each point; all of them are there when the process dies
    const held = await create(60_000);
    const takes = await create(14_000);
    const taken = await create(14_000);
    const ends = await create(10_000);
    const ended = await create(10_000);
    const runs = await world.create({ schedule: { at: world.at(14_000) }, params: { durationMs: 60_000 } });
    await Promise.all([
      world.until('it is held', () => world.sqs.calls.some(handsOut(held.jobId))),
      world.dynamodb.stopBefore(take(takes.jobId)),
      world.dynamodb.stopAfter(take(taken.jobId)),
      world.dynamodb.stopBefore(insertRow(ends.jobId)),
      world.dynamodb.stopAfter(insertRow(ended.jobId)),
      world.until('the long one runs', () => world.runs(runs).length === 1),
    ]);
    await world.kill(worker);
    await world.start('rescuer', ['worker', 'watcher']);
    await world.check(world.now + 60_000);

    const starts = (job: Accepted) => world.runs(job).length;
    expect({ held: starts(held), takes: starts(takes), taken: starts(taken) }).toEqual({
      held: 1,
      takes: 1,
      taken: 1,
    });
    expect({ runs: starts(runs), ends: starts(ends) }, 'what nobody knows the end of runs again').toEqual({
      runs: 2,
      ends: 2,
    });
    expect(starts(ended), 'an end that was written is the end').toBe(1);
  }));
