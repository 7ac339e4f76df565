// A database file in a temporary folder, which is removed after the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { SHARDS } from '../store/conformance.ts';
import { aBoot, T0 } from './fixtures.ts';

export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const aFile = (): string => join(aFolder(), 'data', 'punctual.db');

export async function aStore(
  file = aFile(),
  retentionDays = 90,
  bootAt = T0,
): Promise<SqliteStore & { file: string }> {
  const opened = await openSqliteStore({ file, boot: aBoot(bootAt), shards: SHARDS, retentionDays });
  onTestFinished(() => opened.close());
  return { ...opened, file };
}
