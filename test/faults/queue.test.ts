// A queue that loses, doubles, delays and repeats its messages, and one that forgets everything.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startQueueServer } from '../support/engines.ts';
import { type Engines, inWorld, makeQueues, startEngines } from '../support/faults/accelerated-world.ts';
import { troubledQueue } from '../support/faults/chaos.ts';
import { randomOf } from '../support/faults/random.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

test.concurrent('messages are dropped, doubled, late, kept and handed out twice: every occurrence ends once', () =>
  inWorld(engines, 'queue-trouble', async (world) => {
    world.sqs.rule = troubledQueue(randomOf('queue-trouble'), {
      drop: 0.2,
      double: 0.2,
      late: 0.2,
      keep: 0.2,
      handOutTwice: 0.2,
    });
    await world.start('first', ['worker', 'watcher']);
    await world.start('second', ['worker']);
    const endAt = () => world.at(90_000);
    const misfire = { policy: 'runAll', graceSeconds: 60 } as const;
    for (let i = 0; i < 8; i++)
      await world.createAnyhow(() => ({
        schedule: { in: `PT${10 + i * 7}S` },
        params: { durationMs: i * 500 },
      }));
    for (const every of ['PT10S', 'PT16S', 'PT30S'])
      await world.createAnyhow(() => ({
        schedule: { every, endAt: endAt() },
        misfire,
        params: { durationMs: 2_000 },
      }));
    await world.createAnyhow(() => ({
      schedule: { every: 'PT20S', endAt: endAt() },
      overlap: 'queue',
      params: { durationMs: 15_000 },
    }));
    const withdrawn = await world.createAnyhow(() => ({
      schedule: { every: 'PT6S' },
      params: { durationMs: 1_000 },
    }));
    await world.sleep(40_000);
    await world.cancel(withdrawn);
    await world.check();
  }));

test.concurrent('the queue forgets everything and every process is killed: what was accepted runs after the restart', async () => {
  let queues = await startQueueServer();
  try {
    await inWorld({ ...engines, sqs: queues.endpoint }, 'wiped', async (world) => {
      const before = [await world.start('worker', ['worker']), await world.start('watcher', ['watcher'])];
      const ahead = await world.create({ schedule: { in: 'PT40S' } });
      const far = await world.create({ schedule: { in: 'PT150S' } });
      const endAt = world.at(210_000);
      const often = await world.create({
        schedule: { every: 'PT20S', endAt },
        // the kill may come while one runs: the next one waits until that is taken over
        overlap: 'queue',
        misfire: { policy: 'runAll', graceSeconds: 60 },
      });
      await world.sleep(30_000);
      await world.kill(...before);
      await queues.stop();
      queues = await startQueueServer();
      await makeQueues(queues.endpoint, world.tablePrefix, world.speed);
      world.sqs.upstream = queues.endpoint;
      await world.start('again', ['worker', 'watcher']);
      await world.check();

      for (const job of [ahead, far]) expect(await world.rows(job)).toMatchObject([{ status: 'SUCCEEDED' }]);
      const rows = await world.rows(often);
      expect(rows.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
      expect(rows.length).toBe(11);
    });
  } finally {
    await queues.stop();
  }
});
