import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemorySqlite, openSqliteStore } from '../../../src/store/sqlite/sqlite.ts';
import { aBoot } from '../../support/fixtures.ts';
import { describeStore, SHARDS } from '../conformance.ts';
import { describeDifferential } from '../differential.ts';

const inFile = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-sqlite-'));
  const { store, close } = await openSqliteStore({
    file: join(folder, 'punctual.db'),
    boot: aBoot(),
    shards: SHARDS,
  });
  return {
    store,
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
};

const inMemory = async () => {
  const { store, close } = createMemorySqlite({ shards: SHARDS });
  return { store, close: async () => close() };
};

describeStore('the store in a file of SQLite', 'together', inFile);
describeStore('the store on SQLite in memory', 'together', inMemory);
describeDifferential('the one in a file of SQLite', inFile);
