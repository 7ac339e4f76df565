// After an outage of the workers, a job with misfire `runAll` runs all that was missed, one after the other in the order of the
// due times, however the messages arrive. With `runOnce` one run stands for all.
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Message } from '../../src/queue/queue.ts';
import type { Context } from '../../src/scheduling/context.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import type { Store } from '../../src/store/store.ts';
import { defineTask } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { Seeded } from '../support/seeded.ts';
import { at, MINUTE, StandingClock } from '../support/standing-clock.ts';
import { EVERY_MINUTE, standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

const MISSED = 6;

/** The due times of the runs in the order of their starts, in minutes after noon. */
async function afterOutage(seed: number, overlap: string, policy: string) {
  const seeded = new Seeded(seed);
  const float = () => seeded.float();
  const world = standingWorld();
  await world.create({
    ...{ ...EVERY_MINUTE, overlap },
    misfire: { policy, graceSeconds: 10 },
  });
  const missed = world.sent.splice(0).slice(0, MISSED);
  const clock = new StandingClock(at('12:07:00') - 1);
  const starts: number[] = [];
  let running = 0;
  const task = defineTask({
    ...{ name: 'noop', description: '', params: z.unknown() },
    async run({ dueAt }) {
      starts.push((dueAt.getTime() - at('12:00:00')) / MINUTE);
      running++;
      expect(running).toBe(1);
      await clock.sleep(float() * 5_000);
      running--;
    },
  });
  const worker = workerPort(new Map([[task.name, task]]));
  const deliver = async (message: Message): Promise<void> => {
    const received = receivedMessage(message, clock.now());
    await handleMessage(context, worker, received);
    const end = received.fate.at(-1) ?? '';
    if (end === 'deleted') return;
    await clock.sleep(Math.max(1, Number(end.split(' ')[1])));
    return deliver(message);
  };
  // each call of the store takes up to 20 ms, so that claims meet between any two of them
  const store: Store = new Proxy(world.store, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        await clock.sleep(float() * 10);
        const answer = await member.apply(target, args);
        await clock.sleep(float() * 10);
        return answer;
      };
    },
  });
  const context: Context = {
    ...{ ...world.context, store, clock },
    queue: { send: async (messages) => messages.forEach((message) => void deliver(message)) },
    random: { ...world.context.random, float },
  };
  for (const message of missed) void clock.sleep(float() * 500).then(() => deliver(message));
  await clock.advance(2 * MINUTE);
  return { starts, rows: missed.map((message) => world.row(message)) };
}

test.each(['skip', 'queue'])('runAll, overlap: %s', async (overlap) => {
  for (let seed = 1; seed <= 25; seed++) {
    const { starts, rows } = await afterOutage(seed, overlap, 'runAll');
    expect(starts, `seed ${seed}`).toEqual([1, 2, 3, 4, 5, 6]);
    for (const row of rows) expect(row).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  }
});

test.each(['skip', 'queue', 'allow'])('runOnce, overlap: %s', async (overlap) => {
  for (let seed = 1; seed <= 25; seed++) {
    const { starts, rows } = await afterOutage(seed, overlap, 'runOnce');
    expect(starts, `seed ${seed}`).toHaveLength(1);
    const skipped = rows.filter((row) => row?.status === 'SKIPPED');
    expect(skipped, `seed ${seed}`).toHaveLength(MISSED - 1);
  }
});
