// The metrics of executions, from the rows that a worker writes.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { asUser } from '../../src/domain/principal.ts';
import { retryExecution, runNow } from '../../src/jobs/manual-runs.ts';
import type { Message } from '../../src/queue/queue.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { defineTask, Snooze, type Task } from '../../src/tasks/task.ts';
import { withMetrics } from '../../src/worker/with-metrics.ts';
import { receivedMessage } from '../support/received-message.ts';
import { EVERY_MINUTE, MINUTE, standingWorld, USER } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

const HOUR = 60 * MINUTE;
const user = asUser(USER);

/** A world with one job whose attempts end as `outcomes` say, and the metrics that its worker reports. */
async function jobWith(spec: Record<string, unknown>) {
  const world = standingWorld();
  const outcomes: (Error | string)[] = [];
  const reported: [string, number][] = [];
  // an observer copies the methods of a store, which those of a class do not survive
  const names = Object.getOwnPropertyNames(MemoryStore.prototype) as (keyof Store)[];
  const store = Object.fromEntries(names.map((name) => [name, world.store[name].bind(world.store)]));
  const context = withMetrics(
    { ...world.context, store: store as unknown as Store },
    {
      add: (name, value) => void reported.push([name, value]),
      flush() {},
    },
  );
  const task = defineTask({
    name: 'noop',
    description: 'ends as told',
    params: z.looseObject({}),
    async run() {
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  }) as Task<unknown>;
  const jobId = await world.create({ overlap: 'skip', ...spec });
  return {
    ...{ world, outcomes, jobId },
    last: (): Message => world.sent.at(-1) ?? expect.fail(),
    /** Runs the message so much later than its fire time, and returns what was reported meanwhile. */
    async run(message: Message, lateMs = 0) {
      world.now = Math.max(world.now, message.fireAt) + lateMs;
      const worker = workerPort(new Map([['noop', task]]));
      await handleMessage(context, worker, receivedMessage(message, message.fireAt));
      return reported.splice(0);
    },
  };
}

describe('lateness', () => {
  test('is the start of the first attempt minus the fire time', async () => {
    const { world, run } = await jobWith(EVERY_MINUTE);
    const [first] = world.sent;
    expect(await run(first ?? expect.fail(), 7)).toEqual([
      ['Succeeded', 1],
      ['Lateness', 7],
    ]);
  });

  test('counts jitter as part of the fire time, also for a message with another one', async () => {
    const { run, last } = await jobWith({
      schedule: { cron: '1 12 * * *', jitterSeconds: 1800 },
    });
    const { fireAt, due } = last();
    expect(fireAt).toBeGreaterThan(Number(due) + MINUTE);
    const reported = await run({ ...last(), fireAt }, 7);
    expect(reported).toContainEqual(['Lateness', 7]);
  });

  test('of a run that waited for another one is its wait', async () => {
    const { world, jobId, run, last } = await jobWith({ schedule: { cron: '0 9 * * *' } });
    await runNow(world.context, user, jobId);
    // an end wakes an execution that waits with the due time as its fire time
    const woken = { ...last(), fireAt: Number(last().due.slice(0, 13)) - HOUR };
    expect(await run(woken, 40)).toContainEqual(['Lateness', 40]);
  });

  test('of a redrive counts from its request, whenever the execution was due', async () => {
    const { world, outcomes, run, last } = await jobWith({ ...EVERY_MINUTE, retry: { maxAttempts: 1 } });
    const [first] = world.sent;
    outcomes.push(new Error('refused'));
    expect(await run(first ?? expect.fail())).toEqual([
      ['Failed', 1],
      ['Lateness', 0],
    ]);
    world.now += 24 * HOUR;
    const id = `${first?.jobId}.${first?.due}`;
    await retryExecution(world.context, user, id);
    expect(await run({ ...last(), fireAt: Number(first?.due) }, 30)).toEqual([
      ['Succeeded', 1],
      ['Lateness', 30],
    ]);
  });

  test('of a run that snoozed is that of its first start', async () => {
    const { world, outcomes, run, last } = await jobWith(EVERY_MINUTE);
    const [first] = world.sent;
    outcomes.push(new Snooze(600, 'not now'), 'done');
    expect(await run(first ?? expect.fail(), 7)).toEqual([]);
    expect(await run(last(), 20)).toEqual([
      ['Succeeded', 1],
      ['Lateness', 7],
    ]);
  });

  test('is reported once, whatever attempts follow', async () => {
    const { world, outcomes, run, last } = await jobWith(EVERY_MINUTE);
    const [first] = world.sent;
    outcomes.push(new Error('refused'), new Snooze(600, 'not now'), 'done');
    expect(await run(first ?? expect.fail(), 7)).toEqual([
      ['Retried', 1],
      ['Lateness', 7],
    ]);
    expect(await run(last())).toEqual([]);
    expect(await run(last())).toEqual([['Succeeded', 1]]);
  });
});
