// What an execution shows after real runs of its task: the fence that it got, its result, and how long it took.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { executionId } from '../../src/domain/executions/ids.ts';
import type { Message } from '../../src/queue/queue.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { defineTask, type TaskContext } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { workerPort } from '../support/worker-port.ts';
import { NOW, testApi } from './api.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const EVERY_MINUTE = { every: 'PT1M', startAt: new Date(NOW + MINUTE).toISOString() };

/** An API whose jobs run `run`. The clock goes to the fire time of each message. */
function opened(run: (task: TaskContext<unknown>) => Promise<unknown>) {
  const api = testApi();
  const { ctx, queue, tick, call, create } = api;
  const noop = defineTask({ name: 'noop', description: '', params: z.unknown(), run });
  const worker = workerPort(new Map([['noop', noop]]));
  const goTo = (time: number) => tick(Math.max(0, time - ctx.clock.now()));
  /** Handles a message, and returns the execution. */
  const handle = async (message: Message) => {
    goTo(message.fireAt);
    await handleMessage(ctx, worker, receivedMessage(message, message.fireAt));
    return shown(executionId(message.jobId, message.due));
  };
  const shown = async (id: string) => (await call('GET', `/executions/${id}`)).body;
  const messagesOf = (jobId: string) => {
    const own = queue.messages.filter((message) => message.jobId === jobId);
    for (const message of own) queue.take(message);
    return own.toSorted((a, b) => a.fireAt - b.fireAt);
  };
  const job = async (spec: Record<string, unknown> = {}) =>
    (await create({ schedule: EVERY_MINUTE, ...spec })).id as string;
  return { ...api, job, handle, messagesOf, goTo, shown };
}

describe('ctx.fence', () => {
  it.each(['skip', 'queue', 'allow'])('grows with every attempt of a job, overlap: %s', async (overlap) => {
    const fences: number[] = [];
    const { job, handle, messagesOf } = opened(async ({ fence, attempt }) => {
      fences.push(fence);
      if (attempt < 3) throw new Error('not yet');
    });
    const id = await job({ overlap, retry: { maxAttempts: 3, backoffSeconds: 1 } });
    for (const occurrence of messagesOf(id).slice(0, 2))
      for (let next = [occurrence]; next[0]; next = messagesOf(id)) await handle(next[0]);
    expect(fences).toHaveLength(6);
    expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b));
  });

  it.each(['skip', 'allow'])(
    'grows with attempts that begin in one millisecond, overlap: %s',
    async (overlap) => {
      const fences: number[] = [];
      const { job, messagesOf, goTo, ctx } = opened(async () => undefined);
      const id = await job({ overlap });
      const [message] = messagesOf(id);
      if (!message) throw new Error('nothing was sent');
      goTo(message.fireAt);
      // the worker of each claim is lost
      for (let n = 1; n <= 3; n++) {
        const result = await claim(ctx, `w${n}`, message);
        if (result.kind !== 'run') throw new Error(result.kind);
        fences.push(result.claimed.row.number);
        await ctx.store.updateRow(result.claimed.row, { ...result.claimed.row, status: 'RETRYING' });
      }
      expect(fences).toEqual([fences[0], (fences[0] ?? 0) + 1, (fences[0] ?? 0) + 2]);
    },
  );
});

describe('a result that JSON cannot express', () => {
  const cycle: Record<string, unknown> = { name: 'a' };
  cycle.self = cycle;
  const hostile = {
    toJSON() {
      throw new Error('the field is gone');
    },
  };

  it.each([
    ['a BigInt', { rows: 12n }, /BigInt/],
    ['a cycle', cycle, /circular/],
    ['an object that refuses', hostile, /the field is gone/],
  ])('%s: the run has succeeded, is not repeated, and says what is wrong', async (_name, result, reason) => {
    let runs = 0;
    const { job, handle, messagesOf } = opened(async () => {
      runs++;
      return result;
    });
    const id = await job({ retry: { maxAttempts: 3 } });
    const [message] = messagesOf(id);
    if (!message) throw new Error('nothing was sent');
    expect(await handle(message)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
      result: { unserializable: true, reason: expect.stringMatching(reason) },
    });
    expect([runs, messagesOf(id)]).toEqual([1, []]);
  });

  it.each([
    ['nothing', undefined],
    ['a function', () => {}],
  ])('%s: the run has succeeded without a result', async (_name, result) => {
    const { job, handle, messagesOf } = opened(async () => result);
    const [message] = messagesOf(await job());
    if (!message) throw new Error('nothing was sent');
    const execution = await handle(message);
    expect(execution.status).toBe('succeeded');
    expect(execution).not.toHaveProperty('result');
  });
});

describe('durationMs', () => {
  it('counts all attempts, and not the time between them', async () => {
    const { job, handle, messagesOf, tick } = opened(async ({ attempt }) => {
      tick(attempt * SECOND);
      if (attempt < 3) throw new Error('not yet');
    });
    const id = await job({ retry: { maxAttempts: 3, backoffSeconds: 60 } });
    let [message] = messagesOf(id);
    let last: Record<string, unknown> = {};
    for (; message; [message] = messagesOf(id)) {
      last = await handle(message);
      if (last.status === 'retrying') expect(last).not.toHaveProperty('durationMs');
    }
    expect(last).toMatchObject({ status: 'succeeded', attempt: 3, durationMs: 6 * SECOND });
  });

  it.each(['skip', 'allow'])(
    'of a run whose worker was killed is its time until that was found, overlap: %s',
    async (overlap) => {
      const { job, messagesOf, goTo, tick, handle, ctx } = opened(async () => undefined);
      const id = await job({ overlap, retry: { maxAttempts: 1 } });
      const [message] = messagesOf(id);
      if (!message) throw new Error('nothing was sent');
      goTo(message.fireAt);
      expect((await claim(ctx, 'killed', message)).kind).toBe('run');
      tick(40 * SECOND);
      expect(await handle(message)).toMatchObject({ status: 'failed', durationMs: 40 * SECOND });
    },
  );

  it('counts a lost attempt and the one after it', async () => {
    const { job, messagesOf, goTo, tick, handle, ctx } = opened(async () => void tick(5 * SECOND));
    const [message] = messagesOf(await job({ retry: { maxAttempts: 2 } }));
    if (!message) throw new Error('nothing was sent');
    goTo(message.fireAt);
    expect((await claim(ctx, 'killed', message)).kind).toBe('run');
    tick(40 * SECOND);
    expect(await handle(message)).toMatchObject({ status: 'succeeded', attempt: 2, durationMs: 45 * SECOND });
  });

  it('is absent if nothing has run', async () => {
    const { job, call, shown, messagesOf, handle } = opened(async () => undefined);
    const [message] = messagesOf(await job());
    if (!message) throw new Error('nothing was sent');
    const id = executionId(message.jobId, message.due);
    await call('POST', `/executions/${id}/cancel`);
    await handle(message);
    expect((await shown(id)).status).toBe('cancelled');
    expect(await shown(id)).not.toHaveProperty('durationMs');
  });
});
