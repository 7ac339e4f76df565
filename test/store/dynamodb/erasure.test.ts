// The erasure of an owner on DynamoDB: a scan of every table finds nothing of the owner.
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownerHash } from '../../../src/domain/digest.ts';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { jobSpecSchema } from '../../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../../src/domain/principal.ts';
import { createJob } from '../../../src/jobs/create-job.ts';
import { editJob } from '../../../src/jobs/edit-job.ts';
import { eraseOwner } from '../../../src/jobs/erase-owner.ts';
import { putNamedJob } from '../../../src/jobs/named/put-named-job.ts';
import { carryOutOperations } from '../../../src/jobs/operations/carry-out.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../../src/scheduling/context.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { TABLES } from '../../../src/store/dynamodb/table-schemas.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { startDynoxide } from '../../support/engines.ts';
import { anId, aRow, T0 } from '../../support/fixtures.ts';
import { MemoryQueue } from '../../support/memory-queue.ts';

let engine: Awaited<ReturnType<typeof startDynoxide>>;
let context: Context;

beforeAll(async () => {
  engine = await startDynoxide();
  await createTables(engine.client, '');
  context = {
    store: createDynamoStore({ client: engine.client, tablePrefix: '', shards: 4 }),
    queue: new MemoryQueue(),
    clock: { now: () => T0, monotonic: () => T0, sleep: async () => {} },
    random: { id: anId, float: Math.random },
    log: createLog('silent'),
    settings: { ...DEFAULT_SETTINGS, shards: 4 },
  };
});
afterAll(() => engine.stop());

async function fill(userId: string): Promise<string[]> {
  const { store } = context;
  const specOf = (spec: object) =>
    jobSpecSchema.parse({ task: 'noop', params: { result: 'x'.repeat(900) }, ...spec });
  const create = async (spec: object) => (await createJob(context, { userId, spec: specOf(spec) })).job.id;
  const hourly = await create({ schedule: { every: 'PT1H' }, limit: { key: 'db', concurrent: 2 } });
  await editJob(context, asUser(userId), hourly, { params: { result: 'y'.repeat(900) } });
  const once = await create({ schedule: { at: new Date(T0 + 1e9).toISOString() } });
  const name = { namespace: 'shop', name: 'bill' };
  const wanted = { spec: specOf({ schedule: { cron: '@daily' } }), paused: false };
  const { job } = await putNamedJob(context, asUser(userId), name, wanted);
  for (let i = 0; i < 120; i++) {
    const due = dueKey(T0 - i * 60_000);
    await store.insertRow(aRow({ jobId: hourly, userId, due, finishedAt: T0 - 60_000, status: 'FAILED' }));
  }
  const key = { jobId: hourly, due: dueKey(T0) };
  await store.putCheckpoint(key, T0, { of: userId });
  await store.putWait(key, T0);
  await store.writeSeat(undefined, { owner: ownerHash(userId), key: 'db', n: 1, ...key, number: T0 });
  await store.takeStored(userId, { jobs: 3, bytes: 9 }, { jobs: 9, bytes: 99 });
  await store.putLimits(userId, { values: { activeJobs: 9 }, updatedAt: T0, updatedBy: 'olga' } as never);
  return [hourly, once, job.id];
}

/** The items of each table that contain one of these texts. */
async function itemsWith(texts: readonly string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { name: TableName } of TABLES) {
    let last: Record<string, never> | undefined;
    do {
      const page = await engine.client.send(new ScanCommand({ TableName, ExclusiveStartKey: last }));
      const items = (page.Items ?? []).map((item) => JSON.stringify(item));
      const count = items.filter((item) => texts.some((text) => item.includes(text))).length;
      if (count > 0) found[TableName] = (found[TableName] ?? 0) + count;
      last = page.LastEvaluatedKey as typeof last;
    } while (last);
  }
  return found;
}

test('everything of the owner is gone but the operation, and nothing of others', async () => {
  const [own, others] = [await fill('erased-anna'), await fill('kept-otto')];
  const texts = ['erased-anna', ownerHash('erased-anna'), ...own];
  const otherTexts = ['kept-otto', ownerHash('kept-otto'), ...others];
  const before = await itemsWith(otherTexts);
  expect(Object.keys(await itemsWith(texts)).sort()).toEqual(['executions', 'jobs', 'timetable']);
  const { operation } = await eraseOwner(context, { userId: 'olga', operator: true }, 'erased-anna');
  await carryOutOperations(context, () => true);
  expect(await context.store.readOperation(operation)).toMatchObject({ status: 'done', done: 3 });
  expect(await itemsWith(texts)).toEqual({ jobs: 1 });
  expect(await itemsWith(otherTexts)).toEqual(before);
});

test('the limits stay if the owner asks, and other erasures that are open stay', async () => {
  const { store } = context;
  const user = 'erased-bert';
  const own = await fill(user);
  const { operation } = await eraseOwner(context, { userId: user, operator: false }, user);
  await carryOutOperations(context, () => true);
  expect(await store.readOperation(operation)).toMatchObject({ status: 'done' });
  expect(await store.readLimits(user, { consistent: true })).toMatchObject({ values: { activeJobs: 9 } });
  expect(await store.readStored(user)).toEqual({ jobs: 0, bytes: 0 });
  expect(await itemsWith(own)).toEqual({});
});

test('jobs are removed with their names, and counters, limits and names of other jobs stay until the end', async () => {
  const { store } = context;
  const user = 'erased-carl';
  await fill(user);
  const name = { namespace: 'shop', name: 'ship' };
  const spec = jobSpecSchema.parse({ task: 'noop', schedule: { cron: '@daily' } });
  const { job } = await putNamedJob(context, asUser(user), name, { spec, paused: false });
  const head = await store.readHead(job.id, { consistent: true });
  await store.eraseJobs([head as NonNullable<typeof head>], []);
  expect(await store.readName(user, 'shop', 'ship')).toBeUndefined();
  expect(await store.readName(user, 'shop', 'bill')).toBeDefined();
  expect(await store.readStored(user)).not.toEqual({ jobs: 0, bytes: 0 });
  expect(await store.readLimits(user, { consistent: true })).toBeDefined();
});
