// A full, locked or read-only file: writes fail with a clear message, and work again afterwards.
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { createCommit } from '../../../src/store/sqlite/commit.ts';
import { StoreFault } from '../../../src/store/sqlite/faults.ts';
import { openWriter, secureFile } from '../../../src/store/sqlite/open.ts';
import { changing } from '../../../src/store/sqlite/statements.ts';
import { aHead, aRow } from '../../support/fixtures.ts';
import { aFile, aStore } from '../../support/sqlite-file.ts';

const CONSISTENT = { consistent: true };
const PUT = changing('INSERT INTO things (name, text) VALUES (?, ?)');

/** One connection with one table, and group commits on it. */
function aTable(file = aFile()) {
  secureFile(file);
  const db = openWriter(file);
  db.exec('CREATE TABLE IF NOT EXISTS things (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT');
  const commit = createCommit(db, file);
  const put = (...names: string[]) =>
    commit(names.map((name) => ({ statement: PUT, values: [name, 'x'.repeat(3_000)] })));
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
    const done = commit(values.map((one) => ({ statement: PUT, values: one })));
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

  test('a file without write permission is reported as read-only', () => {
    const { db, file } = aTable();
    const readOnly = new DatabaseSync(file, { readOnly: true });
    const done = createCommit(readOnly, file)([{ statement: PUT, values: ['a', 'x'] }]);
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
    void store.updateHead(head, { stamp: 'later' }).then(
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
});
