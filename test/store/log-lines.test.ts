import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import { encodeLine } from '../../src/domain/executions/log-line.ts';
import { createMemoryLogLines } from '../../src/store/memory/memory-log-lines.ts';
import { createMemorySqlite, openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { aBoot, aJobId, aRow, T0 } from '../support/fixtures.ts';
import { aStore } from '../support/sqlite-file.ts';
import { until } from '../support/until.ts';
import { describeLogLines } from './conformance/log-lines.ts';
import { SHARDS } from './conformance.ts';

describeLogLines('log lines in memory', async () => ({
  lines: createMemoryLogLines(),
  close: async () => {},
}));
describeLogLines('log lines on SQLite in memory', async () => {
  const { logLines, close } = createMemorySqlite({ shards: SHARDS });
  return { lines: logLines, close: async () => close() };
});
describeLogLines('log lines in a file of SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-lines-'));
  const file = join(folder, 'punctual.db');
  const { logLines, close } = await openSqliteStore({ file, boot: aBoot(), shards: SHARDS });
  return {
    lines: logLines,
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
});

const line = (message: string) => [encodeLine({ at: T0, level: 'info', message, attempt: 1 })];

test('in memory, the executions that logged last keep their lines', async () => {
  const lines = createMemoryLogLines(2);
  const keys = Array.from({ length: 3 }, () => ({ jobId: aJobId(), due: dueKey(T0) }));
  const [a, b, c] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]];
  for (const key of [a, b, a, c]) await lines.appendLines(key, 'ann', line('x'));
  const counts = await Promise.all(keys.map(async (key) => (await lines.readLines(key, 0, 9)).length));
  expect(counts).toEqual([2, 0, 1]);
});

test('on SQLite, lines live as long as the row of their execution', async () => {
  const { store, logLines, expire } = await aStore(undefined, 10);
  const rows = [aRow({ finishedAt: T0 }), aRow({ finishedAt: T0 + 86_400_000 * 5 })];
  // a first attempt has no row while it runs
  const running = { jobId: aJobId(), due: dueKey(T0) };
  for (const row of rows) await store.insertRow(row);
  for (const key of [...rows, running]) await logLines.appendLines(key, 'ann', line('x'));
  expire(T0 + 86_400_000 * 12);
  const read = async (key: { jobId: string; due: string }) => (await logLines.readLines(key, 0, 9)).length;
  await until('the lines of the expired row are gone', async () => rows[0] && (await read(rows[0])) === 0);
  expect(rows[1] && (await read(rows[1]))).toBe(1);
  expect(await read(running)).toBe(1);
});
