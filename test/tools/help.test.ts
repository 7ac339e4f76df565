// Every npm script that is a program of this repository answers --help: it prints its usage, does nothing else and exits
// with 0. The other scripts are tools with their own help.
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
const TOOLS = ['vitest', 'biome', 'tsc', 'cdk'];
const OWN_PROGRAMS = Object.entries(scripts).filter(([, line]) => !TOOLS.includes(line.split(' ')[0] ?? ''));
const TAKE_NO_ARGUMENTS = ['start', 'start:aws', 'engines', 'api', 'watcher', 'worker'];
const folder = mkdtempSync(join(tmpdir(), 'punctual-help-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command line of a script without npm. `node` is the Node of this test. */
async function run(line: string, ...args: string[]) {
  const env = { ...process.env, PUNCTUAL_DATA: join(folder, 'data'), PUNCTUAL_PORT: '0' };
  const [program = '', ...words] = line.split(' ');
  const file = program === 'node' ? process.execPath : program;
  try {
    return { code: 0, ...(await promisify(execFile)(file, [...words, ...args], { cwd: ROOT, env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

describe('npm scripts', () => {
  test.each(OWN_PROGRAMS)('%s --help prints the usage', async (_name, line) => {
    const { code, stdout } = await run(line, '--help');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^usage: (\S+=\S+ )?npm /)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('the options of the programs of this repository are covered', () => {
    expect(OWN_PROGRAMS.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        ...['bench', 'build', 'check:protocol', 'docs', 'imports', 'model', 'simulate', 'token'],
        ...[
          'test:account',
          'test:chaos',
          'test:conformance',
          'test:deploy',
          'test:endpoints',
          'test:image',
          'test:package',
        ],
      ]),
    );
  });

  test.each(TAKE_NO_ARGUMENTS)('%s refuses an argument that it would not read', async (name) => {
    const { code, stderr } = await run(scripts[name] ?? '', '--port', '4000');
    expect([code, stderr]).toEqual([1, expect.stringContaining('takes no arguments, got "--port 4000"')]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
