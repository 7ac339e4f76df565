// The read units of GET /jobs/{id}/explain, by dynoxide's meter.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { minuteOf } from '../../../src/domain/executions/slots.ts';
import { jobSpecSchema } from '../../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../../src/domain/principal.ts';
import { createJob } from '../../../src/jobs/create-job.ts';
import { editJob } from '../../../src/jobs/edit-job.ts';
import { explain } from '../../../src/queries/explain/explain.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../../src/scheduling/context.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import type { Store } from '../../../src/store/store.ts';
import { startDynoxide } from '../../support/engines.ts';
import { anId, aRow } from '../../support/fixtures.ts';
import { MemoryQueue } from '../../support/memory-queue.ts';

const NOON = Date.parse('2026-12-01T12:00:00Z');
const MINUTE = 60_000;
const OWNER = '3f9a1c52-7b8e-4d21-9c0a-5e6f7a8b9c0d';

let store: Store;
let stop: () => Promise<void>;
let now = NOON;
const used = new Map<string, number>();
const total = () => [...used.values()].reduce((sum, units) => sum + units, 0);

beforeAll(async () => {
  const engine = await startDynoxide();
  stop = engine.stop;
  await createTables(engine.client, '');
  store = createDynamoStore({
    client: engine.client,
    tablePrefix: '',
    shards: DEFAULT_SETTINGS.shards,
    meter: (operation, _table, { read }) => used.set(operation, (used.get(operation) ?? 0) + read),
  });
  for (let shard = 0; shard < DEFAULT_SETTINGS.shards; shard++)
    await store.insertShard({
      ...{ shard, token: anId(12), leaseUntil: NOON },
      ...{ dispatchedUntil: minuteOf(NOON) + 20, settledUntil: minuteOf(NOON) + 12 },
    });
});
beforeEach(() => used.clear());
afterAll(() => stop());

const context = (): Context => ({
  store,
  queue: new MemoryQueue(),
  clock: { now: () => now, monotonic: () => now, sleep: async () => {} },
  random: { id: anId, float: Math.random },
  log: createLog('silent'),
  settings: DEFAULT_SETTINGS,
});

/** A job with ordinary names, whose last 25 changes are recorded. */
async function aChangedJob(more = {}): Promise<string> {
  now = NOON;
  const spec = jobSpecSchema.parse({
    ...{ task: 'noop', name: 'nightly-report-of-all-invoices', schedule: { cron: '* * * * *' } },
    ...{ tags: { team: 'billing', environment: 'production', costCentre: '4711' } },
    ...more,
  });
  const { job } = await createJob(context(), { userId: OWNER, spec });
  for (let edit = 0; edit < 25; edit++)
    await editJob(context(), asUser(OWNER), job.id, {
      timeoutSeconds: 60 + edit,
      note: 'The receiver is being moved to another region until Friday, see ticket 4711',
    });
  now = NOON + 15 * MINUTE;
  used.clear();
  return job.id;
}

test('the longest way, to a lost worker or message: at most 7 RRU', async () => {
  const id = await aChangedJob({ overlap: 'allow' });
  expect(await explain(context(), asUser(OWNER), id, NOON + 10 * MINUTE)).toMatchObject({
    verdict: 'noWorker',
  });
  expect([...used.keys()].sort()).toEqual(
    ['listChanges', 'listWorkers', 'readHead', 'readRow', 'readShard'].sort(),
  );
  expect(total(), JSON.stringify([...used])).toBeLessThanOrEqual(7);
});

test('with 200 workers, of which few are alive: at most 7 RRU', async () => {
  for (let n = 0; n < 200; n++) {
    const running = Array.from({ length: 5 }, () => ({ id: `job_${anId(20)}.${dueKey(NOON)}`, since: NOON }));
    const beatAt = n % 10 === 0 ? NOON + 15 * MINUTE : NOON;
    await store.putWorker({
      workerId: `worker_${anId(12)}`,
      startedAt: NOON,
      beatAt,
      running,
      host: 'ip-10-0-12-34',
    });
  }
  const id = await aChangedJob();
  expect(await explain(context(), asUser(OWNER), id, NOON + 14 * MINUTE)).toMatchObject({
    verdict: 'waiting',
  });
  expect(total(), JSON.stringify([...used])).toBeLessThanOrEqual(7);
});

test('an edit withdrew it by sending its schedule again: at most 7 RRU', async () => {
  const id = await aChangedJob({ overlap: 'allow' });
  await editJob(context(), asUser(OWNER), id, { schedule: { cron: '* * * * *' } });
  used.clear();
  expect(await explain(context(), asUser(OWNER), id, NOON + 10 * MINUTE)).toMatchObject({
    verdict: 'edited',
  });
  expect(used.get('hasEntry')).toBe(1);
  expect(total(), JSON.stringify([...used])).toBeLessThanOrEqual(7);
});

test('a time with many rows around it: at most 5 RRU, for the head, the changes and the nearest row', async () => {
  const id = await aChangedJob({ schedule: { cron: '0 9 * * *' } });
  for (let n = 0; n < 40; n++)
    await store.insertRow(aRow({ jobId: id, due: `${dueKey(NOON + 10 * MINUTE + n * 1000)}-${anId(6)}` }));
  used.clear();
  const at = NOON + 10 * MINUTE + 30_400;
  expect(await explain(context(), asUser(OWNER), id, at)).toMatchObject({
    verdict: 'ran',
    dueAt: new Date(at - 400).toISOString(),
  });
  expect(total(), JSON.stringify([...used])).toBeLessThanOrEqual(5);
});

test('an execution that has ended: at most 4 RRU, for the head, the changes and the row', async () => {
  const id = await aChangedJob();
  const due = NOON + 10 * MINUTE;
  await store.insertRow(aRow({ jobId: id, due: dueKey(due) }));
  used.clear();
  expect(await explain(context(), asUser(OWNER), id, due)).toMatchObject({ verdict: 'ran' });
  expect(total(), JSON.stringify([...used])).toBeLessThanOrEqual(4);
});
