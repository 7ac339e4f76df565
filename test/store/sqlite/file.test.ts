// The database file: its modes, its owner, its schema version.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { StoreFault } from '../../../src/store/sqlite/faults.ts';
import { migrate, SCHEMA_VERSION } from '../../../src/store/sqlite/schema.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts';
import { aBoot, aHead, aRow, T0 } from '../../support/fixtures.ts';
import { aFile, aStore } from '../../support/sqlite-file.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const refusal = (file: string): Promise<unknown> =>
  openSqliteStore({ file, boot: aBoot(), shards: 4 }).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the file', () => {
  test('only its owner may read it, its -wal and -shm files and its folder', async () => {
    const { store, file } = await aStore();
    await store.insertHead(aHead());
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(modeOf(path), path).toBe('600');
    expect(modeOf(dirname(file))).toBe('700');
  });

  test('permissions of others to the file are removed, and an existing folder keeps its mode', async () => {
    const file = aFile();
    mkdirSync(dirname(file), { mode: 0o755 });
    writeFileSync(file, '');
    chmodSync(file, 0o664);
    await aStore(file);
    expect([modeOf(dirname(file)), modeOf(file), modeOf(`${file}-wal`)]).toEqual(['755', '600', '600']);
  });

  test('writes are there after it is opened again, and the -wal file is gone after a close', async () => {
    const first = await aStore();
    const head = aHead();
    await first.store.insertHead(head);
    await first.close();
    expect(statSync(`${first.file}-wal`, { throwIfNoEntry: false })).toBeUndefined();
    const again = await aStore(first.file);
    expect(await again.store.readHead(head.jobId, { consistent: true })).toEqual(head);
  });

  test('each start is recorded, and releases the leases and workers of earlier ones', async () => {
    const first = await aStore();
    const shard = { shard: 0, leaseUntil: T0 + 30_000, dispatchedUntil: 7, settledUntil: 6 };
    await first.store.insertShard({ ...shard, token: 't' });
    await first.store.putWorker({ workerId: 'w', startedAt: T0, beatAt: T0, running: [], host: 'h' });
    await first.close();
    const { store, file } = await aStore(first.file, 90, T0 + 1);
    expect(await store.readShard(0)).toEqual({ ...shard, token: 't', leaseUntil: 0 });
    expect(await store.listWorkers(0)).toEqual([]);
    const db = new DatabaseSync(file);
    expect(db.prepare('SELECT startedAt FROM boots ORDER BY startedAt').all()).toEqual([
      { startedAt: T0 },
      { startedAt: T0 + 1 },
    ]);
    db.close();
  });

  test('a commit is acknowledged when it is on the disk: WAL and synchronous = FULL', async () => {
    const { file, stats } = await aStore();
    expect((await stats()).synchronous).toBe(2);
    const db = new DatabaseSync(file);
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    db.close();
  });
});

describe('a file that cannot be used is refused with a clear message', () => {
  test('a text file', async () => {
    const file = aFile();
    mkdirSync(dirname(file));
    writeFileSync(file, 'this is a letter to my grandmother, and quite a long one\n'.repeat(100));
    const error = await refusal(file);
    expect(error).toBeInstanceOf(StoreFault);
    expect(error).toMatchObject({ kind: 'damaged', isPassing: false });
    expect(String(error)).toContain(`${file} is damaged`);
    expect(String(error)).toContain('restore a backup');
    expect(readFileSync(file, 'utf8')).toContain('grandmother');
  });

  test('a database of another program', async () => {
    const file = aFile();
    mkdirSync(dirname(file));
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE recipes (name TEXT)');
    other.close();
    expect(await refusal(file)).toMatchObject({ kind: 'foreign' });
    const unchanged = new DatabaseSync(file);
    expect(unchanged.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'recipes' }]);
    unchanged.close();
  });

  test('a newer version, which stays as it is', async () => {
    const { file, close } = await aStore();
    await close();
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    db.close();
    const error = await refusal(file);
    expect(error).toMatchObject({ kind: 'newer' });
    expect(String(error)).toContain(
      `schema version ${SCHEMA_VERSION + 1}, this program knows ${SCHEMA_VERSION}`,
    );
  });

  test('a damaged page is reported when it is read, with the name of the file', async () => {
    const { store, file, close } = await aStore();
    const rows = Array.from({ length: 1_000 }, () => aRow({ userId: 'u' }));
    await Promise.all(rows.map((row) => store.insertRow(row)));
    await close();
    const bytes = readFileSync(file);
    // the first pages describe the tables and have what a start reads
    bytes.fill(0xff, Math.floor(bytes.length / 8192) * 4096);
    writeFileSync(file, bytes);
    const again = await aStore(file);
    const failures = await Promise.allSettled(
      rows.map(({ jobId, due }) => again.store.readRow(jobId, due, { consistent: true })),
    );
    const reasons = failures.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons[0]).toMatchObject({ name: 'StoreFault', kind: 'damaged', file });
    await expect(again.store.insertRow(aRow({ userId: 'u' }))).rejects.toMatchObject({ kind: 'damaged' });
  });
});

describe('migrations', () => {
  const versionOf = (db: DatabaseSync) => db.prepare('PRAGMA user_version').get()?.user_version;

  test('each is done once, in order', () => {
    const db = new DatabaseSync(':memory:');
    migrate(db, 'file', ['CREATE TABLE a (x)']);
    migrate(db, 'file', ['CREATE TABLE a (x)', 'CREATE TABLE b (y); INSERT INTO a VALUES (1)']);
    migrate(db, 'file', ['CREATE TABLE a (x)', 'CREATE TABLE b (y); INSERT INTO a VALUES (1)']);
    expect(versionOf(db)).toBe(2);
    expect(db.prepare('SELECT x FROM a').all()).toEqual([{ x: 1 }]);
  });

  test('one that fails leaves nothing of itself behind', () => {
    const db = new DatabaseSync(':memory:');
    migrate(db, 'file', ['CREATE TABLE a (x)']);
    expect(() => migrate(db, 'file', ['', 'CREATE TABLE b (y); INSERT INTO nowhere VALUES (1)'])).toThrow(
      /nowhere/,
    );
    expect(versionOf(db)).toBe(1);
    expect(db.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'a' }]);
    migrate(db, 'file', ['', 'CREATE TABLE b (y)']);
    expect(versionOf(db)).toBe(2);
  });
});
