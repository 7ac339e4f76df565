// What an execution shows of its attempts: worker, times and errors of the last five, and the lateness of the first start.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { asUser } from '../../src/domain/principal.ts';
import { executionShape } from '../../src/domain/views/resource-schemas.ts';
import { cancelExecution } from '../../src/jobs/cancel-execution.ts';
import { retryExecution, runNow } from '../../src/jobs/manual-runs.ts';
import { getExecution } from '../../src/queries/get-execution.ts';
import type { Message } from '../../src/queue/queue.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { defineTask, Snooze, type Task } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { EVERY_MINUTE, MINUTE, NOON, standingWorld, USER } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

const user = asUser(USER);
const SECOND = 1000;

/** What a task throws that is no error. */
class Thrown {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** A world with one job, whose task takes a second and then does what `outcomes` says. */
async function jobWith(spec: Record<string, unknown>) {
  const world = standingWorld();
  const outcomes: (Error | Thrown | string)[] = [];
  const task = defineTask({
    name: 'noop',
    description: 'takes a second',
    params: z.looseObject({}),
    async run() {
      world.now += SECOND;
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      if (outcome instanceof Thrown) throw outcome.value;
      return outcome;
    },
  }) as Task<unknown>;
  const jobId = await world.create(spec);
  /** Runs the message at its fire time, or at once if that has passed. */
  async function run(message: Message, workerId = 'w1', lateMs = 0): Promise<void> {
    world.now = Math.max(world.now, message.fireAt) + lateMs;
    const worker = workerPort(new Map([['noop', task]]), {}, { workerId });
    await handleMessage(world.context, worker, receivedMessage(message, message.fireAt));
  }
  const first = world.sent[0];
  if (!first) throw new Error('nothing was sent');
  const last = () => world.sent.at(-1) ?? first;
  const id = (message: Message) => `${message.jobId}.${message.due}`;
  return {
    ...{ world, outcomes, jobId, run, first, last },
    show: (message: Message = first) => getExecution(world.context, user, id(message)),
    id,
  };
}

describe('an execution that failed before it succeeded', () => {
  test('shows each attempt with worker, times and error, and the lateness of the first start', async () => {
    const { outcomes, run, first, last, show } = await jobWith({ ...EVERY_MINUTE, overlap: 'skip' });
    outcomes.push(new TypeError(`no route ${'x'.repeat(300)}`), 'done');
    await run(first, 'w1', 5);
    await run(last(), 'w2');
    const execution = await show();
    expect(execution).toMatchObject({
      status: 'succeeded',
      attempt: 2,
      latenessMs: 5,
      trigger: 'schedule',
      fireAt: execution.dueAt,
    });
    const due = Date.parse(execution.dueAt);
    const [failed, succeeded, ...more] = execution.attempts ?? [];
    expect(more).toEqual([]);
    expect(failed).toEqual({
      attempt: 1,
      workerId: 'w1',
      receivedAt: execution.dueAt,
      startedAt: new Date(due + 5).toISOString(),
      finishedAt: new Date(due + 5 + SECOND).toISOString(),
      error: { name: 'TypeError', message: `no route ${'x'.repeat(191)}` },
    });
    expect(succeeded).toMatchObject({
      attempt: 2,
      workerId: 'w2',
      finishedAt: execution.timeline.finishedAt,
    });
    expect(succeeded).not.toHaveProperty('error');
  });

  test('keeps the last five attempts of many', async () => {
    const retry = { maxAttempts: 8, backoffSeconds: 1 };
    const { outcomes, run, first, last, show } = await jobWith({ ...EVERY_MINUTE, overlap: 'skip', retry });
    for (let attempt = 1; attempt <= 8; attempt++) {
      outcomes.push(new Error(`failure ${attempt}`));
      await run(attempt === 1 ? first : last());
    }
    const { status, attempts, latenessMs } = await show();
    expect(status).toBe('failed');
    expect(attempts?.map(({ attempt, error }) => [attempt, error?.message])).toEqual(
      [4, 5, 6, 7, 8].map((n) => [n, `failure ${n}`]),
    );
    expect(latenessMs).toBe(0);
  });

  test('shows the attempts that have ended while it waits for the next one', async () => {
    const { outcomes, run, first, show } = await jobWith({ ...EVERY_MINUTE, overlap: 'skip' });
    outcomes.push(new Error('first'));
    await run(first);
    const waiting = await show();
    expect(waiting).toMatchObject({ status: 'retrying', latenessMs: 0 });
    expect(waiting.attempts).toHaveLength(1);
  });
});

describe('whatever a task throws', () => {
  const withFields = (fields: object) => Object.assign(new Error('refused'), fields);

  test.each<[string, unknown, string, string]>([
    ['an error without a message', withFields({ message: undefined }), 'Error', ''],
    ['a message that is no text', withFields({ message: { a: 1 } }), 'Error', '[object Object]'],
    ['an error without a name', withFields({ name: undefined }), 'Error', 'refused'],
    ['a name that is no text', withFields({ name: 42 }), '42', 'refused'],
    ['a long name', withFields({ name: 'n'.repeat(1_000_000) }), 'n'.repeat(100), 'refused'],
    ['an object without a prototype', Object.create(null), 'Error', '[object Object]'],
    ['nothing', undefined, 'Error', 'undefined'],
    ['a symbol', Symbol('s'), 'Error', 'Symbol(s)'],
    ['half of a character', new Error('a\ud83d'), 'Error', 'a\ufffd'],
  ])('%s: the attempt ends, and shows an error', async (_what, thrown, name, message) => {
    const { outcomes, run, first, show } = await jobWith({ ...EVERY_MINUTE, retry: { maxAttempts: 1 } });
    outcomes.push(new Thrown(thrown));
    await run(first);
    const execution = executionShape.parse(await show());
    expect(execution).toMatchObject({ status: 'failed', error: { name, message } });
  });

  test('a long message is cut between characters, and to 200 in the attempts', async () => {
    const { outcomes, run, first, last, show } = await jobWith({
      ...EVERY_MINUTE,
      retry: { maxAttempts: 2 },
    });
    const emoji = `a${'\u{1f600}'.repeat(1000)}`;
    outcomes.push(new Error(emoji), new Error(emoji));
    await run(first);
    await run(last());
    const { error, attempts = [] } = await show();
    const cut = (length: number) => `${emoji.slice(0, length - 1)}\ufffd`;
    expect(error?.message).toBe(cut(1000));
    expect(attempts.map((one) => one.error?.message)).toEqual([cut(200), cut(200)]);
  });
});

test('an attempt that snoozed does not count, and the lateness stays that of its start', async () => {
  const { outcomes, run, first, last, show } = await jobWith({ ...EVERY_MINUTE, overlap: 'skip' });
  outcomes.push(new Snooze(20, 'not now'), 'done');
  await run(first, 'w1', 7);
  await run(last(), 'w2');
  const execution = await show();
  expect(execution).toMatchObject({ status: 'succeeded', attempt: 1, latenessMs: 7 });
  expect(execution.attempts).toEqual([expect.objectContaining({ attempt: 1, workerId: 'w2' })]);
});

describe.each(['skip', 'allow'])('overlap: %s, a worker that is lost', (overlap) => {
  test('is shown as an attempt that ended at the takeover', async () => {
    const { world, run, first, show, outcomes } = await jobWith({ ...EVERY_MINUTE, overlap });
    world.now = first.fireAt;
    expect(await claim(world.context, 'lost', first)).toMatchObject({ kind: 'run' });
    world.now += MINUTE;
    const takenOverAt = world.now;
    outcomes.push('done');
    await run(first, 'heir');
    const execution = await show();
    expect(execution).toMatchObject({ status: 'succeeded', attempt: 2, latenessMs: 0 });
    expect(execution.attempts).toEqual([
      {
        attempt: 1,
        workerId: 'lost',
        startedAt: execution.dueAt,
        finishedAt: new Date(takenOverAt).toISOString(),
        error: { name: 'WorkerLost', message: 'the worker of attempt 1 of 3 stopped answering' },
      },
      expect.objectContaining({ attempt: 2, workerId: 'heir' }),
    ]);
  });

  test('is shown once if it had the only attempt', async () => {
    const retry = { maxAttempts: 1 };
    const { world, run, first, show } = await jobWith({ ...EVERY_MINUTE, overlap, retry });
    world.now = first.fireAt;
    expect(await claim(world.context, 'lost', first)).toMatchObject({ kind: 'run' });
    world.now += MINUTE;
    await run(first, 'heir');
    const { status, attempts } = await show();
    expect(status).toBe('failed');
    expect(attempts).toEqual([expect.objectContaining({ attempt: 1, workerId: 'lost' })]);
  });
});

test('jitter is no lateness: the fire time is shown, and the lateness counts from it', async () => {
  const schedule = { ...EVERY_MINUTE.schedule, jitterSeconds: 30 };
  const { outcomes, run, first, show } = await jobWith({ schedule });
  outcomes.push('done');
  await run(first, 'w1', 3);
  const execution = await show();
  expect(Date.parse(execution.fireAt)).toBe(first.fireAt);
  expect(execution.fireAt > execution.dueAt).toBe(true);
  expect(execution.latenessMs).toBe(3);
});

describe('a retry of an execution that had failed', () => {
  test('has the trigger `redrive`, fresh attempts, and the lateness of the first start', async () => {
    const retry = { maxAttempts: 1 };
    const { world, outcomes, run, first, last, show, id } = await jobWith({ ...EVERY_MINUTE, retry });
    outcomes.push(new Error('broken'), 'done');
    await run(first, 'w1', 4);
    world.now += 60 * MINUTE;
    await retryExecution(world.context, user, id(first));
    await run(last(), 'w2');
    const execution = await show();
    expect(execution).toMatchObject({ status: 'succeeded', trigger: 'redrive', latenessMs: 4 });
    expect(execution.attempts).toEqual([expect.objectContaining({ attempt: 1, workerId: 'w2' })]);
  });

  test('counts the lateness from the request if it had never started', async () => {
    const { world, outcomes, run, first, last, show, id } = await jobWith(EVERY_MINUTE);
    await cancelExecution(world.context, user, id(first));
    world.now += 60 * MINUTE;
    await retryExecution(world.context, user, id(first));
    const requestedAt = world.now;
    outcomes.push('done');
    await run(last(), 'w2', 6);
    const execution = await show();
    expect(execution).toMatchObject({ trigger: 'redrive', latenessMs: 6 });
    expect(Date.parse(execution.fireAt)).toBe(requestedAt);
  });
});

test('a run-now has the trigger `manual`', async () => {
  const { world, outcomes, run, jobId, last, show } = await jobWith(EVERY_MINUTE);
  await runNow(world.context, user, jobId);
  outcomes.push('done');
  await run(last());
  expect(await show(last())).toMatchObject({ trigger: 'manual', latenessMs: 0 });
});

test.each(['skip', 'allow'])(
  'overlap: %s, a running execution that is cancelled is stopping',
  async (overlap) => {
    const { world, first, show, id } = await jobWith({ ...EVERY_MINUTE, overlap });
    world.now = Math.max(first.fireAt, NOON);
    await claim(world.context, 'w1', first);
    expect(await show()).not.toHaveProperty('stopping');
    await cancelExecution(world.context, user, id(first));
    expect(await show()).toMatchObject({ status: 'running', stopping: true });
  },
);
