// The data folder and its files are for the user of the server alone.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requirePrivateFolder } from '../../src/local/private-folder.ts';
import { startLocal, startPart } from '../support/processes.ts';

const CLI = resolve(import.meta.dirname, '../../bin/punctual.js');

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const started: { stop(signal?: NodeJS.Signals): Promise<unknown> }[] = [];
let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'punctual-modes-'));
});
afterEach(async () => {
  for (const process of started.splice(0)) await process.stop('SIGKILL');
  rmSync(base, { recursive: true, force: true });
});

async function start(folder: string, part: 'main' | 'aws.main' = 'main') {
  const local = await startLocal(folder, {}, undefined, part);
  started.push(local);
  return local;
}

/** What the server prints when it does not start. */
async function refusal(folder: string): Promise<string> {
  const local = startPart('main', { PUNCTUAL_DATA: folder });
  started.push(local);
  expect(await local.exited).toBe(1);
  return local.output();
}

function withContent(folder: string, mode: number): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'token-key.json'), '{}', { mode: 0o600 });
  chmodSync(folder, mode);
  return folder;
}

describe('the data folder', () => {
  it('is made with mode 0700, and every file in it with 0600', async () => {
    const folder = join(base, 'new', 'data');
    const local = await start(folder);
    await local.as('alice')('POST', '/jobs', { task: 'noop' });
    expect(modeOf(folder)).toBe('700');
    const files = readdirSync(folder);
    expect(files).toEqual(expect.arrayContaining(['lock.db', 'lock.txt', 'punctual.db', 'token-key.json']));
    expect(files.map((name) => [name, modeOf(join(folder, name))])).toEqual(
      files.map((name) => [name, '600']),
    );
  });

  it('is made private if it is empty', async () => {
    const folder = join(base, 'empty');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await start(folder);
    expect(modeOf(folder)).toBe('700');
  });

  it.each([
    [0o755, 'read'],
    [0o750, 'read'],
    [0o777, 'read and write'],
    [0o733, 'write'],
    [0o711, 'enter'],
  ])('with mode %o and files is refused, and nothing is written', async (mode, may) => {
    const folder = withContent(join(base, 'data'), mode);
    const text = await refusal(folder);
    expect(text).toContain(
      `other users may ${may} the data folder ${folder} (mode 0${mode.toString(8)}), which has the keys of all tokens. Run \`chmod 700 ${folder}\``,
    );
    expect(readdirSync(folder)).toEqual(['token-key.json']);
    expect(modeOf(folder)).toBe(mode.toString(8));
  });

  it('behind a symbolic link is the folder that it leads to', async () => {
    const folder = withContent(join(base, 'data'), 0o755);
    const link = join(base, 'link');
    symlinkSync(folder, link);
    expect(await refusal(link)).toContain('other users may read the data folder');
    chmodSync(folder, 0o700);
    rmSync(join(folder, 'token-key.json'));
    await start(link);
  });

  it('of another user is refused', () => {
    const folder = withContent(join(base, 'data'), 0o700);
    const { uid } = statSync(folder);
    // root may read everything in any case
    if (uid !== 0)
      expect(() => requirePrivateFolder(folder, uid + 1)).toThrow(
        `the data folder ${folder} belongs to user id ${uid}, who may read and replace its keys, and this process runs as user id ${uid + 1}.`,
      );
    expect(() => requirePrivateFolder(folder, uid)).not.toThrow();
  });

  it('with files of earlier versions gets private files', async () => {
    const folder = join(base, 'data');
    mkdirSync(folder, { mode: 0o700 });
    for (const name of ['lock.db', 'lock.txt']) writeFileSync(join(folder, name), '');
    for (const name of ['lock.db', 'lock.txt']) chmodSync(join(folder, name), 0o644);
    await start(folder);
    expect(modeOf(join(folder, 'lock.db'))).toBe('600');
  });

  it('of an open folder gives out no token, no key and no restored database', async () => {
    const folder = withContent(join(base, 'data'), 0o755);
    for (const args of [
      ['token', 'alice', '--data', folder],
      ['signing-key', 'alice', '--data', folder],
    ]) {
      const env = { PATH: process.env.PATH };
      const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], { env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, expect.stringContaining('other users may read the data folder')]);
    }
    expect(readdirSync(folder)).toEqual(['token-key.json']);
  });
});

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('the tables of dynoxide', () => {
  it('are for the user alone', { timeout: 120_000 }, async () => {
    const folder = join(base, 'aws');
    await start(folder, 'aws.main');
    const files = readdirSync(folder);
    expect(files).toContain('tables.db');
    expect(files.map((name) => [name, modeOf(join(folder, name))])).toEqual(
      files.map((name) => [name, '600']),
    );
  });
});
