// .ci/run fails before its first step where bwrap is required and missing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const RUN = join(import.meta.dirname, '..', '..', '.ci', 'run');

/** The folder differs between Linux and macOS. */
const pathOf = (program: string): string => {
  const found = ['/usr/bin', '/bin'].map((folder) => join(folder, program)).find(existsSync);
  if (found === undefined) throw new Error(`${program} is neither in /usr/bin nor in /bin`);
  return found;
};

it('where bwrap is required and missing, .ci/run fails and says so', () => {
  const bin = mkdtempSync(join(tmpdir(), 'punctual-bin-'));
  for (const name of ['dirname', 'date']) symlinkSync(pathOf(name), join(bin, name));
  const run = (env: Record<string, string>) =>
    spawnSync('/bin/bash', [RUN], { env: { PATH: bin, ...env }, encoding: 'utf8' });
  const refused = run({ PUNCTUAL_REQUIRE_BWRAP: '1' });
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('PUNCTUAL_REQUIRE_BWRAP=1, and bwrap is not in PATH');
  expect(refused.stdout).toBe('');
  // elsewhere it goes on: here it ends because there is no npm
  expect(run({}).stdout).toContain('npm ci');
  symlinkSync(pathOf('true'), join(bin, 'bwrap'));
  expect(run({ PUNCTUAL_REQUIRE_BWRAP: '1' }).stdout).toContain('npm ci');
  rmSync(bin, { recursive: true });
});
