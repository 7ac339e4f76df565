// The cost of an execution (docs/architecture.md#cost-budget), by the sizes of items and by dynoxide's meter.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StopSignal } from '../../../src/concurrency/stopper.ts';
import { errorKeyOf } from '../../../src/domain/executions/error-key.ts';
import { dueKey, shardOf } from '../../../src/domain/executions/ids.ts';
import { MAX_PROGRESS_TEXT } from '../../../src/domain/executions/progress.ts';
import { MINUTE, minuteOf } from '../../../src/domain/executions/slots.ts';
import type { ConcurrencyLimit } from '../../../src/domain/jobs/concurrency-key.ts';
import { jobSpecSchema } from '../../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../../src/domain/principal.ts';
import { backfill } from '../../../src/jobs/begin-backfill.ts';
import { createJob } from '../../../src/jobs/create-job.ts';
import { editJob } from '../../../src/jobs/edit-job.ts';
import { putNamedJob } from '../../../src/jobs/named/put-named-job.ts';
import { pauseJob } from '../../../src/jobs/pause-job.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../../src/scheduling/context.ts';
import { dispatchSlot } from '../../../src/scheduling/planning/dispatch-slot.ts';
import { handleMessage } from '../../../src/scheduling/running/handle-message.ts';
import { withDefinitionCache } from '../../../src/store/definition-cache.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { headToItem, rowToItem } from '../../../src/store/items.ts';
import type { Store } from '../../../src/store/store.ts';
import { noop } from '../../../src/tasks/noop.ts';
import { startDynoxide } from '../../support/engines.ts';
import { aHead, anEntry, anId, aRow, T0 } from '../../support/fixtures.ts';
import { itemSize } from '../../support/item-size.ts';
import { MemoryQueue } from '../../support/memory-queue.ts';
import { receivedMessage } from '../../support/received-message.ts';
import { workerPort } from '../../support/worker-port.ts';

/** The largest ordinary head: a job that has run and was edited, with a pause with an end, names and tags. */
const aFullHead = () =>
  aHead({
    userId: '3f9a1c52-7b8e-4d21-9c0a-5e6f7a8b9c0d',
    name: 'nightly-report-of-all-invoices',
    tags: { team: 'billing', environment: 'production', costCentre: '4711' },
    lock: { due: dueKey(T0), number: T0 + 123_456 },
    coveredUntil: dueKey(T0),
    pausedUntil: T0,
    version: 12,
    definition: 12 * 2 ** 30,
    bodyFingerprint: anId(16),
  });

describe('size', () => {
  test('a full head is below 1 KB, the billing unit of every claim', () => {
    const size = itemSize(headToItem(aFullHead()));
    expect(size).toBeGreaterThan(600); // or the measure is wrong
    expect(size).toBeLessThan(1_024);
  });

  test('the longest exclusions leave a full head below 1 KB', () => {
    const { schedule, ...full } = aFullHead();
    const dates = Array.from({ length: 15 }, (_, n) => `2026-12-${10 + n}`);
    const except = [...dates, '2026-12-31'].slice(0, 15);
    expect(JSON.stringify(except).length).toBeGreaterThan(195);
    const longest = { ...schedule, except } as typeof schedule;
    expect(itemSize(headToItem({ ...full, schedule: longest }))).toBeLessThan(1_024);
  });

  test('a row is below 1 KB from its claim to its end, with the longest progress of ASCII', () => {
    const progress = { fraction: 0.123, text: 'x'.repeat(MAX_PROGRESS_TEXT), at: T0 };
    const row = aRow({
      ...{ status: 'RUNNING', leaseUntil: T0, claimId: anId(12), was: 'RETRYING', boot: anId(12), progress },
      ...{
        userId: '3f9a1c52-7b8e-4d21-9c0a-5e6f7a8b9c0d',
        workerId: `worker_${anId(12)}`,
        result: undefined,
      },
    });
    expect(itemSize(rowToItem(row, 0))).toBeLessThan(1_024);
    expect(
      itemSize(rowToItem({ ...row, status: 'SUCCEEDED', result: { body: 'x'.repeat(200) } }, 0)),
    ).toBeLessThan(1_024);
  });

  test('an ordinary failed row is below 1 KB, the key of its error included', () => {
    const error = {
      name: 'HttpError',
      message: 'POST https://example.com/hook answered 503 Service Unavailable',
    };
    const row = aRow({
      status: 'FAILED',
      error,
      nextAttemptAt: T0,
      result: { body: 'x'.repeat(200) },
    });
    const item = rowToItem(row, 0);
    expect(item.errorKey).toBe(errorKeyOf(row));
    expect(itemSize(item)).toBeLessThan(1_024);
  });
});

describe('capacity', () => {
  let store: Store;
  /** As a worker has it. */
  let cached: Store;
  let stop: () => Promise<void>;
  const used = new Map<string, number>();
  const total = (unit: string) => used.get(unit) ?? 0;

  beforeAll(async () => {
    const engine = await startDynoxide();
    stop = engine.stop;
    await createTables(engine.client, '');
    store = createDynamoStore({
      client: engine.client,
      tablePrefix: '',
      shards: 4,
      meter: (operation, table, { read, write }) => {
        used.set(`${operation} read`, total(`${operation} read`) + read);
        used.set(`${table} read`, total(`${table} read`) + read);
        used.set(`${table} write`, total(`${table} write`) + write);
        used.set('read', total('read') + read);
        used.set('write', total('write') + write);
      },
    });
  });
  beforeEach(() => {
    cached = withDefinitionCache(store);
    used.clear();
  });
  afterAll(() => stop());

  test('a claim costs 3 write units: the row, the row in its index, and the lock. The end costs 1', async () => {
    const head = aFullHead();
    await store.insertHead(head);
    used.clear();
    const row = aRow({ jobId: head.jobId, status: 'RUNNING', leaseUntil: T0, number: T0 + 200_000 });
    const lock = { due: row.due, number: row.number };
    const taking = { seen: head, lock, coveredUntil: dueKey(T0 + 1) };
    expect(await store.claim({ seen: undefined, row, seat: undefined, lock: taking })).toBe('done');
    const written = () =>
      Object.fromEntries([...used].filter(([name, units]) => name.endsWith('write') && units > 0));
    expect(written()).toEqual({
      'jobs write': 1,
      'executions write': 1,
      'executions.byUser write': 1,
      write: 3,
    });
    used.clear();
    const { leaseUntil: _, ...ended } = { ...row, status: 'SUCCEEDED' as const };
    expect(await store.updateRow({ status: 'RUNNING', number: row.number }, ended)).toBe(true);
    expect(written()).toEqual({ 'executions write': 1, write: 1 });
    expect(total('read')).toBe(0);
  });

  test('a concurrency key costs 1 write unit and 1 read unit more: its seat, the search, and the row of the run before', async () => {
    const head = aFullHead();
    await store.insertHead(head);
    const row = aRow({ jobId: head.jobId });
    await store.insertRow(row);
    const name = { owner: anId(8), key: 'db' };
    const before = { ...name, n: 0, jobId: head.jobId, due: row.due, number: row.number };
    await store.writeSeat(undefined, before);
    used.clear();
    const [seen] = await store.readSeats(name, { consistent: false });
    await store.readRows([row], { consistent: false });
    await store.writeSeat(seen, { ...before, number: row.number + 1 });
    expect([total('write'), total('read')]).toEqual([1, 1]);
  });

  const contextAt = (now: number): Context => ({
    store,
    queue: new MemoryQueue(),
    clock: { now: () => now, monotonic: () => now, sleep: async () => {} },
    random: { id: anId, float: Math.random },
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  });

  /** Short sleeps take no time. Long ones, such as that until a heartbeat, end by an abort. */
  const sleep = (ms: number, signal?: StopSignal): Promise<void> =>
    signal && !signal.aborted && ms > 1_000
      ? new Promise((end) => signal.addEventListener('abort', () => end(), { once: true }))
      : Promise.resolve();

  /** What dispatch, claim, run and end of a due occurrence write, and what the worker reads: from the claim on, without the line. */
  const usedByRun = async (jobId: string, due: number) => {
    const queue = new MemoryQueue();
    const { clock, ...context } = contextAt(due);
    const now = { ...context, store: cached, queue, clock: { ...clock, sleep } };
    used.clear();
    await dispatchSlot(now, shardOf(jobId, 4), minuteOf(due));
    const before = total('read');
    const received = receivedMessage(queue.takeVisible(due)[0]);
    await handleMessage(now, workerPort(new Map([['noop', noop]])), received);
    expect(received.fate).toEqual(['deleted']);
    const costs = { write: total('write'), read: total('read') - before - total('firstWait read') };
    const row = await store.readRow(jobId, dueKey(due), { consistent: false });
    expect(row?.status).toBe('SUCCEEDED');
    return costs;
  };

  /** The third occurrence of a job: its lock names an execution that has ended, and the worker knows its definition. */
  const usedByThird = async (startAt: string, change: object) => {
    const spec = jobSpecSchema.parse({ task: 'noop', schedule: { every: 'PT1M', startAt }, ...change });
    const created = contextAt(Date.parse('2026-11-16T12:30:00Z'));
    const { job } = await createJob(created, { userId: anId(12), spec });
    const first = Date.parse(startAt);
    await usedByRun(job.id, first);
    await usedByRun(job.id, first + MINUTE);
    return usedByRun(job.id, first + 2 * MINUTE);
  };

  test.each([
    ['skip', '2026-11-16T12:40:00Z', 5],
    ['queue', '2026-11-16T12:50:00Z', 5],
    ['allow', '2026-11-16T13:00:00Z', 4],
  ])(
    'a recurring execution with overlap %s writes as much as this from its dispatch to its end, and its worker reads at most 2',
    async (overlap, startAt, units) => {
      const { write, read } = await usedByThird(startAt, { overlap });
      expect(write).toBe(units);
      expect(read).toBeLessThanOrEqual(2);
      // the line of a job is looked at before the claim and after the end
      expect(total('firstWait read')).toBe(overlap === 'queue' ? 2 : 0);
    },
  );

  test('a concurrency key costs 1 more, and 1.5 more to read: the head for the line of the key, the seats, the row of the last run', async () => {
    const without = await usedByThird('2026-11-16T13:10:00Z', {});
    const limit: ConcurrencyLimit = { key: 'db', concurrent: 1 };
    const keyed = await usedByThird('2026-11-16T13:20:00Z', { limit });
    expect([keyed.write - without.write, keyed.read - without.read]).toEqual([1, 1.5]);
  });

  test('a one-time execution writes 10 with its create: 4 of them before it is due', async () => {
    const created = contextAt(Date.parse('2026-11-16T12:30:00Z'));
    const at = '2026-11-16T13:30:00Z';
    const spec = jobSpecSchema.parse({ task: 'noop', schedule: { at } });
    used.clear();
    const { job } = await createJob(created, { userId: anId(12), spec });
    expect(total('write'), 'entry; record and head; index').toBe(4);
    const { write, read } = await usedByRun(job.id, Date.parse(at));
    expect(write, 'row and its index; lock; end; the completed head and its index').toBe(6);
    expect(read).toBeLessThanOrEqual(2);
  });

  test('a change by a person costs 1 more than the head and its index: the record', async () => {
    const context = contextAt(Date.parse('2026-11-16T12:30:00Z'));
    const written = () =>
      ['timetable', 'jobs', 'jobs.byUser'].map((table) => total(`${table} write`)).concat(total('write'));
    const userId = '3f9a1c52-7b8e-4d21-9c0a-5e6f7a8b9c0d';
    const schedule = { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' };
    const spec = jobSpecSchema.parse({ task: 'noop', name: 'nightly-report', schedule });
    const { job } = await createJob(context, { userId, spec });
    expect(written(), 'entry; definition, record and head; index').toEqual([1, 3, 1, 5]);
    used.clear();
    const note = 'The receiver is being moved to another region until Friday, see ticket 4711';
    await pauseJob(context, asUser(userId), job.id, { note });
    expect(written(), 'record and head; index').toEqual([0, 2, 1, 3]);
    used.clear();
    await editJob(context, asUser(userId), job.id, {
      params: { result: 'x'.repeat(500) },
      timeoutSeconds: 9,
    });
    expect(written(), 'definition, record and head; index').toEqual([0, 3, 1, 4]);
  });

  test('a create by name costs 1 more than a create: the pointer. An equal request and an execution cost nothing for it', async () => {
    const context = contextAt(Date.parse('2026-11-16T12:30:00Z'));
    const userId = '3f9a1c52-7b8e-4d21-9c0a-5e6f7a8b9c0d';
    const who = asUser(userId);
    const schedule = { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' };
    const name = { namespace: anId(12), name: 'nightly-report' };
    const wanted = (change = {}) => ({
      spec: jobSpecSchema.parse({ task: 'noop', schedule, ...change }),
      paused: false,
    });
    const { job } = await putNamedJob(context, who, name, wanted());
    expect(total('write'), 'pointer; entry; definition, record and head; index').toBe(6);
    used.clear();
    await putNamedJob(context, who, name, wanted());
    expect([total('write'), total('read')], 'pointer, head and definition').toEqual([0, 3]);
    used.clear();
    await editJob(context, who, job.id, { timeoutSeconds: 8 });
    const edited = total('write');
    used.clear();
    await putNamedJob(context, who, name, wanted({ timeoutSeconds: 9 }));
    expect(total('write'), 'as much as an edit').toBe(edited);
    used.clear();
    await putNamedJob(context, who, name, wanted({ overlap: 'allow' }));
    // and the expiry of what stands beside the cancelled head: definition, three records, and the name, which is another job's
    expect(total('write'), 'a create by name; record, head and index of the cancel').toBe(6 + 3 + 5);
    const named = { ...aFullHead(), namespace: 'billing', applied: 12, bodyFingerprint: undefined };
    expect(itemSize(headToItem(named))).toBeLessThan(1_024);
  });

  test('a backfilled occurrence costs 3 until it runs: entry, row and index; the operation 4, and 1 per step', async () => {
    const context = contextAt(Date.parse('2026-11-16T12:30:00Z'));
    const userId = '3f9a1c52-7b8e-4d21-9c0a-5e6f7a8b9c0d';
    const startAt = '2026-11-15T00:00:00Z';
    const spec = jobSpecSchema.parse({ task: 'noop', schedule: { every: 'PT1H', startAt } });
    const { job } = await createJob(context, { userId, spec });
    used.clear();
    const range = { from: Date.parse(startAt), to: Date.parse('2026-11-16T06:00:00Z') };
    expect(await backfill(context, asUser(userId), job.id, range)).toMatchObject({ planned: 30 });
    expect([total('timetable write'), total('executions write'), total('executions.byUser write')]).toEqual([
      30, 30, 30,
    ]);
    // the operation: its item, its list item, its lease, its removal from the list; three steps
    expect([total('jobs write'), total('jobs.byUser write')]).toEqual([4 + 3, 0]);
  });

  test('a heartbeat costs 1, with progress too, and so does a write that is refused', async () => {
    const row = aRow({ status: 'RUNNING', leaseUntil: T0 });
    await store.insertRow(row);
    used.clear();
    const progress = { fraction: 0.123, text: 'x'.repeat(MAX_PROGRESS_TEXT), at: T0 };
    await store.extendLease(row, row.number, T0 + 1, undefined);
    await store.extendLease(row, row.number, T0 + 2, progress);
    await store.requestCancel(row, row.number);
    expect(total('write')).toBe(3);
    expect(await store.extendLease(row, row.number, T0 + 2, undefined)).toBeUndefined();
    expect(total('write')).toBe(4);
    used.clear();
    const { leaseUntil: _, ...ended } = { ...row, progress, status: 'SUCCEEDED' as const };
    await store.updateRow({ status: 'RUNNING', number: row.number }, ended);
    expect(total('write')).toBe(1);
  });

  test('a checkpoint costs 1 per KB, and an item of the line 1 when it comes and 1 when it goes', async () => {
    const row = aRow();
    await store.putCheckpoint(row, row.number, { page: 12 });
    expect(total('write')).toBe(1);
    await store.readCheckpoint(row);
    expect(total('read')).toBe(1);
    used.clear();
    await store.putWait(row, T0);
    await store.firstWait(row.jobId);
    await store.removeWait(row, T0);
    expect([total('write'), total('read')]).toEqual([2, 1]);
  });

  test('writes that share a request cost as much as single ones, also refused ones', async () => {
    const heads = [aFullHead(), aFullHead(), aFullHead()];
    await Promise.all(heads.map((head) => store.insertHead(head)));
    expect([total('jobs write'), total('jobs.byUser write')]).toEqual([3, 3]);
    used.clear();
    const [first, ...others] = heads.map((head) =>
      store.takeLock({
        seen: head === heads[0] ? { ...head, version: 1 } : head,
        lock: { due: dueKey(T0), number: T0 + 200_000 },
        coveredUntil: undefined,
      }),
    );
    expect(await Promise.all([first, ...others])).toEqual([false, true, true]);
    expect(total('write')).toBe(3);
    used.clear();
    await Promise.all(heads.map((head) => store.readHead(head.jobId, { consistent: false })));
    expect(total('read')).toBe(1.5);
  });

  test('a row that changes costs 1: its index has keys only', async () => {
    const row = aRow({ status: 'QUEUED', number: 0 });
    await store.insertRow(row);
    used.clear();
    await store.updateRow(row, { ...row, status: 'RUNNING', number: T0 });
    expect(total('write')).toBe(1);
  });

  test('a failure costs 1 more than a success, and 1 when it is run again, for the index of failed rows', async () => {
    const row = aRow({ status: 'FAILED' });
    used.clear();
    await store.insertRow(row);
    expect(total('write')).toBe(3);
    await store.updateRow(row, { ...row, status: 'QUEUED' });
    expect(total('write')).toBe(5);
  });

  test('a read of a head costs half a unit, a read of a slot a fraction of a unit per entry', async () => {
    const head = aFullHead();
    await store.insertHead(head);
    const entries = Array.from({ length: 400 }, () => anEntry({ jobId: head.jobId }));
    await store.putEntries(entries);
    used.clear();
    await store.readHead(head.jobId, { consistent: false });
    expect(total('jobs read')).toBe(0.5);
    for (let shard = 0; shard < 4; shard++) await store.readSlot(Math.floor(T0 / 60_000), shard);
    expect(total('timetable read') / 400).toBeLessThan(0.05);
  });

  test('a page of 100 jobs reads little more than 100 summaries', async () => {
    const heads = Array.from({ length: 300 }, (_, i) => ({
      ...aFullHead(),
      userId: 'lister',
      createdAt: T0 + i,
    }));
    await Promise.all(heads.map((head) => store.insertHead(head)));
    const needed = (100 * itemSize(headToItem(aFullHead()))) / 8_192;
    used.clear();
    await store.listHeads('lister', { limit: 100 });
    expect(total('read')).toBeGreaterThan(needed / 2);
    expect(total('read')).toBeLessThan(needed * 2);
  });
});
