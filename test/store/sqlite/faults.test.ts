// A full, locked or read-only file: writes fail with a clear message, and work again afterwards.
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { createCommit, type Unit, WriteRefused } from '../../../src/store/sqlite/commit.ts';
import { StoreFault } from '../../../src/store/sqlite/faults.ts';
import { openWriter, secureFile } from '../../../src/store/sqlite/open.ts';
import { changing, type Value } from '../../../src/store/sqlite/statements.ts';
import { aHead, aRow } from '../../support/fixtures.ts';
import { aFile, aStore } from '../../support/sqlite-file.ts';

const CONSISTENT = { consistent: true };
const PUT = changing('INSERT INTO things (name, text) VALUES (?, ?)');

const unit = (...all: (readonly Value[])[]): Unit => ({
  writes: all.map((values) => ({ statement: PUT, values })),
});

/** One connection with one table, and group commits on it. */
function aTable(file = aFile()) {
  secureFile(file);
  const db = openWriter(file);
  db.exec('CREATE TABLE IF NOT EXISTS things (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT');
  const commit = createCommit(db, file);
  const put = (...names: string[]) => commit(names.map((name) => unit([name, 'x'.repeat(3_000)])));
  const count = () => db.prepare('SELECT count(*) AS n FROM things').get()?.n;
  return { db, file, commit, put, count };
}

describe('one commit', () => {
  test('a full disk fails the whole group and leaves nothing of it; with room again writes work', () => {
    const { db, file, put, count } = aTable();
    expect(put('a', 'b')).toEqual({ answers: [1, 1] });
    const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
    db.exec(`PRAGMA max_page_count = ${pages + 2}`);
    const failed = put('c', 'd', 'e', 'f', 'g', 'h');
    expect(failed).toEqual({ fault: expect.any(StoreFault) });
    const { fault } = failed as { fault: StoreFault };
    expect(fault).toMatchObject({ kind: 'full', isPassing: true, file });
    expect(fault.message).toContain(`the disk of ${file} is full`);
    expect(fault.message).toContain('Free some space');
    expect(count()).toBe(2);
    db.exec('PRAGMA max_page_count = 100000');
    expect(put('c', 'd', 'e', 'f', 'g', 'h')).toEqual({ answers: [1, 1, 1, 1, 1, 1] });
    db.close();
  });

  test('a write that SQLite rejects fails alone, and the others are committed', () => {
    const { db, commit, count } = aTable();
    const values = [
      ['a', 'x'],
      ['a', 'again'],
      ['b', null],
      ['c', 'y'],
    ] as const;
    const done = commit(values.map((one) => unit(one)));
    if ('fault' in done) throw done.fault;
    expect(done.answers.map((answer) => (answer instanceof Error ? answer.message : answer))).toEqual([
      1,
      expect.stringContaining('UNIQUE constraint failed'),
      expect.stringContaining('NOT NULL constraint failed'),
      1,
    ]);
    expect(count()).toBe(2);
    db.close();
  });

  test('several statements of one write are done together or not at all, whatever becomes of the others', () => {
    const { db, commit, count } = aTable();
    const values = (name: string) => [name, 'x'];
    const done = commit([
      unit(values('a'), values('b')),
      unit(values('c'), values('a')),
      unit(values('d'), ['e', null]),
      unit(values('c'), values('d')),
    ]);
    if ('fault' in done) throw done.fault;
    const refused = expect.any(WriteRefused);
    expect(done.answers).toEqual([1, refused, refused, 1]);
    expect(count()).toBe(4);
    const ignore = changing('INSERT INTO things (name, text) VALUES (?, ?) ON CONFLICT DO NOTHING');
    const half = [values('f'), values('a')].map((values) => ({ statement: ignore, values }));
    expect(commit([{ writes: half }, unit(values('g'))])).toEqual({ answers: [0, 1] });
    expect(count()).toBe(5);
    db.close();
  });

  test('waits for the disk only if it is told to, and every later one that waits covers those before it', () => {
    const { db, commit } = aTable();
    const synchronous = () => db.prepare('PRAGMA synchronous').get()?.synchronous;
    const FULL = 2;
    const NORMAL = 1; // in WAL mode: a commit that a power failure may take back
    for (const [name, synced] of [
      ['a', true],
      ['b', false],
      ['c', false],
      ['d', true],
    ] as const) {
      expect(commit([unit([name, 'x'])], { synced })).toEqual({ answers: [1] });
      expect(synchronous()).toBe(synced ? FULL : NORMAL);
    }
    expect(commit([unit(['e', 'x'])])).toEqual({ answers: [1] });
    expect(synchronous()).toBe(FULL);
    db.close();
  });

  test('a file without write permission is reported as read-only', () => {
    const { db, file } = aTable();
    const readOnly = new DatabaseSync(file, { readOnly: true });
    const done = createCommit(readOnly, file)([unit(['a', 'x'])]);
    expect(done).toEqual({ fault: expect.objectContaining({ kind: 'readOnly', isPassing: true }) });
    readOnly.close();
    db.close();
  });
});

describe('the store', () => {
  test('while another program has the file locked, reads answer at once and writes wait, then fail, then work', async () => {
    const { store, file } = await aStore();
    const head = aHead();
    await store.insertHead(head);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const refused = expect(store.insertRow(aRow())).rejects.toMatchObject({ kind: 'locked', file });
    let answered = false;
    void store.updateHead(head, { version: 2 }).then(
      () => (answered = true),
      () => (answered = true),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(head);
    expect(answered).toBe(false);
    await refused;
    other.exec('ROLLBACK');
    const row = aRow();
    expect(await store.insertRow(row)).toBe(true);
    expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toEqual(row);
    other.close();
  });

  test('a write after the close is an error', async () => {
    const { store, close } = await aStore();
    await close();
    await expect(store.insertRow(aRow())).rejects.toMatchObject({ kind: 'stopped' });
  });

  test('writes in flight at the close are committed', async () => {
    const { store, close, file } = await aStore();
    const rows = Array.from({ length: 1_500 }, () => aRow());
    const done = Promise.all(rows.map((row) => store.insertRow(row)));
    await close();
    expect(await done).toEqual(rows.map(() => true));
    const again = await aStore(file);
    expect(await again.store.readRows(rows, CONSISTENT)).toHaveLength(1_500);
  });

  test('many concurrent writes are few commits', async () => {
    const { store, stats } = await aStore();
    const before = await stats();
    await Promise.all(Array.from({ length: 2_000 }, () => store.insertRow(aRow())));
    const after = await stats();
    expect(after.writes - before.writes).toBe(2_000);
    expect(after.commits - before.commits).toBeLessThan(50);
  });

  test('a claim does not wait for the disk, unless it must not be repeated', async () => {
    const { store, stats } = await aStore();
    for (const [maxAttempts, synchronous] of [
      [3, 1],
      [1, 2],
      [2, 1],
    ] as const) {
      const head = aHead();
      await store.insertHead(head);
      const row = aRow({ jobId: head.jobId, status: 'RUNNING', leaseUntil: 1, maxAttempts });
      const lock = { seen: head, lock: { due: row.due, number: row.number }, coveredUntil: undefined };
      expect(await store.claim({ seen: undefined, row, seat: undefined, lock })).toBe('done');
      expect((await stats()).synchronous).toBe(synchronous);
      // the end was promised to somebody
      const { leaseUntil: _, ...ended } = { ...row, status: 'SUCCEEDED' as const };
      expect(await store.updateRow({ status: 'RUNNING', number: row.number }, ended)).toBe(true);
      expect((await stats()).synchronous).toBe(2);
    }
  });
});
