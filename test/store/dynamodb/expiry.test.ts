// When the items of a job expire on DynamoDB: what a create, an edit, a cancel and a late execution write to the TTL attribute.
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { jobSpecSchema } from '../../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../../src/domain/principal.ts';
import { cancelJob } from '../../../src/jobs/cancel-job.ts';
import { createJob } from '../../../src/jobs/create-job.ts';
import { editJob } from '../../../src/jobs/edit-job.ts';
import { runNow } from '../../../src/jobs/manual-runs.ts';
import { putNamedJob } from '../../../src/jobs/named/put-named-job.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../../src/scheduling/context.ts';
import { afterExecution } from '../../../src/scheduling/running/after-execution.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { startDynoxide } from '../../support/engines.ts';
import { anId, aRow, T0 } from '../../support/fixtures.ts';
import { MemoryQueue } from '../../support/memory-queue.ts';

const DAY = 86_400_000;
const RETENTION_DAYS = 60;
/** The margin of a job over its executions. */
const MARGIN_DAYS = 7;
const iso = (time: number) => new Date(time).toISOString();

let engine: Awaited<ReturnType<typeof startDynoxide>>;
let context: Context;
let now = T0;

beforeAll(async () => {
  engine = await startDynoxide();
  await createTables(engine.client, '');
  context = {
    store: createDynamoStore({
      ...{ client: engine.client, tablePrefix: '', shards: 4, retentionDays: RETENTION_DAYS },
    }),
    queue: new MemoryQueue(),
    clock: { now: () => now, monotonic: () => now, sleep: async () => {} },
    random: { id: anId, float: Math.random },
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  };
});
afterAll(() => engine.stop());

const userId = 'ann';
const who = asUser(userId);
const specOf = (spec: object) =>
  jobSpecSchema.parse({ task: 'noop', params: { result: 'x'.repeat(900) }, ...spec });

async function create(spec: object): Promise<string> {
  now = T0;
  const { job } = await createJob(context, { userId, spec: specOf(spec) });
  return job.id;
}

/** The days from T0 until the items of a partition expire, by their kind. Null if they do not expire. */
async function expiries(partition: string): Promise<Record<string, (number | null)[]>> {
  const { Items = [] } = await engine.client.send(
    new QueryCommand({
      TableName: 'jobs',
      KeyConditionExpression: 'jobId = :p',
      ExpressionAttributeValues: { ':p': { S: partition } },
    }),
  );
  const days = Items.map((item) => unmarshall(item)).map(({ part, expiresAt }) => ({
    kind: String(part).replace(/#.*/, ''),
    day: expiresAt === undefined ? null : Math.round((expiresAt * 1000 - T0) / DAY),
  }));
  const kinds = Map.groupBy(days, ({ kind }) => kind);
  return Object.fromEntries([...kinds].map(([kind, own]) => [kind, own.map(({ day }) => day)]));
}

const kept = (days: number): number => days + RETENTION_DAYS + MARGIN_DAYS;

describe('the items of a job expire together', () => {
  test('of a one-time job: at its time, the retention and a margin', async () => {
    const id = await create({ schedule: { at: iso(T0 + 5 * DAY) } });
    const day = kept(5);
    expect(await expiries(id)).toEqual({ head: [day], def: [day], change: [day] });
  });

  test('of a recurring job: never, before its cancel', async () => {
    const id = await create({ schedule: { every: 'PT1H' } });
    now = T0 + DAY;
    await editJob(context, who, id, { params: { result: 'y'.repeat(900) } });
    expect(await expiries(id)).toEqual({ head: [null], def: [null, null], change: [null, null] });
    now = T0 + 20 * DAY;
    await cancelJob(context, who, id);
    const day = kept(20);
    expect(await expiries(id)).toEqual({ head: [day], def: [day, day], change: [day, day, day] });
  });

  test('of a one-time job that is edited: at its new time, or never', async () => {
    const id = await create({ schedule: { at: iso(T0 + 5 * DAY) } });
    await editJob(context, who, id, { schedule: { at: iso(T0 + 50 * DAY) } });
    const day = kept(50);
    expect(await expiries(id)).toEqual({ head: [day], def: [day], change: [day, day] });
    await editJob(context, who, id, { schedule: { every: 'PT1H' } });
    expect(await expiries(id)).toEqual({ head: [null], def: [null], change: [null, null, null] });
    await editJob(context, who, id, { schedule: { every: 'PT1H', endAt: iso(T0 + 9 * DAY) } });
    const end = kept(9);
    expect(await expiries(id)).toEqual({ head: [end], def: [end], change: [end, end, end, end] });
  });

  test('of a job that is run by hand after its end: after that run', async () => {
    const id = await create({ schedule: { at: iso(T0 + DAY) } });
    now = T0 + 40 * DAY;
    await runNow(context, who, id);
    const day = kept(40);
    expect(await expiries(id)).toEqual({ head: [day], def: [day], change: [day] });
  });

  test('of a job whose last execution ends days late: after that execution', async () => {
    const id = await create({ schedule: { every: 'PT1H', endAt: iso(T0 + DAY) } });
    const head = await context.store.readHead(id, { consistent: true });
    if (!head) throw new Error('no head');
    const row = aRow({ jobId: id, userId, due: dueKey(T0 + DAY), finishedAt: T0 + 30 * DAY });
    await afterExecution(context, head, row);
    const day = kept(30);
    expect(await expiries(id)).toEqual({ head: [day], def: [day], change: [day] });
  });

  test('of a named job: with its name, which a later job of the name takes over', async () => {
    now = T0;
    const name = { namespace: anId(12), name: 'bill' };
    const put = (schedule: object) =>
      putNamedJob(context, who, name, { spec: specOf({ schedule }), paused: false });
    const partition = `name#${userId}#${name.namespace}`;
    const { job } = await put({ at: iso(T0 + 5 * DAY) });
    expect(await expiries(partition)).toEqual({ bill: [kept(5)] });
    await put({ every: 'PT1H' });
    expect(await expiries(partition)).toEqual({ bill: [null] });
    await cancelJob(context, who, job.id);
    expect(await expiries(partition)).toEqual({ bill: [kept(0)] });
    await put({ every: 'PT1H' });
    expect(await expiries(partition)).toEqual({ bill: [null] });
    expect(await expiries(job.id)).toMatchObject({ head: [kept(0)] });
  });
});
