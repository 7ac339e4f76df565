// A message that could not be kept hidden may have been redelivered. The execution does not depend on it any more.
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { keepHidden } from '../../src/scheduling/running/message-visibility.ts';
import { defineTask, type Task } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

let world: ReturnType<typeof standingWorld>;
const noop = defineTask({ name: 'noop', description: '', params: z.unknown(), run: async () => undefined });
const worker = workerPort(new Map([[noop.name, noop as Task<unknown>]]));

beforeEach(() => {
  world = standingWorld();
});

/** The message of a job that is due now. */
async function received() {
  const jobId = await world.create({ schedule: { at: '2026-12-01T12:01:00Z' } });
  const [message] = world.sent.splice(0);
  world.now = NOON + MINUTE;
  const one = receivedMessage(message);
  return { jobId, one, isDeleted: () => one.fate.includes('deleted') };
}

const terminal = async (jobId: string) =>
  (await world.store.listRows(jobId, { limit: 10, consistent: true, newestFirst: false })).items[0]?.status;

test('a message that stays hidden is deleted at the end, and no other is sent', async () => {
  const { jobId, one, isDeleted } = await received();
  await handleMessage(world.context, worker, one);
  expect(await terminal(jobId)).toBe('SUCCEEDED');
  expect(isDeleted()).toBe(true);
  expect(world.sent).toEqual([]);
});

test('a worker that was suspended for longer than the visibility timeout sends a copy, and keeps the old message', async () => {
  const { jobId, one, isDeleted } = await received();
  const read = world.store.readHead.bind(world.store);
  world.store.readHead = async (...args) => {
    world.store.readHead = read;
    world.now += world.context.settings.leaseMs;
    return read(...args);
  };
  await handleMessage(world.context, worker, one);
  expect(await terminal(jobId)).toBe('SUCCEEDED');
  expect(world.sent).toMatchObject([{ jobId, due: one.message?.due }]);
  expect(isDeleted()).toBe(false);
});

test('an extension counts if its response comes in time, and not if it comes too late', async () => {
  const { one } = await received();
  const { leaseMs, heartbeatMs } = world.context.settings;
  let tookMs = 0;
  const beats: (() => void)[] = [];
  const clock = {
    ...world.context.clock,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        beats.push(resolve);
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  const hide = async () => {
    world.now += tookMs;
  };
  const inHand = keepHidden({ ...world.context, clock }, { ...one, setVisibility: hide });
  const beat = async () => {
    world.now += heartbeatMs;
    beats.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let i = 0; i < 5; i++) await beat();
  expect(inHand.mayBeRedelivered()).toBe(false);
  tookMs = leaseMs;
  await beat();
  expect(inHand.mayBeRedelivered()).toBe(true);
  tookMs = 0;
  await beat();
  expect(inHand.mayBeRedelivered(), 'what was handed out again stays so').toBe(true);
  await inHand.release();
});
