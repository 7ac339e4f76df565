import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { entryWithTasks } from '../../lib/bundling/custom-tasks.ts';
import { withCustomTasks } from '../../src/tasks/custom-tasks.ts';
import { builtinTasks } from '../../src/tasks/registry.ts';
import { DoNotRetry, RetryAfter, Snooze } from '../../src/tasks/task.ts';
import { taskContext } from '../support/task-context.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
let folder = '';
beforeEach(() => {
  // beneath the checkout, so that what a task imports is found
  folder = mkdtempSync(join(ROOT, 'node_modules', '.custom-tasks-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string) => writeFileSync(join(folder, name), text);
const task = (name: string, more = '') => `
  import { z } from 'zod';
  import { defineTask } from '${ROOT}src/tasks/task.ts';
  export const it = defineTask({ name: '${name}', description: 'd', params: z.strictObject({ n: z.number() }),
    async run({ params }) { return params.n + 1; } });
  ${more}`;
const load = () => withCustomTasks(builtinTasks(), folder);

describe('custom tasks', () => {
  it('are every file of the folder that is not a test, a declaration or shared', async () => {
    file('one.mjs', task('one'));
    file('two.mjs', `${task('two')}export default it;`); // exported twice is one task
    file('_shared.mjs', 'export const x = 1;');
    file('one.test.mjs', 'throw new Error("not loaded");');
    file('one.d.mts', 'export declare const x: number;');
    file('README.md', 'hello');
    const tasks = await load();
    expect([...tasks.keys()].slice(-2)).toEqual(['one', 'two']);
    await expect(tasks.get('one')?.run(taskContext({ n: 1 }))).resolves.toBe(2);
  });

  it('a folder that is not there has none', async () => {
    await expect(withCustomTasks(new Map(), join(folder, 'nope'))).resolves.toEqual(new Map());
  });

  it('the example of the checkout is one', async () => {
    const tasks = await withCustomTasks(new Map());
    expect([...tasks.keys()]).toContain('count-slowly');
    expect(z.toJSONSchema(tasks.get('count-slowly')?.params ?? z.never(), { io: 'input' })).toMatchObject({
      properties: { to: { description: 'last number' } },
    });
  });

  it.each([
    [
      'exports no task',
      'export const helper = () => 1;',
      /x\.mjs: the file exports no task; .*, got helper$/,
    ],
    ['exports nothing', '', /x\.mjs: the file exports no task; .*, got no exports$/],
    ['does not parse', 'export const = 1;', /x\.mjs: the file cannot be loaded: /],
    ['throws', 'throw new Error("no database");', /x\.mjs: the file cannot be loaded: no database$/],
    [
      'has the name of a built-in task',
      task('http'),
      /x\.mjs: the task name "http" is already used in the built-in tasks/,
    ],
    [
      'has a bad name',
      task('x').replace("'x'", "'Not Good'"),
      /x\.mjs: the file cannot be loaded: the task name must be .* got "Not Good"/,
    ],
    [
      'has no description',
      'export const t = { name: "t", params: { safeParse() {} }, run() {} };',
      /x\.mjs: the task "t" has no description/,
    ],
    [
      'has no schema',
      'export const t = { name: "t", description: "d", params: {}, run() {} };',
      /x\.mjs: the task "t" has no zod schema/,
    ],
    [
      'cannot be described',
      task('x').replace('z.number()', 'z.date()'),
      /x\.mjs: the task "x" cannot be described as JSON Schema: /,
    ],
  ])('a file that %s stops the process with a sentence that names it', async (_what, text, sentence) => {
    file('x.mjs', text);
    await expect(load()).rejects.toMatchObject({
      name: 'CustomTaskError',
      message: expect.stringMatching(sentence),
    });
  });

  it('two files with one name are told both', async () => {
    file('a.mjs', task('same'));
    file('b.mjs', task('same'));
    await expect(load()).rejects.toThrow(/b\.mjs: the task name "same" is already used in .*a\.mjs/);
  });
});

describe('the errors of a task', () => {
  /** A second copy of the file, as a custom task has that imports `punctual/tasks` of the package. */
  async function secondCopy(minify: boolean): Promise<typeof import('../../src/tasks/task.ts')> {
    const out = join(folder, `_copy-${minify}.mjs`);
    buildSync({
      entryPoints: [`${ROOT}src/tasks/index.ts`],
      outfile: out,
      bundle: true,
      format: 'esm',
      minify,
    });
    return import(pathToFileURL(out).href);
  }

  it.each([false, true])('of another copy of the code are recognised (minified: %s)', async (minify) => {
    const other = await secondCopy(minify);
    expect(other.DoNotRetry).not.toBe(DoNotRetry);
    expect(new other.DoNotRetry('no') instanceof DoNotRetry).toBe(true);
    expect(new other.RetryAfter(5, 'later') instanceof RetryAfter).toBe(true);
    expect(new other.Snooze(5, 'busy') instanceof Snooze).toBe(true);
    expect(new DoNotRetry('no') instanceof other.DoNotRetry).toBe(true);
  });

  it('are not mistaken for each other, and neither are other values', async () => {
    const other = await secondCopy(true);
    expect(new other.Snooze(5, 'busy') instanceof DoNotRetry).toBe(false);
    expect(new other.DoNotRetry('no') instanceof RetryAfter).toBe(false);
    for (const value of [new Error('x'), null, undefined, 'DoNotRetry', { name: 'DoNotRetry' }])
      expect((value as unknown) instanceof DoNotRetry).toBe(false);
  });

  it('of a subclass are both', () => {
    class Unpaid extends DoNotRetry {}
    expect(new Unpaid('no') instanceof DoNotRetry).toBe(true);
    expect(new Unpaid('no') instanceof Unpaid).toBe(true);
    expect(new DoNotRetry('no') instanceof Unpaid).toBe(false);
  });
});

describe('in a bundle', () => {
  it('they are there without the folder, and what they throw is known', async () => {
    file(
      'picky.mjs',
      `import { z } from 'zod';
      import { DoNotRetry, defineTask } from '${ROOT}src/tasks/task.ts';
      export const picky = defineTask({ name: 'picky', description: 'd', params: z.unknown(),
        async run() { throw new DoNotRetry('no'); } });`,
    );
    writeFileSync(
      join(folder, '_entry.ts'),
      `import { withCustomTasks } from '${ROOT}src/tasks/custom-tasks.ts';
       import { DoNotRetry } from '${ROOT}src/tasks/task.ts';
       const tasks = await withCustomTasks(new Map(), '/nowhere');
       const error = await tasks.get('picky').run({}).catch((e: unknown) => e);
       export const seen = [[...tasks.keys()], error instanceof DoNotRetry];`,
    );
    const entry = join(folder, '_entry.ts').slice(ROOT.length);
    const out = mkdtempSync(join(tmpdir(), 'punctual-bundle-'));
    buildSync({
      stdin: { contents: entryWithTasks(entry, 'seen', folder), resolveDir: ROOT, loader: 'ts' },
      outfile: join(out, 'index.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      logLevel: 'silent',
    });
    const { seen } = await import(pathToFileURL(join(out, 'index.mjs')).href);
    expect(seen).toEqual([['picky'], true]);
    rmSync(out, { recursive: true });
  });
});
