// What the log says of an execution, and of what its task logs.
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Received } from '../../src/queue/queue.ts';
import { execute, type WorkerSide } from '../../src/scheduling/execute.ts';
import { createLog } from '../../src/system.ts';
import { defineTask } from '../../src/tasks/task.ts';
import { standingWorld } from './world.ts';

async function run(fails: boolean) {
  const world = standingWorld();
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', {}, (line) => lines.push(JSON.parse(line)));
  const task = defineTask({
    name: 'noop',
    description: 'logs a line',
    params: z.looseObject({}),
    async run(context) {
      context.log.info('half way', { rows: 5 });
      if (fails) throw new Error('told to fail');
      return 'done';
    },
  });
  const jobId = await world.create({});
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');
  const never = new AbortController().signal;
  const worker: WorkerSide = {
    workerId: 'worker',
    tasks: new Map([['noop', task]]),
    draining: never,
    aborting: never,
    begin() {},
    mayTakeAhead: () => false,
    admit: async () => true,
    leave() {},
    inHand: () => 1,
    running: { add() {}, remove() {} },
  };
  const received: Received = {
    message,
    body: '',
    receivedAt: world.now,
    times: 1,
    async delete() {},
    async hide() {},
    async bury() {},
  };
  await execute({ ...world.context, log }, worker, received);
  return { lines, ids: { executionId: `${jobId}.${message.due}`, jobId, task: 'noop', userId: 'ann' } };
}

test('lines of a task carry execution, job, task, attempt and user', async () => {
  const { lines, ids } = await run(false);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'info', message: 'half way', rows: 5, attempt: 1, ...ids }),
  );
});

test('at info every attempt is reported with its end', async () => {
  const { lines, ids } = await run(false);
  expect(lines.filter(({ message }) => message === 'finished an attempt')).toEqual([
    expect.objectContaining({
      ...ids,
      status: 'SUCCEEDED',
      attempt: 1,
      maxAttempts: 3,
      latenessMs: 0,
      durationMs: 0,
    }),
  ]);
});

test('an attempt that failed is reported with its error', async () => {
  const { lines } = await run(true);
  expect(lines.filter(({ message }) => message === 'finished an attempt')).toEqual([
    expect.objectContaining({ status: 'RETRYING', attempt: 1, error: 'Error: told to fail' }),
  ]);
});
