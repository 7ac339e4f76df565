// Backup and restore: refusals, and a real server that is backed up under load.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUp, restore } from '../../src/local/backup-database.ts';
import { lockFolder } from '../../src/local/lock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { aHead } from '../support/fixtures.ts';
import { type Folder, startLocal, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';

const CLI = resolve(import.meta.dirname, '../../bin/punctual.js');

let folder: Folder;
let data: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = join(folder.path, 'data');
  file = join(folder.path, 'backup.db');
});
afterEach(() => folder.remove());

async function punctual(...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  const [code] = await once(child, 'close');
  return { code: code as number, out, err };
}

/** A database with the given number of jobs. */
async function database(jobs: number): Promise<void> {
  const boot = { id: 'boot', at: Date.now() };
  const { store, close } = await openSqliteStore({ file: join(data, 'punctual.db'), boot, shards: 16 });
  await Promise.all(Array.from({ length: jobs }, () => store.insertHead(aHead())));
  await close();
}

const filesOf = (path: string): string[] => readdirSync(path).sort();

describe('backup', () => {
  it('makes one file of mode 0600, and names the key files that are not in it', async () => {
    await database(3);
    writeFileSync(join(data, 'secrets.json'), '{}');
    expect(await backUp(data, file)).toEqual({
      ...{ file, jobs: 3, bytes: statSync(file).size, leftOut: ['secrets.json'] },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(filesOf(folder.path)).toEqual(['backup.db', 'data']);
  });

  it('does not overwrite a file', async () => {
    await database(1);
    writeFileSync(file, 'mine');
    await expect(backUp(data, file)).rejects.toThrow(`${file} exists already, and is not overwritten`);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(filesOf(folder.path)).toEqual(['backup.db', 'data']);
  });

  it('names the missing database, and creates none', async () => {
    await expect(backUp(data, file)).rejects.toThrow(`there is no database ${join(data, 'punctual.db')}`);
    mkdirSync(data);
    writeFileSync(join(data, 'tables.db'), '');
    await expect(backUp(data, file)).rejects.toThrow('belongs to `npm run start:aws`');
    expect(filesOf(data)).toEqual(['tables.db']);
    expect(existsSync(file)).toBe(false);
  });

  it('of a damaged database, or into a missing folder, leaves no file behind', async () => {
    mkdirSync(data);
    writeFileSync(join(data, 'punctual.db'), 'x'.repeat(8192));
    await expect(backUp(data, file)).rejects.toThrow('punctual.db is damaged');
    expect(filesOf(folder.path)).toEqual(['data']);
    const nowhere = join(folder.path, 'no/such.db');
    await expect(backUp(data, nowhere)).rejects.toThrow(`the folder of ${nowhere} does not exist`);
  });
});

describe('restore', () => {
  beforeEach(async () => {
    await database(3);
    await backUp(data, file);
  });

  it('is refused while a server has the folder', async () => {
    const other = join(folder.path, 'other');
    mkdirSync(other, { mode: 0o700 });
    const lock = lockFolder(other, 'process 1 (npm start)');
    await expect(restore(other, file)).rejects.toThrow(
      /in use by process 1 \(npm start\). Stop that process/,
    );
    lock.release();
    expect(filesOf(other).filter((name) => name.startsWith('punctual'))).toEqual([]);
    expect(await restore(other, file)).toMatchObject({
      ...{ file: join(other, 'punctual.db'), jobs: 3 },
      missing: ['token-key.json', 'signing-keys.json', 'secrets.json'],
    });
    expect(statSync(join(other, 'punctual.db')).mode & 0o777).toBe(0o600);
  });

  it.each(['punctual.db', 'punctual.db-wal', 'punctual.db-shm'])('does not overwrite %s', async (name) => {
    const other = join(folder.path, 'other');
    mkdirSync(other, { mode: 0o700 });
    writeFileSync(join(other, name), 'mine');
    await expect(restore(other, file)).rejects.toThrow(`${join(other, name)} exists already`);
    expect(readFileSync(join(other, name), 'utf8')).toBe('mine');
  });

  it('refuses a file that is missing, foreign, newer or damaged, and creates no folder', async () => {
    const other = join(folder.path, 'other');
    const refused = (text: string) => expect(restore(other, file)).rejects.toThrow(text);
    const change = (sql: string) => {
      const db = new DatabaseSync(file);
      db.exec(sql);
      db.close();
    };
    change('PRAGMA user_version = 99');
    await refused('was written by a newer version (schema version 99');
    change('PRAGMA application_id = 7');
    await refused(`${file} is not a database of Punctual`);
    writeFileSync(file, 'x'.repeat(8192));
    await refused(`${file} is damaged`);
    await expect(restore(other, join(folder.path, 'none'))).rejects.toThrow('there is no file');
    expect(existsSync(other)).toBe(false);
  });
});

describe('the command line', () => {
  it('prints faults without a stack', async () => {
    const { code, err } = await punctual('backup', file, '--data', data);
    expect(err).toBe(
      `punctual: there is no database ${join(data, 'punctual.db')}. Name the data folder with --data or PUNCTUAL_DATA.\n`,
    );
    expect(code).toBe(1);
  });

  it('backs up a server under load: every acknowledged job is in the copy, and runs after a restore', async () => {
    const server = await startLocal(data);
    const ann = server.as('ann');
    const acknowledged: string[] = [];
    let isOver = false;
    const create = async () => {
      while (!isOver) {
        const { status, body } = await ann('POST', '/jobs', { task: 'noop', schedule: { in: 'PT1S' } });
        if (status === 201) acknowledged.push(body.id);
      }
    };
    const load = Promise.all(Array.from({ length: 8 }, create));
    const { body: tick } = await ann('POST', '/jobs', { task: 'noop', schedule: { every: 'PT1S' } });
    await until('500 jobs are acknowledged', () => acknowledged.length >= 500);
    const at = new Date(Date.now() + 10_000).toISOString();
    const later = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { body } = await ann('POST', '/jobs', { task: 'noop', schedule: { at } });
        return body.id as string;
      }),
    );
    const before = [...acknowledged, ...later, tick.id];
    const { code, out, err } = await punctual('backup', file, '--data', data);
    expect(code, err).toBe(0);
    expect(out).toMatch(/^backed up [\d,]+ jobs: .*backup\.db \(\d+\.\d MB\)\n$/);
    expect(err).toContain('not in the backup: token-key.json');
    const meanwhile = acknowledged.length;
    await until('the server goes on', () => acknowledged.length > meanwhile);
    isOver = true;
    await load;
    expect(before.length).toBeGreaterThan(500);

    const copy = new DatabaseSync(file, { readOnly: true });
    expect(Object.values(copy.prepare('PRAGMA integrity_check').get() ?? {})).toEqual(['ok']);
    const found = new Set(
      copy
        .prepare('SELECT jobId FROM heads')
        .all()
        .map((row) => row.jobId),
    );
    copy.close();
    expect(before.filter((id) => !found.has(id))).toEqual([]);

    const running = await punctual('restore', file, '--data', data);
    expect(running.err).toMatch(/^punctual: the data folder .* is in use by process \d+ \(npm start\)/);
    await server.stop('SIGKILL');
    const restored = join(folder.path, 'restored');
    expect((await punctual('restore', file, '--data', restored)).code).toBe(0);
    const again = await startLocal(restored);
    const ran = async (id: string) => {
      let seen: unknown;
      const succeeded = async () => {
        const { body } = await again.as('ann')('GET', `/jobs/${id}/executions`);
        seen = body;
        return body.items?.find(({ status }: { status: string }) => status === 'succeeded');
      };
      const detail = () => `${JSON.stringify(seen)}\n${again.output()}`;
      const { dueAt } = await until(`job ${id} has run`, succeeded, { everyMs: 500, detail });
      return dueAt as string;
    };
    expect(await Promise.all(later.map(ran))).toEqual(later.map(() => at));
    await ran(tick.id);
    await again.stop();
  }, 120_000);
});
