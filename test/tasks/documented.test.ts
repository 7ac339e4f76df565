// The TypeScript examples of docs/custom-tasks.md and docs/tasks.md, as they are printed there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { withCustomTasks } from '../../src/tasks/custom-tasks.ts';
import { sign } from '../../src/tasks/http/signature.ts';
import { taskContext } from '../support/task-context.ts';

const ROOT = join(import.meta.dirname, '..', '..');
// Below the root, so that the examples find their packages.
const folder = mkdtempSync(join(ROOT, 'node_modules', '.documented-'));
afterAll(() => rmSync(folder, { recursive: true }));

const exampleOf = (page: string): string => {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  return /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? expect.fail(`${page} has no TypeScript example`);
};

/** Relative imports become absolute, because the example is stored in another folder. */
const stored = (name: string, source: string): string => {
  const file = join(folder, name);
  writeFileSync(
    file,
    source.replace(/from '(?:\.\.?)\/src\//g, `from '${pathToFileURL(join(ROOT, 'src')).href}/`),
  );
  return file;
};

describe('the custom task of the docs', () => {
  it('is loaded, imports a file, and continues at its checkpoint', async () => {
    stored('import-rows.ts', exampleOf('custom-tasks.md'));
    const task = (await withCustomTasks(new Map(), folder)).get('import-rows');
    const file = join(folder, 'rows.txt');
    writeFileSync(file, 'row\n'.repeat(250));
    const saved: unknown[] = [];
    const lines: unknown[] = [];
    const run = (lastCheckpoint: unknown) =>
      task?.run({
        ...taskContext({ file }),
        lastCheckpoint,
        checkpoint: async (value) => void saved.push(value),
        log: { info: (_message, fields) => void lines.push(fields?.line), warn: () => {} },
      });
    await expect(run(undefined)).resolves.toEqual({ lines: 250 });
    expect(saved).toEqual([100, 200]);
    lines.length = 0;
    await expect(run(200)).resolves.toEqual({ lines: 250 });
    expect(lines[0]).toBe(201);
  });

  it('fails without a retry if the file does not exist', async () => {
    const task = (await withCustomTasks(new Map(), folder)).get('import-rows');
    await expect(task?.run(taskContext({ file: '/none' }))).rejects.toMatchObject({ name: 'DoNotRetry' });
  });
});

it('the verification of a signature in the docs accepts a signed request', async () => {
  const source = exampleOf('tasks.md');
  const imports = /^import .*$/m.exec(source)?.[0] ?? '';
  const lines = [
    imports,
    'export async function check(request: Request) {',
    // the parameter takes the place of the declared request
    source.replace(imports, '').replace(/^declare const request.*$/m, ''),
    'return genuine; }',
  ];
  const file = stored('_verify.ts', lines.join('\n'));
  const secret = Buffer.alloc(32, 7).toString('base64url');
  process.env.PUNCTUAL_KEY = secret;
  const { check } = (await import(pathToFileURL(file).href)) as { check(request: Request): Promise<boolean> };
  const url = 'https://example.com/hook';
  const signature = await sign(
    [{ id: 'k1.1', secret }],
    { method: 'POST', url, body: '{"day":1}' },
    Math.floor(Date.now() / 1000),
  );
  const requestOf = (body: string) =>
    new Request(url, { method: 'POST', body, headers: { 'punctual-signature': signature } });
  await expect(check(requestOf('{"day":1}'))).resolves.toBe(true);
  await expect(check(requestOf('{"day":2}'))).resolves.toBe(false);
});
