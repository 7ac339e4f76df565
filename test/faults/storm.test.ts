// Everything at once: processes are killed at random moments while the tables fail, the queue loses and doubles, and
// jobs are created and cancelled.
import { afterAll, beforeAll, test } from 'vitest';
import {
  type AcceleratedWorld,
  type Engines,
  inWorld,
  type Spec,
  startEngines,
} from '../support/faults/accelerated-world.ts';
import { troubledQueue, troubledStore } from '../support/faults/chaos.ts';
import type { Accepted } from '../support/faults/check.ts';
import type { Child } from '../support/faults/child.ts';
import type { Role } from '../support/faults/part.ts';
import { randomOf } from '../support/faults/random.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

const PARTS: readonly (readonly Role[])[] = [['worker'], ['worker'], ['watcher']];
const OVERLAPS = ['skip', 'queue', 'allow'] as const;
const POLICIES = ['runAll', 'runOnce', 'skip'] as const;

function anySpec(random: () => number, endAt: string): Spec {
  const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0];
  return {
    schedule:
      random() < 0.4
        ? { in: `PT${5 + Math.floor(random() * 60)}S` }
        : { every: pick(['PT6S', 'PT11S', 'PT25S']), endAt },
    overlap: pick(OVERLAPS),
    misfire: { policy: pick(POLICIES), graceSeconds: 60 },
    params: { durationMs: Math.floor(random() * 12_000), failTimes: random() < 0.2 ? 1 : 0 },
  };
}

async function killAndRestart(world: AcceleratedWorld, random: () => number, until: number): Promise<void> {
  const alive: Child[] = await Promise.all(PARTS.map((roles, i) => world.start(`part-${i}`, roles)));
  while (world.now < until) {
    await world.sleep(15_000 + random() * 15_000);
    const i = Math.floor(random() * alive.length);
    const [victim] = alive.slice(i);
    if (victim) await world.kill(victim);
    alive[i] = await world.start(`part-${i}`, PARTS[i] ?? ['worker']);
  }
}

async function createAndCancel(world: AcceleratedWorld, random: () => number): Promise<void> {
  const created: Accepted[] = [];
  for (let i = 0; i < 12; i++) {
    created.push(await world.createAnyhow(() => anySpec(random, world.at(100_000))));
    await world.sleep(random() * 6_000);
    const [job] = created.slice(Math.floor(random() * created.length));
    if (job && random() < 0.35 && job.withdrawAskedAt === undefined) await world.cancel(job);
  }
}

test('parts are killed at random while tables and queue are troubled and jobs are created and cancelled', () =>
  inWorld(
    engines,
    'storm',
    async (world) => {
      const random = randomOf('storm');
      world.dynamodb.rule = troubledStore(randomOf('storm-store'), {
        fail: 0.02,
        throttle: 0.04,
        lose: 0.04,
        loseAll: 0.01,
        part: 0.1,
      });
      world.sqs.rule = troubledQueue(randomOf('storm-queue'), {
        drop: 0.1,
        double: 0.1,
        late: 0.1,
        keep: 0.1,
        handOutTwice: 0.1,
      });
      const until = world.now + 150_000;
      await Promise.all([
        killAndRestart(world, random, until),
        createAndCancel(world, randomOf('storm-jobs')),
      ]);
      // from here on nothing new goes wrong: what is open comes to its end
      world.dynamodb.rule = undefined;
      world.sqs.rule = undefined;
      await world.check();
    },
    { speed: 15 },
  ));
