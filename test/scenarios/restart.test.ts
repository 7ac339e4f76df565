// Everything is down for some minutes and comes back: what each misfire policy promises, and tasks that go on where they
// had stopped.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AcceleratedWorld,
  type Engines,
  inWorld,
  startEngines,
} from '../support/faults/accelerated-world.ts';
import type { Accepted } from '../support/faults/check.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

const MINUTE = 60_000;

async function missed(world: AcceleratedWorld, job: Accepted, from: number, to: number) {
  const inside = (due: number) => due > from && due < to;
  const rows = (await world.rows(job)).filter((row) => inside(Number(row.due)));
  return { rows, runs: world.runs(job).filter((run) => inside(run.due)) };
}

test.concurrent('a cron of every minute across a restart: runAll runs each, runOnce one for all, skip none', () =>
  inWorld(engines, 'misfire', async (world) => {
    const parts = await Promise.all([world.start('worker', ['worker']), world.start('watcher', ['watcher'])]);
    const everyMinute = (policy: 'runAll' | 'runOnce' | 'skip') =>
      world.create({
        schedule: { cron: '* * * * *', timezone: 'UTC', endAt: world.at(7 * MINUTE) },
        misfire: { policy, graceSeconds: 45 },
        params: { durationMs: 2_000 },
      });
    const all = await everyMinute('runAll');
    const once = await everyMinute('runOnce');
    const none = await everyMinute('skip');
    const hasRun = async (job: Accepted) => (await world.rows(job)).some((row) => row.status === 'SUCCEEDED');
    for (const job of [all, once, none]) await world.until('it has run', () => hasRun(job));

    await world.kill(...parts);
    const down = world.now;
    await world.sleep(4 * MINUTE);
    // those that became due in the last moments of the outage are not late by more than the grace
    const up = world.now - 45_000;
    await world.start('worker-again', ['worker']);
    await world.start('watcher-again', ['watcher']);
    await world.check();

    const ran = await missed(world, all, down, up);
    expect(ran.rows.length).toBeGreaterThanOrEqual(3);
    expect(ran.rows.map((row) => row.status)).toEqual(ran.rows.map(() => 'SUCCEEDED'));
    expect(ran.runs.length).toBe(ran.rows.length);

    const one = await missed(world, once, down, up);
    expect(one.rows.length).toBe(ran.rows.length);
    expect(one.runs.length).toBeLessThanOrEqual(1);
    const stoodFor = one.rows.filter((row) => row.status === 'SKIPPED');
    expect(stoodFor.length).toBe(one.rows.length - one.runs.length);
    for (const row of stoodFor) expect(row.reason).toBe('misfire: one run stood for all that were missed');

    const skipped = await missed(world, none, down, up);
    expect(skipped.rows.length).toBe(ran.rows.length);
    expect(skipped.runs).toEqual([]);
    for (const row of skipped.rows) {
      expect(row.status).toBe('SKIPPED');
      expect(row.reason).toMatch(/^misfire: \d+ s late, 45 s allowed$/);
    }
  }));

test.concurrent('a task with checkpoints goes on after kill -9 where it had stopped', () =>
  inWorld(engines, 'checkpoints', async (world) => {
    const worker = await world.start('worker', ['worker']);
    const job = await world.create({ schedule: { in: 'PT2S' }, params: { durationMs: 50_000, steps: 10 } });
    const saved = async () => {
      const [row] = await world.rows(job);
      return Number((row && (await world.context.store.readCheckpoint(row))) ?? 0);
    };
    await world.until('three steps are done', async () => (await saved()) >= 3);
    await world.kill(worker);
    const last = await saved();
    await world.start('next', ['worker', 'watcher']);
    await world.check();

    expect(world.runs(job)).toMatchObject([{ attempt: 1 }, { attempt: 2, from: last, end: { how: 'done' } }]);
    expect(await world.rows(job)).toMatchObject([{ status: 'SUCCEEDED', attempt: 2 }]);
    expect(await saved()).toBe(10);
  }));
