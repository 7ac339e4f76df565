// What the log says of an execution, and of what its task logs.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { asUser } from '../../src/domain/principal.ts';
import { runNow } from '../../src/jobs/manual-runs.ts';
import { createLog } from '../../src/runtime/log.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import type { WorkerPort } from '../../src/scheduling/running/worker-port.ts';
import { defineTask, type Task } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

const workerOf = <P>(task: Task<P>): WorkerPort => workerPort(new Map([['noop', task as Task<unknown>]]));

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
  await handleMessage({ ...world.context, log }, workerOf(task), receivedMessage(message));
  return { lines, ids: { executionId: `${jobId}.${message.due}`, jobId, task: 'noop', userId: 'ann' } };
}

test('lines of a task carry execution, job, task, attempt and user', async () => {
  const { lines, ids } = await run(false);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'INFO', message: 'half way', rows: 5, attempt: 1, ...ids }),
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

test('a manual run with params of its own runs with those, and the next occurrence with the usual ones', async () => {
  const world = standingWorld();
  const given: unknown[] = [];
  const task = defineTask({
    name: 'noop',
    description: 'remembers its params',
    params: z.looseObject({}),
    run: async ({ params }) => void given.push(params),
  });
  const jobId = await world.create({ params: { day: 'usual' } });
  await runNow(world.context, asUser('ann'), jobId, { params: { day: 'other' } });
  for (const message of world.sent.splice(0))
    await handleMessage(world.context, workerOf(task), receivedMessage(message));
  expect(given).toEqual([{ day: 'usual' }, { day: 'other' }]);
});
