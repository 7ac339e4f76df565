// A full disk: a small file system of its own. Only root can mount one. faults.test.ts tests the same with SQLite's own limit,
// everywhere.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts';
import { aBoot, aHead, aRow } from '../../support/fixtures.ts';
import { aFolder } from '../../support/sqlite-file.ts';

/** A folder with 3 MB of room, or undefined where none can be mounted. */
function aSmallDisk(): string | undefined {
  const folder = join(aFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

test('writes fail with a clear message while the disk is full, reads work, and writes work again afterwards', async ({
  skip,
}) => {
  const folder = aSmallDisk();
  if (folder === undefined) return skip('a file system of its own can only be mounted by root on Linux');
  const filler = join(folder, 'filler');
  writeFileSync(filler, Buffer.alloc(1_500_000));
  const file = join(folder, 'data', 'punctual.db');
  const { store, close } = await openSqliteStore({ file, boot: aBoot(), shards: 4 });
  onTestFinished(close);
  const head = aHead();
  await store.insertHead(head);

  const kept: string[] = [];
  let failure: unknown;
  for (let i = 0; i < 200 && !failure; i++) {
    const row = aRow({ result: 'x'.repeat(20_000) });
    await store.insertRow(row).then(
      () => kept.push(row.jobId),
      (error: unknown) => {
        failure = error;
      },
    );
  }
  expect(failure).toMatchObject({ name: 'StoreFault', kind: 'full', isPassing: true, file });
  expect(String(failure)).toContain(`the disk of ${file} is full`);
  expect(kept.length).toBeGreaterThan(5);
  expect(await store.readHead(head.jobId, { consistent: true })).toEqual(head);
  await expect(store.insertRow(aRow({ result: 'x'.repeat(20_000) }))).rejects.toMatchObject({
    isPassing: true,
  });

  rmSync(filler);
  const row = aRow({ result: 'x'.repeat(20_000) });
  expect(await store.insertRow(row)).toBe(true);
  for (const { jobId, due } of [row, ...kept.map((jobId) => ({ jobId, due: row.due }))])
    expect((await store.readRow(jobId, due, { consistent: true }))?.jobId).toBe(jobId);
});

test('a disk that is full from the beginning is reported at the start', async ({ skip }) => {
  const folder = aSmallDisk();
  if (folder === undefined) return skip('a file system of its own can only be mounted by root on Linux');
  try {
    writeFileSync(join(folder, 'filler'), Buffer.alloc(3_100_000));
  } catch {}
  const file = join(folder, 'punctual.db');
  await expect(openSqliteStore({ file, boot: aBoot(), shards: 4 })).rejects.toMatchObject({
    name: 'StoreFault',
    kind: 'full',
    file,
  });
});
