// Messages and the rows of workers name the owner by a hash, whichever use case sends them.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ownerHash } from '../../src/domain/digest.ts';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import { asUser } from '../../src/domain/principal.ts';
import { retryExecution, runNow } from '../../src/jobs/manual-runs.ts';
import type { Message } from '../../src/queue/queue.ts';
import { dispatchSlot } from '../../src/scheduling/planning/dispatch-slot.ts';
import { settleSlot } from '../../src/scheduling/planning/settle-slot.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import type { WorkerPort } from '../../src/scheduling/running/worker-port.ts';
import type { RunningExecution } from '../../src/store/store.ts';
import { defineTask, type Task } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

const ANN = asUser('ann');

const failing = defineTask({
  name: 'noop',
  description: 'fails',
  params: z.looseObject({}),
  async run() {
    throw new Error('told to fail');
  },
});

const workerOf = (running: RunningExecution[]): WorkerPort =>
  workerPort(new Map([['noop', failing as Task<unknown>]]), {
    running: { add: (one) => void running.push(one), remove() {} },
  });

const hashes = (messages: readonly Message[]) => [...new Set(messages.map(({ owner }) => owner))];

test('create, dispatch, settle, run-now, a retry and /retry send the hash of the owner', async () => {
  const world = standingWorld();
  const { context, sent } = world;
  const owner = ownerHash('ann');
  const takeSent = () => sent.splice(0);
  const jobId = await world.create({ schedule: { every: 'PT1M' }, retry: { maxAttempts: 2 } });
  const created = takeSent();
  expect(hashes(created)).toEqual([owner]);

  await dispatchSlot(context, 0, minuteOf(NOON + 5 * MINUTE));
  expect(hashes(takeSent())).toEqual([owner]);

  const running: RunningExecution[] = [];
  const [message] = created;
  if (!message) throw new Error('nothing was sent');
  world.now = message.fireAt;
  await handleMessage(context, workerOf(running), receivedMessage(message));
  const again = takeSent();
  expect(again).toMatchObject([{ due: message.due, owner }]);
  expect(running).toEqual([{ id: `${jobId}.${message.due}`, since: message.fireAt, owner }]);

  world.now = again[0]?.fireAt ?? 0;
  await handleMessage(context, workerOf(running), receivedMessage(again[0] as Message));
  takeSent();
  await retryExecution(context, ANN, `${jobId}.${message.due}`);
  await runNow(context, ANN, jobId);
  const byHand = takeSent();
  expect(byHand).toHaveLength(2);
  expect(hashes(byHand)).toEqual([owner]);

  world.now = NOON + 10 * MINUTE;
  await settleSlot(context, 0, minuteOf(NOON + 3 * MINUTE), minuteOf(NOON + 20 * MINUTE));
  const settled = takeSent();
  expect(settled.length).toBeGreaterThan(0);
  expect(hashes(settled)).toEqual([owner]);
});

test('the hash is stored, so it never changes; it does not show the user', () => {
  expect(ownerHash('ann')).toBe('SZFeDX1L');
  expect(ownerHash('ann')).not.toBe(ownerHash('ben'));
});

test('a message of a manual run without an owner is counted for the owner of the head', async () => {
  const world = standingWorld();
  const jobId = await world.create({ schedule: { at: '2026-12-01T12:01:00Z' } });
  const [message] = world.sent.splice(0);
  if (!message) throw new Error('nothing was sent');
  world.now = NOON + MINUTE;
  const { owner: _, ...unowned } = message;
  const owners: string[] = [];
  const worker = workerPort(new Map([['noop', failing as Task<unknown>]]), {
    ownedBy: (userId) => void owners.push(userId),
  });
  await handleMessage(world.context, worker, receivedMessage(unowned));
  expect([jobId, owners]).toEqual([message.jobId, ['ann']]);
});
