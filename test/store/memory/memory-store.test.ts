// Properties of the store in memory beyond the conformance suite: stale reads, and frozen values.
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../../src/store/memory/memory-store.ts';
import { aHead, anEntry, aRow } from '../../support/fixtures.ts';
import { MemoryQueue } from '../../support/memory-queue.ts';

describe('reads that are not consistent', () => {
  test('return the version before the last write if the simulator decides so, and consistent ones never do', async () => {
    let stale = true;
    const store = new MemoryStore({ shards: 4, stale: () => stale });
    const head = aHead();
    await store.insertHead(head);
    expect(await store.readHead(head.jobId, { consistent: false })).toBeUndefined();
    expect(await store.readHeads([head.jobId], { consistent: false })).toEqual([]);
    await store.updateHead(head, { version: 2 });
    expect((await store.readHead(head.jobId, { consistent: false }))?.version).toBe(1);
    expect((await store.readHead(head.jobId, { consistent: true }))?.version).toBe(2);
    stale = false;
    expect((await store.readHead(head.jobId, { consistent: false }))?.version).toBe(2);
  });

  test('of rows are stale too, until the write has spread', async () => {
    const store = new MemoryStore({ shards: 4, stale: () => true });
    const row = aRow({ status: 'FAILED' });
    await store.insertRow(row);
    await store.updateRow(row, { ...row, status: 'QUEUED' });
    expect((await store.readRow(row.jobId, row.due, { consistent: false }))?.status).toBe('FAILED');
    store.rows.converge();
    expect((await store.readRow(row.jobId, row.due, { consistent: false }))?.status).toBe('QUEUED');
  });
});

test('stored values cannot be changed through written or read objects', async () => {
  const store = new MemoryStore({ shards: 4 });
  const row = aRow({ result: { list: [1] } });
  await store.insertRow(row);
  (row.result as { list: number[] }).list.push(2);
  const read = await store.readRow(row.jobId, row.due, { consistent: true });
  expect(read?.result).toEqual({ list: [1] });
  expect(Object.isFrozen(read) && Object.isFrozen(read?.result)).toBe(true);
  expect(() => Object.assign(read?.result as object, { list: [] })).toThrow(TypeError);
});

test('a write takes effect at the moment of the call, not when it is awaited', () => {
  const store = new MemoryStore({ shards: 4 });
  const head = aHead();
  void store.insertHead(head);
  expect(store.heads.get(head.jobId)?.version).toBe(1);
});

test('a snapshot has all data', async () => {
  const store = new MemoryStore({ shards: 4 });
  const [head, row, entry] = [aHead(), aRow(), anEntry()];
  await store.insertHead(head);
  await store.insertRow(row);
  await store.putEntries([entry]);
  expect(store.snapshot()).toEqual({ heads: [head], rows: [row], entries: [entry], shards: [] });
});

test('the queue keeps messages until the simulator receives them', async () => {
  const queue = new MemoryQueue();
  const message = { jobId: 'j', due: '1', revision: 'r', enqueuedAt: 0 };
  await queue.send([
    { ...message, fireAt: 20 },
    { ...message, fireAt: 10 },
    { ...message, fireAt: 30 },
  ]);
  expect(queue.nextAt()).toBe(10);
  expect(queue.takeVisible(20).map(({ fireAt }) => fireAt)).toEqual([10, 20]);
  expect(queue.messages.map(({ fireAt }) => fireAt)).toEqual([30]);
  expect(queue.sent).toBe(3);
});
