// The build of the console in a checkout, with a small checkout of its own: cached by its sources, safe for two processes.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleState } from '../../src/console/handler.ts';
import { builtOnDemand } from '../../src/local/console.ts';
import { buildConsole, cachedBuild, sourceKey } from '../../src/local/console-build.ts';
import { createLog } from '../../src/runtime/log.ts';
import { until } from '../support/until.ts';

const CACHE = 'node_modules/.cache/punctual-console';
const log = createLog('silent');

/** Writes its source as the page, its priority as an asset, and a line for each build into `builds`. */
const PROGRAM = `import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
const [, , folder] = process.argv;
appendFileSync('builds', 'x');
const source = readFileSync('console/app.ts', 'utf8');
if (source.includes('wrong')) { console.error('app.ts: ' + source); process.exit(1); }
if (source.includes('endless')) setInterval(() => {}, 1000);
mkdirSync(folder + '/assets', { recursive: true });
writeFileSync(folder + '/index.html', source);
writeFileSync(folder + '/assets/priority.txt', String(getPriority()));
`;

let root: string;
let stopping: AbortController;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'punctual-checkout-'));
  stopping = new AbortController();
  for (const folder of ['console/build', 'src/client', 'src/domain', 'src/tasks/http', 'src/api'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of [
    'src/client/client.ts',
    'src/domain/hash.ts',
    'src/tasks/http/signature.ts',
    'src/api/a.ts',
  ])
    write(file, 'first');
  for (const file of ['package.json', 'package-lock.json']) write(file, '{ "type": "module" }');
  write('console/build/main.ts', PROGRAM);
  write('console/app.ts', 'page one');
});
afterEach(() => {
  stopping.abort();
  rmSync(root, { recursive: true, force: true });
});

const write = (file: string, text: string): void => writeFileSync(join(root, file), text);
const builds = (): number =>
  existsSync(join(root, 'builds')) ? readFileSync(join(root, 'builds')).length : 0;
const kept = (): string[] => readdirSync(join(root, CACHE));
const textOf = async (state: ConsoleState): Promise<string> =>
  state.kind === 'ready' ? String(await state.files.page.copy('identity')) : state.kind;

/** Waits until the console is ready or has failed. */
const finished = (state: () => Promise<ConsoleState>, text: string | RegExp) =>
  until(`the console is ${text}`, async () => {
    const current = await state();
    const found = current.kind === 'failed' ? current.error : await textOf(current);
    const isWanted = typeof text === 'string' ? found === text : text.test(found);
    return isWanted ? current : undefined;
  });

describe('the console of a checkout', () => {
  it('is built once for all requests, and pages say so until then', async () => {
    const state = builtOnDemand(root, stopping.signal, log);
    const first = await Promise.all(Array.from({ length: 5 }, state));
    expect(first.map(({ kind }) => kind)).toEqual(Array(5).fill('building'));
    await finished(state, 'page one');
    expect(builds()).toBe(1);
  });

  it('is built with the lowest priority', async () => {
    const current = await finished(builtOnDemand(root, stopping.signal, log), 'page one');
    if (current.kind !== 'ready') throw new Error(current.kind);
    expect(String(await current.files.assets.get('priority.txt')?.copy('identity'))).toBe('19');
  });

  it('is there at once after a restart', async () => {
    await finished(builtOnDemand(root, stopping.signal, log), 'page one');
    expect(await textOf(await builtOnDemand(root, stopping.signal, log)())).toBe('page one');
    expect(builds()).toBe(1);
  });

  it('is built again after a change, and the old build is removed', async () => {
    const state = builtOnDemand(root, stopping.signal, log);
    await finished(state, 'page one');
    write('console/app.ts', 'page two');
    await finished(state, 'page two');
    expect(kept()).toEqual([await sourceKey(root)]);
  });

  it('shows the output of a failed build, does not repeat it, and tries again after a change', async () => {
    write('console/app.ts', 'wrong');
    const state = builtOnDemand(root, stopping.signal, log);
    await finished(state, 'app.ts: wrong');
    await state();
    expect(builds()).toBe(1);
    write('console/app.ts', 'page three');
    await finished(state, 'page three');
    expect(kept()).toHaveLength(1);
  });

  it('reports a program that does not exist', async () => {
    rmSync(join(root, 'console/build/main.ts'));
    await finished(builtOnDemand(root, stopping.signal, log), /Cannot find module/);
  });

  it('ends its build when the server stops', async () => {
    write('console/app.ts', 'endless');
    const state = builtOnDemand(root, stopping.signal, log);
    await state();
    await until('the build runs', () => builds() === 1);
    stopping.abort();
    await finished(state, /aborted/);
    expect(kept()).toEqual([]);
  });
});

describe('two processes', () => {
  it('that build at once leave one complete build', async () => {
    const key = await sourceKey(root);
    await Promise.all([buildConsole(root, key), buildConsole(root, key), buildConsole(root, key)]);
    expect(builds()).toBe(3);
    expect(kept()).toEqual([key]);
    expect(String(await (await cachedBuild(root, key))?.page.copy('identity'))).toBe('page one');
  });

  it('do not remove the unfinished build of each other, only that of a killed one', async () => {
    const dead = 2 ** 22 + 1; // above the largest process id of Linux
    const [mine, left] = [`.${process.pid}-mine`, `.${dead}-left`];
    for (const name of [mine, left, 'old']) mkdirSync(join(root, CACHE, name), { recursive: true });
    const key = await sourceKey(root);
    await buildConsole(root, key);
    expect(kept().sort()).toEqual([mine, key].sort());
  });
});

describe('the key of a build', () => {
  it.each([
    'console/app.ts',
    'src/client/client.ts',
    'src/domain/hash.ts',
    'src/tasks/http/signature.ts',
    'package-lock.json',
  ])('changes with %s', async (file) => {
    const before = await sourceKey(root);
    expect(await sourceKey(root)).toBe(before);
    write(file, 'other');
    expect(await sourceKey(root)).not.toBe(before);
  });

  it('changes with the name of a file, and not with a file that the console does not import', async () => {
    const before = await sourceKey(root);
    write('src/api/a.ts', 'other');
    expect(await sourceKey(root)).toBe(before);
    write('console/b.ts', '');
    expect(await sourceKey(root)).not.toBe(before);
  });
});
