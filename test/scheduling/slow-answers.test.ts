// A worker whose store answers slowly, and people who change the job meanwhile: nothing starts once the change has returned,
// and a run that starts after an edit of the params has returned has the new ones. On AWS a change waits for the start window,
// in an embedded server for the claims of the process.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { UnderWay } from '../../src/concurrency/under-way.ts';
import { executionId } from '../../src/domain/executions/ids.ts';
import { asUser } from '../../src/domain/principal.ts';
import { cancelExecution } from '../../src/jobs/cancel-execution.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { pauseJob } from '../../src/jobs/pause-job.ts';
import type { Context } from '../../src/scheduling/context.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { claimStepByStep, type Store } from '../../src/store/store.ts';
import { defineTask } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

const ANN = asUser('ann');
const CHANGES_EVERY_MS = 100;
const FIRST_CHANGE_MS = -100;
const CHANGES = 16;
const MAX_DELIVERIES = 20;

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
  /** How long a call is on its way, and how old its answer is when it arrives. */
  readonly ms: () => number;
}

type Way = 'AWS' | 'embedded';

/** A claim is one transaction of an embedded store, and single writes on AWS. */
const slowly = (store: MemoryStore, way: Way, { calls, ms }: Slow): Store => {
  const slow: Store = new Proxy(store, {
    get(target, name) {
      if (name === 'claim' && way === 'AWS')
        return (writes: Parameters<Store['claim']>[0]) => claimStepByStep(slow, writes);
      const member = name === 'claim' ? MemoryStore.prototype.claim : Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        const isSlow = calls.test(String(name));
        if (isSlow) await sleep(ms() / 2);
        const answer = await member.apply(target, args);
        if (isSlow) await sleep(ms() / 2);
        return answer;
      };
    },
  });
  return slow;
};

/** A job that is due in a minute, and a worker with a slow store that gets its message until it is deleted. */
async function begin(way: Way, overlap: string, slow: Slow) {
  const world = standingWorld();
  const clock = { now: Date.now, monotonic: Date.now, sleep };
  const embedded = { claims: new UnderWay(), boot: 'boot' };
  const context: Context = { ...world.context, clock, ...(way === 'embedded' && embedded) };
  const schedule = { every: 'PT10M', startAt: new Date(Date.now() + MINUTE).toISOString() };
  world.now = Date.now();
  const jobId = await world.create({ overlap, schedule, retry: { maxAttempts: 1 }, params: { n: 1 } });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');

  const seen: { startedAt?: number; returnedAt?: number; n?: unknown; fate?: string } = {};
  const task = defineTask({
    ...{ name: 'noop', description: 'notes that it has started', params: z.looseObject({}) },
    run: async ({ params }) => void Object.assign(seen, { startedAt: Date.now(), n: params.n }),
  });
  const worker = workerPort(new Map([[task.name, task]]), {}, { workerId: 'slow' });
  const slowContext = { ...context, store: slowly(world.store, way, slow) };
  const executed = async () => {
    for (let i = 0; i < MAX_DELIVERIES; i++) {
      const received = receivedMessage(message, Date.now());
      await handleMessage(slowContext, worker, received);
      seen.fate = received.fate.at(-1) ?? '';
      if (seen.fate === 'deleted') return;
      await sleep(Number(seen.fate.split(' ')[1]) + 1);
    }
  };
  return { world, context, jobId, message, seen, executed };
}

type Change = (context: Context, jobId: string, due: string) => Promise<unknown>;

/** When the run started, with which params, and when a change returned that was asked for so long after the fire time. */
async function race(way: Way, overlap: string, slow: Slow, change: Change, afterMs: number) {
  const { context, jobId, message, seen, executed } = await begin(way, overlap, slow);
  await vi.advanceTimersByTimeAsync(message.fireAt - 2_000 - Date.now());
  const running = executed();
  await vi.advanceTimersByTimeAsync(message.fireAt + afterMs - Date.now());
  const changed = change(context, jobId, message.due).then(() => {
    seen.returnedAt = Date.now();
  });
  await vi.advanceTimersByTimeAsync(20_000);
  await Promise.all([running, changed]);
  return seen;
}

const afters = Array.from({ length: CHANGES }, (_, i) => FIRST_CHANGE_MS + i * CHANGES_EVERY_MS);

const READS: Slow = { calls: /^(read|list|has)/, ms: () => 160 };
const WRITES: Slow = { calls: /^(insertRow|updateRow|takeLock|claim)$/, ms: () => 400 };

describe.each<[Way, string, string, Slow]>([
  ['AWS', 'allow', 'reads of 160 ms', READS],
  ['AWS', 'skip', 'reads of 160 ms', READS],
  ['AWS', 'allow', 'writes of 400 ms', WRITES],
  ['AWS', 'skip', 'writes of 400 ms', WRITES],
  ['embedded', 'skip', 'reads of 160 ms', READS],
  ['embedded', 'allow', 'reads of 160 ms', READS],
  ['embedded', 'skip', 'writes of 400 ms', WRITES],
])('%s, overlap: %s, %s', (way, overlap, _slow, slow) => {
  test.each<[string, Change]>([
    ['a pause', (context, jobId) => pauseJob(context, ANN, jobId)],
    [
      'an edit of the schedule',
      (context, jobId) =>
        editJob(context, ANN, jobId, { schedule: { every: 'PT7M', startAt: '2026-12-01T13:00:00Z' } }),
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
    const late: string[] = [];
    const outcomes = new Set<boolean>();
    for (const afterMs of afters) {
      const { startedAt, returnedAt } = await race(way, overlap, slow, change, afterMs);
      outcomes.add(startedAt !== undefined);
      if (startedAt !== undefined && returnedAt !== undefined && startedAt > returnedAt)
        late.push(`asked ${afterMs} ms after the fire time: started ${startedAt - returnedAt} ms too late`);
    }
    expect(late).toEqual([]);
    expect([...outcomes].sort(), 'some changes come before the start, and some after it').toEqual([
      false,
      true,
    ]);
  });

  test('an edit of the params that has returned: it has the new ones', async () => {
    const old: number[] = [];
    for (const afterMs of afters) {
      const change: Change = (context, jobId) => editJob(context, ANN, jobId, { params: { n: 2 } });
      const { startedAt, returnedAt, n } = await race(way, overlap, slow, change, afterMs);
      expect(startedAt, 'it runs').toBeDefined();
      if (n === 1 && Number(startedAt) > Number(returnedAt)) old.push(afterMs);
    }
    expect(old).toEqual([]);
  });
});

test.each<[Way, string]>([
  ['AWS', 'skip'],
  ['AWS', 'allow'],
  ['embedded', 'skip'],
])(
  '%s, overlap %s: a store that is slower than the start window gives claims back, and no attempt counts',
  async (way, overlap) => {
    let ms = 2_200;
    const slow: Slow = { calls: /^(insertRow|updateRow|takeLock|claim)$/, ms: () => ms };
    const { world, message, seen, executed } = await begin(way, overlap, slow);
    await vi.advanceTimersByTimeAsync(message.fireAt - Date.now());
    const running = executed();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(seen).toEqual({ fate: 'hidden 0' });
    expect(world.row(message)?.attempt).toBeLessThanOrEqual(1);

    ms = 10;
    await vi.advanceTimersByTimeAsync(10_000);
    await running;
    expect(seen).toMatchObject({ fate: 'deleted', n: 1 });
    expect(world.row(message)).toMatchObject({ status: 'SUCCEEDED', attempt: 1, maxAttempts: 1 });
  },
);
