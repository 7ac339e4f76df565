// The finest schedule there is, for a minute.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engines, inWorld, startEngines } from '../support/faults/accelerated-world.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

test('every second for a minute: 60 runs and 60 rows', () =>
  inWorld(
    engines,
    'every-second',
    async (world) => {
      await world.start('all', ['worker', 'watcher']);
      await world.watched();
      const startAt = world.at(10_000);
      const endAt = new Date(Date.parse(startAt) + 59_000).toISOString();
      // a busy machine may take longer than a second of this time: then they queue, but none is left out
      const job = await world.create({
        schedule: { every: 'PT1S', startAt, endAt },
        overlap: 'queue',
        misfire: { policy: 'runOnce', graceSeconds: 3600 },
      });
      await world.check();

      const rows = await world.rows(job);
      expect(rows.filter((row) => row.status !== 'SUCCEEDED')).toEqual([]);
      expect(rows.length).toBe(60);
      expect(world.runs(job).length).toBe(60);
    },
    { speed: 6 },
  ));
