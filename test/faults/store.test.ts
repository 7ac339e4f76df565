// Tables that fail, throttle, lose answers and take batches in part; and tables whose engine is killed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AcceleratedWorld,
  type Engines,
  inWorld,
  startEngines,
} from '../support/faults/accelerated-world.ts';
import { troubledStore } from '../support/faults/chaos.ts';
import { startChild } from '../support/faults/child.ts';
import { randomOf } from '../support/faults/random.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

async function someJobs(world: AcceleratedWorld) {
  const endAt = () => world.at(75_000);
  const misfire = { policy: 'runAll', graceSeconds: 60 } as const;
  for (let i = 0; i < 6; i++)
    await world.createAnyhow(() => ({
      schedule: { in: `PT${20 + i * 9}S` },
      params: { durationMs: i * 4_000 },
    }));
  await world.createAnyhow(() => ({
    schedule: { every: 'PT10S', endAt: endAt() },
    misfire,
    params: { durationMs: 1_000 },
  }));
  await world.createAnyhow(() => ({
    schedule: { every: 'PT15S', endAt: endAt() },
    misfire,
    params: { durationMs: 2_000, failTimes: 1 },
  }));
  await world.createAnyhow(() => ({
    schedule: { every: 'PT20S', endAt: endAt() },
    overlap: 'queue',
    params: { durationMs: 12_000 },
  }));
  await world.createAnyhow(() => ({
    schedule: { every: 'PT20S', endAt: endAt() },
    overlap: 'allow',
    params: { durationMs: 25_000 },
  }));
  return world.createAnyhow(() => ({ schedule: { every: 'PT8S' }, params: { durationMs: 1_000 } }));
}

test.concurrent('calls fail, are throttled, lose their answers and are carried out in part, throughout', () =>
  inWorld(
    engines,
    'store-trouble',
    async (world) => {
      const trouble = { fail: 0.04, throttle: 0.06, lose: 0.06, loseAll: 0.02, part: 0.2 };
      world.dynamodb.rule = troubledStore(randomOf('store-trouble'), trouble);
      await Promise.all([world.start('first', ['worker', 'watcher']), world.start('second', ['worker'])]);
      const withdrawn = await someJobs(world);
      await world.sleep(50_000);
      await world.cancel(withdrawn);
      await world.check();
    },
    { speed: 12 },
  ));

test.concurrent('the process that owns the tables is killed: on the same file everything goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-engine-'));
  const start = (port: string) => startChild('engine', './engine.ts', [port, join(folder, 'tables.db')]);
  let engine = await start('');
  try {
    const dynamodb = engine.url;
    await inWorld({ ...engines, dynamodb }, 'engine-killed', async (world) => {
      await world.start('all', ['worker', 'watcher']);
      const withdrawn = await someJobs(world);
      await world.sleep(40_000);
      await engine.kill();
      await world.sleep(20_000);
      engine = await start(new URL(dynamodb).port);
      await world.cancel(withdrawn);
      await world.check();
    });
    expect(engine.url).toBe(dynamodb);
  } finally {
    await engine.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
