// The cost of an execution (docs/architecture.md#cost-budget), by the sizes of items and by dynoxide's meter.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StopSignal } from '../../../src/concurrency/stopper.ts';
import { errorKeyOf } from '../../../src/domain/executions/error-key.ts';
import { dueKey, shardOf } from '../../../src/domain/executions/ids.ts';
import { MAX_PROGRESS_TEXT } from '../../../src/domain/executions/progress.ts';
import { MINUTE, minuteOf } from '../../../src/domain/executions/slots.ts';
import type { ConcurrencyLimit } from '../../../src/domain/jobs/concurrency-key.ts';
import type { Head } from '../../../src/domain/jobs/job.ts';
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
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { headToItem, rowToItem } from '../../../src/store/items.ts';
import type { Store } from '../../../src/store/store.ts';
import { noop } from '../../../src/tasks/noop.ts';
import { startDynoxide } from '../../support/engines.ts';
import { aHead, aHold, anEntry, anId, aRow, T0 } from '../../support/fixtures.ts';
import { itemSize } from '../../support/item-size.ts';
import { MemoryQueue } from '../../support/memory-queue.ts';
import { receivedMessage } from '../../support/received-message.ts';
import { workerPort } from '../../support/worker-port.ts';

/** The largest ordinary head: a held job that was edited, with a note, a pause with an end, names and tags. */
const aFullHead = () =>
  aHead({
    userId: '3f9a1c52-7b8e-4d21-9c0a-5e6f7a8b9c0d',
    name: 'nightly-report-of-all-invoices',
    tags: { team: 'billing', environment: 'production', costCentre: '4711' },
    hold: aHold({ number: 123_456, workerId: `worker_${anId(12)}` }),
    rowsUntil: dueKey(T0),
    coveredUntil: dueKey(T0),
    pausedUntil: T0,
    version: 12,
    definition: 12 * 2 ** 30,
    note: {
      due: dueKey(T0),
      status: 'SKIPPED',
      reason: `overlap: the execution due ${new Date(T0).toISOString()} was still running`,
      revision: anId(12),
      at: T0,
    },
    bodyFingerprint: anId(16),
  });

describe('size', () => {
  test('a full head is below 1 KB, the billing unit of every claim and heartbeat', () => {
    const size = itemSize(headToItem(aFullHead()));
    expect(size).toBeGreaterThan(600); // or the measure is wrong
    expect(size).toBeLessThan(1_024);
  });

  test('the longest exclusions leave a head with names, tags and a hold below 1 KB, and a full head below 2 KB', () => {
    const { schedule, note: _, pausedUntil: __, coveredUntil: ___, ...full } = aFullHead();
    const dates = Array.from({ length: 15 }, (_, n) => `2026-12-${10 + n}`);
    const except = [...dates, '2026-12-31'].slice(0, 15);
    expect(JSON.stringify(except).length).toBeGreaterThan(195);
    const longest = { ...schedule, except } as typeof schedule;
    expect(itemSize(headToItem({ ...full, schedule: longest }))).toBeLessThan(1_024);
    expect(itemSize(headToItem({ ...aFullHead(), schedule: longest }))).toBeLessThan(2_048);
  });

  test('the longest progress leaves a held head with names and tags below 1 KB, and a full head below 2 KB', () => {
    const { note: _, pausedUntil: __, ...full } = aFullHead();
    const progress = { fraction: 0.123, text: 'x'.repeat(MAX_PROGRESS_TEXT), at: T0 };
    const held = (head: Head): Head => ({ ...head, hold: { ...aHold(), ...head.hold, progress } });
    expect(itemSize(headToItem(held(full)))).toBeLessThan(1_024);
    expect(itemSize(headToItem(held(aFullHead())))).toBeLessThan(2_048);
  });

  test('an ordinary failed row is below 1 KB, the key of its error included', () => {
    const error = {
      name: 'HttpError',
      message: 'POST https://example.com/hook answered 503 Service Unavailable',
    };
    const row = aRow({
      status: 'FAILED',
      error,
      checkpoint: { page: 12 },
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
      meter: (_operation, table, { read, write }) => {
        used.set(`${table} read`, total(`${table} read`) + read);
        used.set(`${table} write`, total(`${table} write`) + write);
        used.set('read', total('read') + read);
        used.set('write', total('write') + write);
      },
    });
  });
  beforeEach(() => used.clear());
  afterAll(() => stop());

  test('a recurring execution costs 4 write units: entry, claim, row, and the row in its index', async () => {
    const head = aFullHead();
    await store.insertHead(head);
    used.clear();
    await store.putEntries([anEntry({ jobId: head.jobId })]);
    await store.updateHead(head, { stamp: 's2', hold: aHold(), rowsUntil: dueKey(T0 + 1) });
    await store.insertRow(aRow({ jobId: head.jobId }));
    expect(
      Object.fromEntries([...used].filter(([name, units]) => name.endsWith('write') && units > 0)),
    ).toEqual({
      'timetable write': 1,
      'jobs write': 1,
      'executions write': 1,
      'executions.byUser write': 1,
      write: 4,
    });
    expect(total('read')).toBe(0);
  });

  test('a concurrency key costs 1 write unit and 1 read unit more: its slot, the search, and the row of the run before', async () => {
    const head = aFullHead();
    await store.insertHead(head);
    const row = aRow({ jobId: head.jobId });
    await store.insertRow(row);
    const name = { owner: anId(8), key: 'db' };
    const before = { ...name, n: 0, jobId: head.jobId, due: row.due, token: anId(12), leaseUntil: T0 };
    await store.writeKeySlot(undefined, before);
    used.clear();
    const [seen] = await store.readKeySlots(name, { consistent: false });
    await store.readRows([row], { consistent: false });
    await store.writeKeySlot(seen, { ...before, token: anId(12) });
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

  /** What dispatch, claim, run and finish of the second occurrence of a job use. No other job is due in these minutes. */
  const usedBySecond = async (startAt: string, limit?: ConcurrencyLimit) => {
    const spec = jobSpecSchema.parse({ task: 'noop', schedule: { every: 'PT1M', startAt }, limit });
    const created = contextAt(Date.parse('2026-11-16T12:30:00Z'));
    const { job } = await createJob(created, { userId: anId(12), spec });
    for (const due of [Date.parse(startAt), Date.parse(startAt) + MINUTE]) {
      const queue = new MemoryQueue();
      const { clock, ...context } = contextAt(due);
      const now = { ...context, queue, clock: { ...clock, sleep } };
      used.clear();
      await dispatchSlot(now, shardOf(job.id, 4), minuteOf(due));
      const received = receivedMessage(queue.takeVisible(due)[0]);
      await handleMessage(now, workerPort(new Map([['noop', noop]])), received);
      expect(received.fate).toEqual(['deleted']);
    }
    return { write: total('write'), read: total('read') };
  };

  test('a recurring execution writes 4 from its dispatch to its end, and 5 with a concurrency key, which also reads 1 more', async () => {
    const without = await usedBySecond('2026-11-16T12:40:00Z');
    const keyed = await usedBySecond('2026-11-16T12:50:00Z', { key: 'db', concurrent: 1 });
    expect([without.write, keyed.write, keyed.read - without.read]).toEqual([4, 5, 1]);
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
    expect(total('write'), 'a create by name; record, head and index of the cancel').toBe(6 + 3);
    const named = { ...aFullHead(), namespace: 'billing', applied: 12, bodyFingerprint: undefined };
    expect(itemSize(headToItem(named))).toBeLessThan(1_024);
  });

  test('a backfilled occurrence costs 4 until it runs: entry, note, row and index; the operation 4, and 1 per step', async () => {
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
    // 30 notes; the operation: its item, its list item, its lease, its removal from the list; three steps
    expect([total('jobs write'), total('jobs.byUser write')]).toEqual([30 + 4 + 3, 0]);
  });

  test('a heartbeat costs 1, and so does a write that is refused', async () => {
    const head = aFullHead();
    await store.insertHead(head);
    used.clear();
    await store.heartbeat(head.jobId, 'head', head.hold?.token ?? '', T0 + 60_000, 's2');
    expect(total('write')).toBe(1);
    await store.updateHead({ ...head, stamp: 'older' }, { stamp: 's3' });
    expect(total('write')).toBe(2);
  });

  test('a heartbeat with progress costs 1, and so does the claim that follows it', async () => {
    const { note: _, pausedUntil: __, ...head } = aFullHead();
    await store.insertHead(head);
    used.clear();
    const progress = { fraction: 0.123, text: 'x'.repeat(MAX_PROGRESS_TEXT), at: T0 };
    await store.heartbeat(head.jobId, 'head', head.hold?.token ?? '', T0 + 60_000, 's2', progress);
    expect(total('write')).toBe(1);
    const seen = await store.readHead(head.jobId, { consistent: true });
    used.clear();
    await store.updateHead(seen ?? head, { stamp: 's3', hold: aHold(), rowsUntil: dueKey(T0 + 1) });
    expect(total('write')).toBe(1);
  });

  test('writes that share a request cost as much as single ones, also refused ones', async () => {
    const heads = [aFullHead(), aFullHead(), aFullHead()];
    await Promise.all(heads.map((head) => store.insertHead(head)));
    expect([total('jobs write'), total('jobs.byUser write')]).toEqual([3, 3]);
    used.clear();
    const [first, ...others] = heads.map((head) =>
      store.updateHead(head === heads[0] ? { ...head, stamp: 'older' } : head, {
        stamp: 's2',
        hold: aHold(),
      }),
    );
    expect(await Promise.all([first, ...others])).toEqual([false, true, true]);
    expect(total('write')).toBe(3);
    used.clear();
    await Promise.all(heads.map((head) => store.readHead(head.jobId, { consistent: false })));
    expect(total('read')).toBe(1.5);
  });

  test('a row that changes costs 1: its index has keys only', async () => {
    const row = aRow({ status: 'QUEUED', fence: undefined });
    await store.insertRow(row);
    used.clear();
    await store.updateRow({ status: 'QUEUED' }, { ...row, status: 'RUNNING', fence: 'f' });
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
