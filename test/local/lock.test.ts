import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lockFolder } from '../../src/local/lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'punctual-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('lets one in, tells the second who it is, and lets it in afterwards', async () => {
  const first = await lockFolder(folder, 'process 1 (npm start)');
  await expect(lockFolder(folder, 'process 2')).rejects.toThrow(
    `the data folder ${folder} is in use by process 1 (npm start)`,
  );
  await first.release();
  await (await lockFolder(folder, 'process 2')).release();
});

it('knows the folder by another path', async () => {
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  const first = await lockFolder(folder, 'process 1');
  await expect(lockFolder(link, 'process 2')).rejects.toThrow('in use by process 1');
  await first.release();
  rmSync(link);
});

it('is free at once after its holder was killed with -9', async () => {
  const module = new URL('../../src/local/lock.ts', import.meta.url).href;
  const source = `import { lockFolder } from '${module}';
    await lockFolder('${folder}', 'the child'); console.log('locked'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source]);
  await once(child.stdout, 'data');
  await expect(lockFolder(folder, 'me')).rejects.toThrow('in use by the child');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await (await lockFolder(folder, 'me')).release();
});

/** The abstract socket of the folder's lock. */
const address = () =>
  `\0punctual-${createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24)}`;

it.runIf(process.platform === 'linux')('waits for a holder that ends before it says its name', async () => {
  const dying = createServer((socket) => {
    dying.close();
    socket.end();
  }).listen(address());
  await once(dying, 'listening');
  await (await lockFolder(folder, 'me')).release();
});
