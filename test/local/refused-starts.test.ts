// The error messages of `npm start`: they name the variable or the file, and the remedy.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KNOWN_VARIABLES, refuseUnknownVariables } from '../../src/local/known-variables.ts';
import { type Folder, startPart, temporaryFolder } from '../support/processes.ts';

let folder: Folder | undefined;
afterEach(() => folder?.remove());

describe('a misspelt variable', () => {
  it.each([
    [{ PUNCTUAL_PROT: '4000' }, 'PUNCTUAL_PROT is not a known variable; did you mean PUNCTUAL_PORT?'],
    [
      { PUNCTUAL_CONCURENCY: '5' },
      'PUNCTUAL_CONCURENCY is not a known variable; did you mean PUNCTUAL_CONCURRENCY?',
    ],
    [{ PUNCTUAL_LEASE: '1' }, 'PUNCTUAL_LEASE is not a known variable; did you mean PUNCTUAL_LEASE_MS?'],
  ])('%j is refused, with the known variable of the most similar name', (env, sentence) => {
    expect(() => refuseUnknownVariables(env)).toThrow(sentence);
  });

  it('stops the start', async () => {
    folder = temporaryFolder();
    const local = startPart('main', { PUNCTUAL_DATA: folder.path, PUNCTUAL_PROT: '4000' });
    expect(await local.exited).toBe(1);
    expect(local.output()).toMatch(/^punctual: PUNCTUAL_PROT is not a known variable/);
  });

  it('is none of those that the programs read, nor one of another prefix', () => {
    expect(KNOWN_VARIABLES.length).toBeGreaterThan(30);
    const all = Object.fromEntries(KNOWN_VARIABLES.map((name) => [name, 'x']));
    expect(() => refuseUnknownVariables({ ...all, MY_PUNCTUAL_THING: '1' })).not.toThrow();
  });
});

it('a damaged key file is named, with the remedy', async () => {
  folder = temporaryFolder();
  mkdirSync(folder.path, { recursive: true });
  const file = join(folder.path, 'token-key.json');
  writeFileSync(file, '{"kty":"EC","crv"');
  const token = startPart('token.main', { PUNCTUAL_DATA: folder.path }, ['ann']);
  expect(await token.exited).toBe(1);
  expect(token.output()).toContain(`${file} is damaged: it is not JSON. Delete it to create a new key`);
});

it('`npm start` before `npm ci` prints what is missing', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'punctual-bare-'));
  try {
    mkdirSync(join(checkout, 'bin'));
    for (const file of ['package.json', 'bin/run.js']) copyFileSync(file, join(checkout, file));
    const env = { PATH: process.env.PATH, HOME: checkout };
    const { status, stderr } = spawnSync('npm', ['start'], { cwd: checkout, env, encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('punctual: the dependencies are not installed. Run: npm ci');
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
});
