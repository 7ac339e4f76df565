// The build of the console: its files, and what the content security policy and the budgets ask of them.
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildConsole, type ConsoleBuild } from '../../console/build/build-console.ts';

/** The budget of the first load: the shell and one screen. */
const MAX_FIRST_LOAD_BYTES = 450 * 1024;
const MAX_FIRST_LOAD_FILES = 12;

let folder: string;
let built: ConsoleBuild;
const text = (file: string) => readFile(join(folder, file), 'utf8');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'punctual-console-'));
  built = await buildConsole(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the built console', () => {
  it('has the page, the manifest, and scripts and styles with a hash in their names', async () => {
    const found = (await readdir(folder, { recursive: true })).filter((file) => file !== 'assets');
    const names = found.filter((file) => !file.endsWith('.br') && file !== 'manifest.json').sort();
    expect(names).toEqual(Object.keys(built.files).sort());
    expect(names.filter((name) => !/^assets\/[\w-]+-[A-Z0-9]{8}\.(js|css)$/.test(name))).toEqual([
      'index.html',
    ]);
    expect(names.filter((name) => name.endsWith('.css'))).toHaveLength(1);
    expect(JSON.parse(await text('manifest.json'))).toEqual(built.files);
  });

  it('has a brotli file beside each file', async () => {
    for (const [file, { bytes, brotliBytes }] of Object.entries(built.files)) {
      const compressed = await readFile(join(folder, `${file}.br`));
      expect([compressed.length, (await stat(join(folder, file))).size]).toEqual([brotliBytes, bytes]);
      expect(brotliDecompressSync(compressed).equals(await readFile(join(folder, file)))).toBe(true);
    }
  });

  it('has a page without inline scripts and styles, whose files exist', async () => {
    const html = await text('index.html');
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect([...html.matchAll(/<script[^>]*>([^<]*)/g)].map(([, inline]) => inline)).toEqual(['']);
    const referred = [...html.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, file = '']) => file);
    expect(referred.sort()).toEqual(built.firstLoad.filter((file) => file !== 'index.html').sort());
  });

  it('has no embedded fonts, no eval, and messages in English only', async () => {
    const all = await Promise.all(Object.keys(built.files).map(text));
    expect(all.filter((content) => /data:(application\/(x-)?font|font\/)/.test(content))).toEqual([]);
    expect(all.filter((content) => /\bnew Function\(|[^.\w]eval\(/.test(content))).toEqual([]);
    expect(all.filter((content) => content.includes('Schließen'))).toEqual([]);
    expect(all.some((content) => content.includes('Clear filters'))).toBe(true);
  });

  it('loads no zod', async () => {
    for (const file of Object.keys(built.files)) expect(await text(file)).not.toContain('ZodError');
  });

  it('keeps the first load of every screen within the budget', () => {
    expect(Object.keys(built.screens)).not.toEqual([]);
    for (const [screen, scripts] of Object.entries(built.screens)) {
      const loaded = [...built.firstLoad, ...scripts];
      const bytes = loaded.reduce((sum, file) => sum + (built.files[file]?.brotliBytes ?? 0), 0);
      expect.soft(bytes, screen).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
      // config.json is loaded too.
      expect.soft(loaded.length + 1, screen).toBeLessThanOrEqual(MAX_FIRST_LOAD_FILES);
    }
  });
});
