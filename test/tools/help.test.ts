// Each npm script that is a program of ours answers --help: it prints its usage, does nothing else and ends with exit code 0.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const OURS = Object.entries(scripts).filter(([, line]) => line.startsWith('node ') && line.includes('.ts'));
const TAKE_NO_ARGUMENTS = ['start', 'start:aws', 'engines', 'api', 'watcher', 'worker'];
const folder = mkdtempSync(join(tmpdir(), 'punctual-help-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The script's own command line, without npm in between. */
async function run(line: string, ...args: string[]) {
  const env = { ...process.env, PUNCTUAL_DATA: join(folder, 'data'), PUNCTUAL_PORT: '0' };
  const words = [...line.split(' ').slice(1), ...args];
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, words, { cwd: ROOT, env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

describe('npm scripts', () => {
  test.each(OURS.filter(([name]) => name !== 'imports'))(
    '%s --help prints the usage',
    async (_name, line) => {
      const { code, stdout } = await run(line, '--help');
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^usage: (\S+=\S+ )?npm /)]);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test.each(TAKE_NO_ARGUMENTS)('%s refuses an argument that it would not read', async (name) => {
    const { code, stderr } = await run(scripts[name] ?? '', '--port', '4000');
    expect([code, stderr]).toEqual([1, expect.stringContaining('takes no arguments, got "--port 4000"')]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
