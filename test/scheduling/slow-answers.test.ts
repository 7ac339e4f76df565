// A worker whose store answers slowly, and people who change the job meanwhile: nothing starts once the change has returned,
// and a run that starts after an edit of the params has returned has the new ones.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { executionId } from '../../src/domain/executions/ids.ts';
import { asUser } from '../../src/domain/principal.ts';
import { cancelExecution } from '../../src/jobs/cancel-execution.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { pauseJob } from '../../src/jobs/pause-job.ts';
import type { Context } from '../../src/scheduling/context.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import type { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { defineTask } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

const ANN = asUser('ann');
const CHANGES_EVERY_MS = 100;
const LAST_CHANGE_MS = 2_400;

beforeEach(() => void vi.useFakeTimers({ now: NOON }));
afterEach(() => void vi.useRealTimers());

const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, ms));
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

interface Slow {
  readonly calls: RegExp;
  /** How old an answer is when it arrives. */
  readonly ms: number;
}

const slowly = (store: MemoryStore, { calls, ms }: Slow): MemoryStore =>
  new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        const answer = await member.apply(target, args);
        if (calls.test(String(name))) await sleep(ms);
        return answer;
      };
    },
  });

type Change = (context: Context, jobId: string, due: string) => Promise<unknown>;

/** When the run started, with which params, and when a change returned that was asked for so long after the fire time. */
async function race(overlap: string, slow: Slow, change: Change, afterMs: number) {
  const world = standingWorld();
  const clock = { now: Date.now, monotonic: Date.now, sleep };
  const context = { ...world.context, clock };
  const schedule = { every: 'PT10M', startAt: new Date(Date.now() + MINUTE).toISOString() };
  world.now = Date.now();
  // with one attempt there is no early claim
  const retry = { maxAttempts: 1 };
  const jobId = await world.create({ overlap, schedule, retry, params: { n: 1 } });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');

  const seen: { startedAt?: number; returnedAt?: number; n?: unknown } = {};
  const task = defineTask({
    ...{ name: 'noop', description: 'notes that it has started', params: z.looseObject({}) },
    run: async ({ params }) => void Object.assign(seen, { startedAt: Date.now(), n: params.n }),
  });
  const worker = workerPort(new Map([[task.name, task]]), { reserve: () => true }, { workerId: 'slow' });
  const received = receivedMessage(message, Date.now());
  await vi.advanceTimersByTimeAsync(message.fireAt - 2_000 - Date.now());
  const executed = handleMessage({ ...context, store: slowly(world.store, slow) }, worker, received);
  await vi.advanceTimersByTimeAsync(message.fireAt + afterMs - Date.now());
  const changed = change(context, jobId, message.due).then(() => {
    seen.returnedAt = Date.now();
  });
  await vi.advanceTimersByTimeAsync(20_000);
  await Promise.all([executed, changed]);
  return seen;
}

const afters = Array.from({ length: LAST_CHANGE_MS / CHANGES_EVERY_MS }, (_, i) => i * CHANGES_EVERY_MS);

const READS: Slow = { calls: /^(read|list|has)/, ms: 500 };
const TAKES: Slow = { calls: /^(updateHead|insertHoldItem)$/, ms: 2_000 };

describe.each<[string, string, Slow]>([
  ['reads of 500 ms', 'allow', READS],
  ['reads of 500 ms', 'skip', READS],
  ['takes of 2 s', 'allow', TAKES],
  ['takes of 2 s', 'skip', TAKES],
])('%s, overlap: %s', (_slow, overlap, slow) => {
  test.each<[string, Change]>([
    ['a pause', (context, jobId) => pauseJob(context, ANN, jobId)],
    [
      'an edit of the schedule',
      (context, jobId) => editJob(context, ANN, jobId, { schedule: { every: 'PT7M' } }),
    ],
    ['a cancel of the job', (context, jobId) => cancelJob(context, ANN, jobId)],
    [
      'a cancel of the execution',
      async (context, jobId, due) => {
        // 409 where it has ended already
        await cancelExecution(context, ANN, executionId(jobId, due)).catch(() => {});
      },
    ],
  ])('%s that has returned: it does not start', async (_name, change) => {
    const late = [];
    for (const afterMs of afters) {
      const { startedAt, returnedAt } = await race(overlap, slow, change, afterMs);
      if (startedAt !== undefined && returnedAt !== undefined && startedAt > returnedAt)
        late.push(`asked ${afterMs} ms after the fire time: started ${startedAt - returnedAt} ms too late`);
    }
    expect(late).toEqual([]);
  });

  test('an edit of the params that has returned: it has the new ones', async () => {
    const old = [];
    for (const afterMs of afters) {
      const change: Change = (context, jobId) => editJob(context, ANN, jobId, { params: { n: 2 } });
      const { startedAt, returnedAt, n } = await race(overlap, slow, change, afterMs);
      expect(startedAt, 'it runs').toBeDefined();
      if (n === 1 && Number(startedAt) > Number(returnedAt)) old.push(afterMs);
    }
    expect(old).toEqual([]);
  });
});
