// Which mode is in force, and what is said about it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLocalConfig } from '../../src/local/config.ts';
import { findScriptMode } from '../../src/tasks/script/script-mode.ts';
import { isolatedHere } from '../support/script-workers.ts';

const isolated = await isolatedHere();
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'punctual-mode-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder with a program `bwrap` that does this. */
function fakeBwrap(name: string, script: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, 'bwrap'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(path, 'bwrap'), 0o755);
  chmodSync(folder, 0o755);
  return path;
}
const find = (path?: string, dataFolder = folder) =>
  findScriptMode({ trustedScripts: false, dataFolder, path });

describe('scripts', () => {
  it('are refused without bwrap, in a sentence that names both modes', async () => {
    const mode = await find('/nowhere');
    expect(mode.name).toBe('refused');
    expect(mode.summary).toMatch(
      /Isolated mode needs .*bubblewrap \(bwrap is not in PATH\).*Trusted mode.* needs PUNCTUAL_SCRIPTS=trusted/,
    );
  });

  it.each([
    ['fails', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1', /No permissions to create/],
    ['is too old', 'echo "bwrap: Unknown option --disable-userns" >&2; exit 1', /Unknown option/],
    [
      'isolates nothing',
      'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
      /did not isolate the script/,
    ],
  ])('are refused when bwrap %s, with what it said', async (name, script, told) => {
    const mode = await find(fakeBwrap(name, script));
    expect(mode.name).toBe('refused');
    expect(mode.summary).toMatch(told);
  });

  it.runIf(isolated)('run isolated where bwrap works', async () => {
    await expect(find()).resolves.toMatchObject({
      name: 'isolated',
      summary: expect.stringMatching(/^Scripts run isolated, by \/.*bwrap\.$/),
    });
  });

  it.runIf(isolated)('are refused when they would see the data folder, also by another name', async () => {
    const link = join(folder, 'link');
    symlinkSync('/usr/share', link);
    for (const data of ['/usr/share', link]) {
      const mode = await find(undefined, data);
      expect(mode).toMatchObject({
        name: 'refused',
        summary: expect.stringContaining(`see the data folder ${data}`),
      });
    }
  });

  it('run trusted only where that is asked for, and never for root', async () => {
    const mode = await findScriptMode({ trustedScripts: true, dataFolder: folder });
    expect(mode).toMatchObject({ name: 'trusted', summary: expect.stringContaining('without isolation') });
    const env = { PUNCTUAL_SCRIPTS: 'trusted' };
    expect(readLocalConfig(env, 1000).trustedScripts).toBe(true);
    expect(readLocalConfig({}, 1000).trustedScripts).toBe(false);
    expect(() => readLocalConfig(env, 0)).toThrow(/PUNCTUAL_SCRIPTS must not be "trusted" for root.*bwrap/);
    expect(() => readLocalConfig({ PUNCTUAL_SCRIPTS: 'yes' }, 1000)).toThrow('PUNCTUAL_SCRIPTS must be');
  });

  it('run isolated where PUNCTUAL_REQUIRE_BWRAP says that bwrap must work', async () => {
    const required = process.env.PUNCTUAL_REQUIRE_BWRAP === '1';
    expect(isolated || !required).toBe(true);
  });
});
