// The read units of what people watch: jobs with their last executions, running executions, and the forecast. By dynoxide's meter.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ownerHash } from '../../../src/domain/digest.ts';
import { dueKey, executionId } from '../../../src/domain/executions/ids.ts';
import { asUser } from '../../../src/domain/principal.ts';
import { dismissByIds } from '../../../src/jobs/dismiss.ts';
import { forecast } from '../../../src/queries/forecast.ts';
import { getSystem } from '../../../src/queries/get-system.ts';
import { groupDeadLetters } from '../../../src/queries/group-dead-letters.ts';
import { listExecutions } from '../../../src/queries/list-executions.ts';
import { listJobs } from '../../../src/queries/list-jobs.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../../src/scheduling/context.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import type { Store } from '../../../src/store/store.ts';
import { startDynoxide } from '../../support/engines.ts';
import { aHead, aJobId, anEntry, anId, aRow, aUser, T0 } from '../../support/fixtures.ts';
import { MemoryQueue } from '../../support/memory-queue.ts';

const JOBS = 40;
const MINUTE = 60_000;

let store: Store;
let stop: () => Promise<void>;
const used = new Map<string, number>();
let written = 0;
const total = () => [...used.values()].reduce((sum, units) => sum + units, 0);

beforeAll(async () => {
  const engine = await startDynoxide();
  stop = engine.stop;
  await createTables(engine.client, '');
  store = createDynamoStore({
    client: engine.client,
    tablePrefix: '',
    shards: DEFAULT_SETTINGS.shards,
    meter(operation, _table, { read, write }) {
      used.set(operation, (used.get(operation) ?? 0) + read);
      written += write;
    },
  });
});
beforeEach(() => {
  used.clear();
  written = 0;
});
afterAll(() => stop());

const context = (): Context => ({
  store,
  queue: new MemoryQueue(),
  clock: { now: () => T0 + 1000, monotonic: () => T0, sleep: async () => {} },
  random: { id: anId, float: Math.random },
  log: createLog('silent'),
  settings: DEFAULT_SETTINGS,
});

/** Jobs of one user, each with a running row and `rows` ordinary rows before it. */
async function jobsWithRows(rows: number): Promise<string> {
  const userId = aUser();
  for (let i = 0; i < JOBS; i++) {
    const head = aHead({ userId, createdAt: T0 + i });
    await store.insertHead(head);
    await store.insertRow(aRow({ jobId: head.jobId, userId, status: 'RUNNING', leaseUntil: T0 + 30_000 }));
    const ofJob = Array.from({ length: rows }, (_, n) => n);
    await Promise.all(
      ofJob.map((n) =>
        store.insertRow(aRow({ jobId: head.jobId, userId, due: dueKey(T0 - (n + 1) * MINUTE) })),
      ),
    );
  }
  used.clear();
  return userId;
}

const list = (userId: string) =>
  listJobs(context(), asUser(userId), { view: 'summary', include: 'recent', limit: JOBS });

test('with 25 rows per job: 1.5 RRU for 20 rows, and little for the index', async () => {
  const userId = await jobsWithRows(25);
  const { items } = await list(userId);
  expect(items).toHaveLength(JOBS);
  for (const { recent } of items) {
    expect(recent).toHaveLength(20);
    expect(recent?.[0]).toMatchObject({ status: 'running' });
  }
  expect(used.get('listRows')).toBe(JOBS * 1.5);
  expect([...used.keys()].sort()).toEqual(['listHeads', 'listRows', 'readIndexPartitions'].sort());
  expect(total() / JOBS, JSON.stringify([...used])).toBeLessThanOrEqual(1.75);
}, 60_000);

test('with 8 rows per job: 0.5 RRU, and little for the index', async () => {
  const userId = await jobsWithRows(7);
  await list(userId);
  expect(used.get('listRows')).toBe(JOBS * 0.5);
  expect(total() / JOBS, JSON.stringify([...used])).toBeLessThanOrEqual(0.75);
}, 60_000);

test('a summary without recent executions reads the index only', async () => {
  const userId = await jobsWithRows(1);
  const { items } = await listJobs(context(), asUser(userId), { view: 'summary', limit: JOBS });
  expect(items).toHaveLength(JOBS);
  expect(total() / JOBS, JSON.stringify([...used])).toBeLessThanOrEqual(0.25);
}, 60_000);

test('running executions: others cost nothing, however many there are', async () => {
  const userId = aUser();
  const own = aHead({ userId });
  await store.insertHead(own);
  await store.insertRow(aRow({ jobId: own.jobId, userId, status: 'RUNNING', leaseUntil: T0 + 30_000 }));
  const runningOf = (owner: string, jobId: string) => ({
    ...{ id: executionId(jobId, dueKey(T0)), since: T0 },
    owner: ownerHash(owner),
  });
  const putWorkers = async (others: number) => {
    for (let worker = 0; worker < 10; worker++)
      await store.putWorker({
        ...{ workerId: `worker-${worker}`, startedAt: T0, beatAt: T0 + 1000, host: 'h' },
        running: [
          ...Array.from({ length: others / 10 }, () => runningOf(aUser(), aJobId())),
          ...(worker === 0 ? [runningOf(userId, own.jobId)] : []),
        ],
      });
    used.clear();
  };
  const listed = async () => {
    const { items } = await listExecutions(context(), asUser(userId), { status: 'running', limit: 20 });
    expect(items.map(({ jobId }) => jobId)).toEqual([own.jobId]);
    const { listWorkers = 0, ...others } = Object.fromEntries(used);
    return { listWorkers, others };
  };
  await putWorkers(0);
  const alone = await listed();
  await putWorkers(1000);
  const crowded = await listed();
  // 1 RRU for the head, and 1 for the row
  expect(crowded.others).toEqual({ readHeads: 1, readRows: 1 });
  expect(crowded.others).toEqual(alone.others);
  // 1,000 running executions are 66 KB of the workers' rows
  expect(crowded.listWorkers).toBeLessThanOrEqual(10);
});

test('a forecast costs 0.5 RRU per slot and 0.016 RRU per entry', async () => {
  const shards = Array.from({ length: DEFAULT_SETTINGS.shards }, (_, shard) => shard);
  const count = () => forecast(context(), shards, { consistent: false });
  expect((await count()).perMinute).toEqual([0, 0, 0, 0, 0, 0]);
  expect(Object.fromEntries(used)).toEqual({ readSlot: 48 });
  await store.putEntries(Array.from({ length: 5000 }, () => anEntry({ at: T0 + 2 * MINUTE })));
  used.clear();
  expect((await count()).perMinute).toEqual([0, 0, 5000, 0, 0, 0]);
  expect((total() - 48) / 5000).toBeLessThan(0.02);
});

test('groups of dead letters cost 2 RRU per 100, and 0.5 for the newest row of each group', async () => {
  const userId = aUser();
  const errors = Array.from({ length: 5 }, (_, n) => ({ name: `Error${n}`, message: 'refused' }));
  const rows = Array.from({ length: 1000 }, (_, n) =>
    aRow({ userId, status: 'FAILED', due: dueKey(T0 - n), error: errors[n % 5] }),
  );
  for (let n = 0; n < rows.length; n += 50)
    await Promise.all(rows.slice(n, n + 50).map((row) => store.insertRow(row)));
  used.clear();
  written = 0;
  const { items } = await groupDeadLetters(context(), asUser(userId), { by: 'error' });
  expect(items.map(({ count }) => count)).toEqual([200, 200, 200, 200, 200]);
  expect(used.get('readRows')).toBe(2.5);
  expect(used.get('listFailedKeys')).toBeLessThanOrEqual(20);
  expect(total()).toBeLessThanOrEqual(20 + 2.5 + 1); // 1 for the number of index partitions, which is cached
  expect(written).toBe(0);
}, 60_000);

test('a dismiss costs 2 WRU for each execution', async () => {
  const userId = aUser();
  const head = aHead({ userId });
  await store.insertHead(head);
  const failed = { userId, jobId: head.jobId, status: 'FAILED', error: { name: 'E', message: 'm' } } as const;
  const rows = Array.from({ length: 10 }, (_, n) => aRow({ ...failed, due: dueKey(T0 - n) }));
  await Promise.all(rows.map((row) => store.insertRow(row)));
  used.clear();
  written = 0;
  const ids = rows.map(({ jobId, due }) => executionId(jobId, due));
  expect(await dismissByIds(context(), asUser(userId), ids)).toEqual({ dismissed: 10 });
  expect(written).toBe(20);
  expect(total()).toBeLessThanOrEqual(11);
});

test('the state of the deployment costs 1 RRU per shard', async () => {
  await getSystem(context());
  expect(Object.fromEntries(used)).toEqual({ readShard: DEFAULT_SETTINGS.shards });
});
