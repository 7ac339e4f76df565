// A worker that is slow, frozen or asked to end.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engines, inWorld, startEngines } from '../support/faults/accelerated-world.ts';
import { endRow, handsBack, handsOut, withdraw } from '../support/faults/calls.ts';
import { troubledQueue } from '../support/faults/chaos.ts';
import { randomOf } from '../support/faults/random.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

test.concurrent('a task of 90 s keeps its message and its lease by heartbeats: it starts once', () =>
  inWorld(engines, 'long-task', async (world) => {
    await world.start('first', ['worker', 'watcher']);
    await world.start('second', ['worker']);
    await world.watched();
    const job = await world.create({ schedule: { in: 'PT5S' }, params: { durationMs: 90_000 } });
    await world.check();

    expect(world.runs(job)).toMatchObject([{ attempt: 1, end: { how: 'done' } }]);
    expect(world.sqs.calls.filter(handsOut(job.jobId)).length, 'times that its message was handed out').toBe(
      1,
    );
    expect(await world.rows(job)).toMatchObject([{ status: 'SUCCEEDED', attempt: 1 }]);
  }));

test.concurrent('a worker that is frozen for 60 s loses its jobs to another, and its late results are refused', () =>
  inWorld(
    engines,
    'frozen',
    async (world) => {
      const frozen = await world.start('frozen', ['worker']);
      // its result is on the wire when everything stops
      const onTheWire = world.dynamodb.pause(endRow(world.idOf('finishing'), 'SUCCEEDED'));
      const running = await world.create({ schedule: { in: 'PT5S' }, params: { durationMs: 70_000 } });
      const finishing = await world.create(
        { schedule: { in: 'PT5S' }, params: { durationMs: 2_000 } },
        'finishing',
      );
      const late = await onTheWire;
      await world.until('it runs', () => world.runs(running).length === 1);
      world.freeze(frozen);
      const frozenAt = world.now;

      const other = await world.start('other', ['worker', 'watcher']);
      await world.until('both are taken over', () =>
        [running, finishing].every((job) => world.runs(job).length > 1),
      );
      await world.sleep(frozenAt + 60_000 - world.now);
      late.release();
      frozen.signal('SIGCONT');
      await world.check(world.now);

      const first = world.runs(running).find((run) => run.pid === frozen.pid);
      expect(first?.end, 'the frozen task was told that it is no longer the one').toMatchObject({
        how: 'aborted',
      });
      for (const job of [running, finishing])
        expect(await world.rows(job)).toMatchObject([{ status: 'SUCCEEDED', workerId: other.workerId }]);
    },
    { groupCommit: false },
  ));

test.concurrent('a cancel that a heartbeat overtakes is not lost: the task is told to stop, and nothing starts again', () =>
  inWorld(
    engines,
    'cancel-overtaken',
    async (world) => {
      await world.start('worker', ['worker', 'watcher']);
      const job = await world.create({ schedule: { every: 'PT10S' }, params: { durationMs: 100_000 } });
      await world.until('it runs', () => world.runs(job).length === 1);
      const paused = world.dynamodb.pause(withdraw(job.jobId));
      const cancelled = world.cancel(job);
      const { release } = await paused;
      const leases = async () => (await world.rows(job)).map(({ leaseUntil }) => leaseUntil).join();
      const before = await leases();
      await world.until('the worker beats', async () => (await leases()) !== before);
      release();
      await cancelled;
      await world.check(world.now + 60_000);

      expect(world.runs(job).at(-1)).toMatchObject({ end: { how: 'aborted' } });
      const ends = (await world.rows(job)).filter((row) => row.status === 'CANCELLED');
      expect(
        ends.some((row) => row.startedAt !== undefined),
        'its row says so',
      ).toBe(true);
    },
    { groupCommit: false },
  ));

test.concurrent('SIGTERM drains: what runs ends or is handed over, what has not begun is handed back at once', () =>
  inWorld(
    engines,
    'drain',
    async (world) => {
      const leaving = await world.start('leaving', ['worker'], { drainMs: 15_000 });
      // a queue that does not wait: it hands out what is due in a while
      world.sqs.rule = troubledQueue(randomOf('drain'), { early: 1 });
      const held = await world.create({ schedule: { in: 'PT44S' } }, undefined, world.troubled);
      await world.until('it is held', () => world.sqs.calls.some(handsOut(held.jobId)));
      const short = await world.create({ params: { durationMs: 10_000 } });
      const long = await world.create({ params: { durationMs: 40_000 } });
      await world.until('both run', () => [short, long].every((job) => world.runs(job).length === 1));

      const exit = leaving.end();
      await world.until('it is handed back', () => world.sqs.calls.some(handsBack));
      expect(leaving.exited, 'handed back before the drain is over').toBe(false);
      expect(await exit).toBe(0);
      const next = await world.start('next', ['worker', 'watcher']);
      await world.check();

      expect(world.runs(short)).toMatchObject([{ pid: leaving.pid, end: { how: 'done' } }]);
      expect(world.runs(long)).toMatchObject([
        { pid: leaving.pid, attempt: 1, end: { how: 'aborted' } },
        { pid: next.pid, attempt: 1, end: { how: 'done' } },
      ]);
      expect(world.runs(held)).toMatchObject([{ pid: next.pid }]);
    },
    // slow enough that a busy machine gets to the signal before the time has come
    { speed: 5 },
  ));
