import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { holderOf, lockFolder } from '../../src/local/lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'punctual-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('has one owner, names it to a second process, and is free after its release', async () => {
  const first = lockFolder(folder, 'process 1 (npm start)');
  expect(() => lockFolder(folder, 'process 2')).toThrow(
    `the data folder ${folder} is in use by process 1 (npm start)`,
  );
  expect(holderOf(folder)).toBe('process 1 (npm start)');
  first.release();
  expect(holderOf(folder)).toBeUndefined();
  lockFolder(folder, 'process 2').release();
});

it('explains why a folder cannot be locked', () => {
  const file = join(folder, 'no-folder');
  writeFileSync(file, '');
  expect(() => lockFolder(file, 'process 1')).toThrow(
    /lock\.db cannot be locked \(.*\)\. Make the data folder writable/,
  );
});

it('explains why the name of the owner cannot be written', () => {
  const own = mkdtempSync(join(tmpdir(), 'punctual-lock-'));
  mkdirSync(join(own, 'lock.txt'));
  expect(() => lockFolder(own, 'process 1')).toThrow(
    /lock\.txt cannot be written \(.*\)\. Make the data folder writable/,
  );
  rmSync(own, { recursive: true });
});

it('recognises the folder under another path', async () => {
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  const first = lockFolder(folder, 'process 1');
  expect(() => lockFolder(link, 'process 2')).toThrow('in use by process 1');
  first.release();
  rmSync(link);
});

it('is free at once after its holder was killed with -9', async () => {
  const module = new URL('../../src/local/lock.ts', import.meta.url).href;
  const source = `import { holderOf, lockFolder } from '${module}';
    lockFolder('${folder}', 'the child'); console.log('locked'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source]);
  await once(child.stdout, 'data');
  expect(() => lockFolder(folder, 'me')).toThrow('in use by the child');
  expect(holderOf(folder)).toBe('the child');
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockFolder(folder, 'me').release();
});

it('waits for a holder that is about to end', async () => {
  const module = new URL('../../src/local/lock.ts', import.meta.url).href;
  const source = `import { lockFolder } from '${module}';
    lockFolder('${folder}', 'the child'); console.log('locked'); setTimeout(() => process.exit(), 300);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source]);
  await once(child.stdout, 'data');
  lockFolder(folder, 'me').release();
});
