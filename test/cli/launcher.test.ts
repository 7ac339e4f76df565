// bin/punctual.js starts the command on any installed version of Node.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Folder, temporaryFolder } from '../support/processes.ts';
import { execute, ROOT, start } from './command.ts';

const LAUNCHER = join(ROOT, 'bin/punctual.js');

/** The first Node of this machine that cannot run TypeScript. */
const OLD_NODE = (process.env.PATH ?? '')
  .split(':')
  .concat('/usr/bin', '/usr/local/bin')
  .map((folder) => join(folder, 'node'))
  .find((node) => majorOf(node) < 24);

function majorOf(node: string): number {
  try {
    accessSync(node, constants.X_OK);
    return Number(/^v(\d+)/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[1]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

let folder: Folder | undefined;
afterEach(() => folder?.remove());

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );

describe('the launcher', () => {
  it('is the executable of package.json', () => {
    const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(join(ROOT, bin.punctual)).toBe(LAUNCHER);
    expect(() => accessSync(LAUNCHER, constants.X_OK)).not.toThrow();
    expect(readFileSync(LAUNCHER, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('runs the command in its own process on Node 24', async () => {
    const { code, out } = await execute(['preview', '@daily', '--json'], {
      node: [process.execPath, LAUNCHER],
    });
    expect(code).toBe(0);
    expect(JSON.parse(out).description).toBe('At 00:00 every day, UTC');
  });

  it('prints the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const { code, out } = await execute(['--version']);
    expect([code, out.trim()]).toEqual([0, version]);
  });

  it.skipIf(process.platform === 'win32')('starts a server that SIGTERM to npx stops', async () => {
    folder = temporaryFolder();
    const server = start(['start', '--port', '0', '--data', folder.path], { node: ['npx', 'punctual'] });
    const [, url = ''] = await server.printed(/listens on (http:\/\/127\.0\.0\.1:\d+)/);
    server.child.kill('SIGTERM');
    await expect.poll(() => isUp(url), { timeout: 20_000, interval: 200 }).toBe(false);
  });

  describe.skipIf(OLD_NODE === undefined)('on an older Node', () => {
    const node = [OLD_NODE ?? '', LAUNCHER] as const;

    it('passes on arguments, streams and the exit code', async () => {
      const { code, out } = await execute(['preview', '0 9 * * *', '--json', '--count', '1'], { node });
      expect(code).toBe(0);
      expect(JSON.parse(out).fireTimes).toHaveLength(1);
      expect(await execute(['lsit'], { node })).toMatchObject({
        code: 2,
        err: expect.stringContaining('did you mean "list"?'),
      });
    });

    it('starts a server that SIGTERM to the launcher stops, with exit code 0', async () => {
      folder = temporaryFolder();
      const server = start(['start', '--port', '0', '--data', folder.path], { node });
      await server.printed(/listens on http:\/\/127\.0\.0\.1:\d+/);
      server.child.kill('SIGTERM');
      expect(await server.ended).toMatchObject({ code: 0, err: '' });
    });

    it('leaves no server behind when it is killed', async () => {
      folder = temporaryFolder();
      const server = start(['start', '--port', '0', '--data', folder.path], { node });
      const [, url = ''] = await server.printed(/listens on (http:\/\/127\.0\.0\.1:\d+)/);
      server.child.kill('SIGKILL');
      await expect.poll(() => isUp(url), { timeout: 20_000, interval: 200 }).toBe(false);
      await server.ended;
    });
  });
});
