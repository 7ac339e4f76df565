// Expired rows are deleted in small steps, and the files stop growing.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { minuteOf } from '../../../src/domain/executions/slots.ts';
import { aJobId, anEntry, aRow, aUser, T0 } from '../../support/fixtures.ts';
import { aStore } from '../../support/sqlite-file.ts';
import { until } from '../../support/until.ts';

const DAY = 86_400_000;
const CONSISTENT = { consistent: true };

/** Returns when the number of deleted rows no longer grows. */
async function expired({ expire, stats }: Awaited<ReturnType<typeof aStore>>, now: number): Promise<void> {
  expire(now);
  for (let before = -1, { expired } = await stats(); expired !== before; { expired } = await stats()) {
    before = expired;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('rows with an expiry are deleted after it, and no others', async () => {
  const opened = await aStore(undefined, 10);
  const { store } = opened;
  const old = aRow({ finishedAt: T0, due: dueKey(T0) });
  const recent = aRow({ finishedAt: T0 + 5 * DAY, due: dueKey(T0) });
  const open = aRow({ status: 'RETRYING', due: dueKey(T0) });
  for (const row of [old, recent, open]) await store.insertRow(row);
  const jobId = aJobId();
  for (const key of [old, open]) {
    await store.putCheckpoint(key, T0, { page: 1 });
    await store.putWait(key, T0);
  }
  const user = aUser();
  await store.addToQuota(user, 'creates', 3, T0 / 1000);
  await store.addToQuota(user, 'active', 5);
  const window = {
    ...{ jobId, event: 'failed' as const, stamp: 's', until: T0, openedBy: 'x', suppressed: 0, recent: [] },
  };
  await store.writeNotificationWindow(undefined, window, T0 / 1000);
  await store.putWorker({ workerId: 'w', startedAt: T0, beatAt: T0, running: [], host: 'h' });

  const seat = { owner: 'o', key: 'db', n: 0, jobId, due: dueKey(T0), number: T0 };
  await store.writeSeat(undefined, seat);

  await expired(opened, T0 + 12 * DAY);
  expect(await store.readRow(old.jobId, old.due, CONSISTENT)).toBeUndefined();
  expect(await store.readRow(recent.jobId, recent.due, CONSISTENT)).toEqual(recent);
  expect(await store.readRow(open.jobId, open.due, CONSISTENT)).toEqual(open);
  expect((await store.listRowKeys(old.userId, { limit: 5 })).items).toEqual([]);
  expect(await Promise.all([old, open].map((key) => store.readCheckpoint(key)))).toEqual([
    undefined,
    { page: 1 },
  ]);
  expect(await store.firstWait(old.jobId)).toBeUndefined();
  expect(await store.firstWait(open.jobId)).toEqual({ due: open.due, at: T0 });
  expect(await store.readNotificationWindow(jobId, 'failed')).toBeUndefined();
  expect(await store.readWorker('w')).toBeUndefined();
  expect(await store.addToQuota(user, 'creates', 1, T0 / 1000)).toBe(1);
  expect(await store.addToQuota(user, 'active', 1)).toBe(6);

  expect(await store.readSeats(seat, CONSISTENT)).toEqual([seat]);

  await expired(opened, T0 + 31 * DAY);
  expect(await store.readSeats(seat, CONSISTENT)).toEqual([]);
  expect(await store.readRow(open.jobId, open.due, CONSISTENT)).toEqual(open);
});

test('entries are deleted a day after their slot is settled, and never before', async () => {
  const opened = await aStore();
  const { store } = opened;
  const minute = minuteOf(T0);
  const entries = Array.from({ length: 1_000 }, (_, i) => anEntry({ at: T0 + i }));
  const next = anEntry({ at: T0 + 60_000 });
  await store.putEntries([...entries, next]);
  const shard = { leaseUntil: 0, dispatchedUntil: minute + 10, settledUntil: minute - 1 };
  for (let n = 0; n < 4; n++) await store.insertShard({ shard: n, token: 't', ...shard });

  await expired(opened, T0 + 5 * DAY);
  expect(await store.hasEntry(entries[0] ?? next)).toBe(true);
  // settled up to and with the first minute, and a day is over
  for (let n = 0; n < 4; n++)
    await store.commitShard(n, 't', { leaseUntil: 0, settledUntil: minute + 1_440 + 1 });
  await expired(opened, T0 + 5 * DAY);
  expect(await store.hasEntry(entries[0] ?? next)).toBe(false);
  expect(await store.hasEntry(entries[999] ?? next)).toBe(false);
  expect(await store.hasEntry(next)).toBe(true);
  // the server was off for weeks, and the occurrences of that time are not dispatched yet
  await expired(opened, T0 + 400 * DAY);
  expect(await store.hasEntry(next)).toBe(true);
});

test('a message that waits for delivery is kept, a dead letter is deleted at its expiry', async () => {
  const opened = await aStore();
  const { messages } = opened;
  const expiresAt = T0 / 1_000 + 60;
  await messages.send('ingest', ['waits', 'dead'], T0, expiresAt);
  const received = await messages.receive('ingest', 2, T0, T0, 'r');
  const dead = received.find(({ body }) => body === 'dead');
  await messages.move(dead?.id ?? 0, 'ingest-dead-letters', 'no job', T0, expiresAt);
  await expired(opened, T0 + 10 * DAY);
  expect(await messages.receive('ingest', 9, T0 + 10 * DAY, T0, 'r')).toMatchObject([{ body: 'waits' }]);
  expect(await messages.receive('ingest-dead-letters', 9, T0 + 10 * DAY, T0, 'r')).toEqual([]);
});

test('a cursor that is ahead of time deletes no future entries', async () => {
  const opened = await aStore();
  const { store } = opened;
  const entry = anEntry({ at: T0 });
  await store.putEntries([entry]);
  const far = minuteOf(T0) + 100_000;
  await store.insertShard({ shard: 0, leaseUntil: 0, dispatchedUntil: far, settledUntil: far });
  await expired(opened, T0);
  expect(await store.hasEntry(entry)).toBe(true);
});

test('rounds of writing and expiring leave the file as large as after the first', async () => {
  const opened = await aStore(undefined, 1);
  const { store, file } = opened;
  const sizes: number[] = [];
  for (let round = 0; round < 4; round++) {
    const at = T0 + round * 3 * DAY;
    const rows = Array.from({ length: 3_000 }, () =>
      aRow({ userId: 'u', due: dueKey(at), enqueuedAt: at, receivedAt: at, startedAt: at, finishedAt: at }),
    );
    await Promise.all(rows.map((row) => store.insertRow(row)));
    await expired(opened, at + 2 * DAY);
    expect((await store.listRowKeys('u', { limit: 1 })).items).toEqual([]);
    const db = new DatabaseSync(file);
    sizes.push(Number(db.prepare('PRAGMA page_count').get()?.page_count));
    db.close();
  }
  expect(sizes[3]).toBeLessThan((sizes[0] ?? 0) * 1.1);
});

test('expired rows are deleted also under constant load', async () => {
  const opened = await aStore(undefined, 1);
  const { store, expire, stats } = opened;
  await Promise.all(Array.from({ length: 500 }, () => store.insertRow(aRow({ userId: 'u' }))));
  let busy = true;
  const lane = async () => {
    while (busy) await store.insertRow(aRow({ userId: 'v', finishedAt: T0 + 20 * DAY }));
  };
  const lanes = Array.from({ length: 20 }, lane);
  expire(T0 + 9 * DAY);
  await until('500 rows have expired', async () => (await stats()).expired >= 500);
  busy = false;
  await Promise.all(lanes);
  expect((await store.listRowKeys('u', { limit: 1 })).items).toEqual([]);
  expect((await store.listRowKeys('v', { limit: 1 })).items).toHaveLength(1);
});

test('the -wal file stays small', async () => {
  const { store, file, stats } = await aStore();
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 2_000 }, () => store.insertRow(aRow())));
  expect((await stats()).checkpoints).toBeGreaterThan(1);
  expect(statSync(`${file}-wal`).size).toBeLessThan(100_000_000);
});
