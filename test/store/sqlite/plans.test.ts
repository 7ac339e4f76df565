// Every statement finds its rows by a key or an index.
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { createRetention } from '../../../src/store/sqlite/retention.ts';
import { migrate } from '../../../src/store/sqlite/schema.ts';
import { createMemorySqlite } from '../../../src/store/sqlite/sqlite.ts';
import { aHead, anEntry, aRow, T0 } from '../../support/fixtures.ts';

/** Tables with a row for each worker or shard, the index of listed operations, and the lines of one execution. */
const SMALL = /(FROM|INTO|UPDATE) (workers|shards) |operations_listed|SCAN json_each|SCAN \(subquery-/;

/** The statements that were prepared while `work` ran. */
async function statementsOf(work: () => Promise<void>): Promise<string[]> {
  const prepared = new Set<string>();
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  await work();
  for (const [sql] of prepare.mock.calls) prepared.add(sql);
  prepare.mockRestore();
  return [...prepared].filter((sql) => /^\s*(SELECT|UPDATE|DELETE|INSERT)/.test(sql));
}

async function everyOperation(): Promise<void> {
  const { store, messages, logLines, close } = createMemorySqlite({ shards: 4 });
  const due = dueKey(T0);
  const head = aHead();
  const { jobId, userId } = head;
  const row = aRow({ jobId, userId });
  const keys = [{ jobId, due }];
  const list = { limit: 5 };
  const consistent = { consistent: true };
  const change = { jobId, version: 1, at: T0, by: 'ann', what: 'created' as const };
  const operation = {
    ...{ id: 'op_1', kind: 'backfill' as const, userId, status: 'pending' as const, done: 0, total: 1 },
    ...{ params: { jobId, from: due, to: due, schedule: 's' }, refused: [] },
    ...{ createdAt: T0, updatedAt: T0, stamp: 's', leaseUntil: 0 },
  };
  const window = {
    ...{ jobId, event: 'failed' as const, stamp: 's', until: T0, openedBy: 'x', suppressed: 0, recent: [] },
  };
  const seat = { owner: 'o', key: 'db', n: 0, jobId, due, number: 1 };
  const lock = { seen: head, lock: { due, number: 1 }, coveredUntil: undefined };
  const calls = [
    () => store.putDefinition({ jobId, version: 1, params: {}, notify: [] }),
    () => store.readDefinition(jobId, 1),
    () => store.readDefinitions([{ jobId, version: 1 }]),
    () => store.insertHead(head),
    () => store.readHead(jobId, consistent),
    () => store.readHeads([jobId], consistent),
    () => store.updateHead(head, { version: 2 }),
    () => store.takeLock(lock),
    () => store.listHeads(userId, list),
    () => store.putEntries([anEntry()]),
    () => store.putEntries([anEntry(), anEntry()]),
    () => store.readSlot(1, 1),
    () => store.hasEntry(anEntry()),
    () => store.insertRow(row),
    () => store.updateRow(row, row),
    () => store.updateRow({ status: 'RUNNING', number: 1, leaseUntil: T0 }, row),
    () => store.updateRow({ status: 'QUEUED', number: 1 }, row),
    () => store.claim({ seen: undefined, row, seat: { seen: undefined, seat }, lock }),
    () => store.claim({ seen: row, row, seat: { seen: seat, seat }, lock }),
    () => store.extendLease(row, 1, T0, { fraction: 1, at: T0 }),
    () => store.requestCancel(row, 1),
    () => store.dismissRow(row),
    () => store.putCheckpoint(row, 1, {}),
    () => store.readCheckpoint(row),
    () => store.putWait(row, T0),
    () => store.firstWait(jobId),
    () => store.removeWait(row, T0),
    () => store.markNotified(jobId, due, row),
    () => store.readRow(jobId, due, consistent),
    () => store.readRows(keys, consistent),
    () => store.listRows(jobId, { ...list, ...consistent, newestFirst: true }),
    () => store.listRows(jobId, { ...list, ...consistent, newestFirst: false }),
    () => store.listRowKeys(userId, list),
    () => store.listFailedKeys(userId, list),
    () => store.listAllFailedKeys(list),
    () => store.takeShard(1, undefined, 't', 0),
    () => store.commitShard(1, 't', { leaseUntil: 0 }),
    () => store.readShard(1),
    () => store.putWorker({ workerId: 'w', startedAt: T0, beatAt: T0, running: [], host: 'h' }),
    () => store.readWorker('w'),
    () => store.listWorkers(0),
    () => store.removeWorker('w'),
    () => store.addToQuota(userId, 'q', 1),
    () => store.takeStored(userId, { jobs: 1, bytes: 1 }, { jobs: 2, bytes: 2 }),
    () => store.readStored(userId),
    () => store.replaceStored(userId, { jobs: 1, bytes: 1 }, { jobs: 0, bytes: 0 }),
    () => store.writeNotificationWindow(undefined, window, 1),
    () => store.writeNotificationWindow(window, window, 1),
    () => store.readNotificationWindow(jobId, 'failed'),
    () => store.insertChange(change),
    () => store.listChanges(jobId, change, 5),
    () => store.putOperation(operation),
    () => store.readOperation('op_1'),
    () => store.replaceOperation(operation, operation),
    () => store.listOpenOperations(5),
    () => store.delistOperation(operation),
    () => store.writeSeat(undefined, seat),
    () => store.writeSeat(seat, seat),
    () => store.readSeats(seat, consistent),
    () => messages.send('q', ['x'], 0, 0),
    () => messages.receive('q', 5, 0, 0, 'r'),
    async () => messages.nextVisibleAt('q'),
    () => messages.hide(1, 'r', 0),
    () => messages.move(1, 'dead', 'why', 0, 0),
    () => messages.remove(1),
    () => logLines.appendLines({ jobId, due }, userId, [{ record: '{}', bytes: 2 }]),
    () => logLines.readLines({ jobId, due }, 0, 5),
  ];
  for (const call of calls) await call();
  close();
}

/** The comparisons of a text, such as `due>`. */
const comparisons = (text: string): string[] =>
  [...text.matchAll(/\b(due|jobId|\(\w+(?:, ?\w+)+\)) ?([<>])/g)]
    .map(([, column, sign]) => `${column}${sign}`.replaceAll(' ', ''))
    .sort();

test('a later page of a list begins at its cursor: the index compares all that the statement compares', async () => {
  const { store, close } = createMemorySqlite({ shards: 4 });
  const list = { limit: 5, consistent: true };
  const statements = await statementsOf(async () => {
    for (const newestFirst of [true, false]) await store.listRows('job', { ...list, newestFirst });
    await store.listRowKeys('ann', list);
    await store.listFailedKeys('ann', list);
    await store.listAllFailedKeys(list);
  });
  close();
  const db = new DatabaseSync(':memory:');
  migrate(db, ':memory:');
  expect(statements).toHaveLength(5);
  for (const sql of statements) {
    const [plan] = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    const where = sql.slice(sql.indexOf('WHERE'));
    expect(comparisons(String(plan?.detail)), sql).toEqual(comparisons(where));
  }
  db.close();
});

async function retention(): Promise<void> {
  const db = new DatabaseSync(':memory:');
  migrate(db, ':memory:');
  const { begin, step } = createRetention(db);
  begin(T0);
  while (step() !== undefined);
  db.close();
}

test('no statement reads a whole table', async () => {
  const statements = [...(await statementsOf(everyOperation)), ...(await statementsOf(retention))];
  expect(statements.length).toBeGreaterThan(55);
  const db = new DatabaseSync(':memory:');
  migrate(db, ':memory:');
  const scans = statements.flatMap((sql) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    const details = plan.map(({ detail }) => `${detail}: ${sql}`);
    return details.filter((detail) => /^SCAN|TEMP B-TREE/.test(detail) && !SMALL.test(detail));
  });
  expect(scans).toEqual([]);
  db.close();
});
