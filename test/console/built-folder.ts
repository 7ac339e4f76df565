// A small folder in the layout of a built console.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

export const PAGE =
  '<!doctype html><title>Punctual</title><script type="module" src="/console/assets/main-AB12.js">';
export const SCRIPT = `export const text = ${JSON.stringify('on the dot '.repeat(500))};\n`;
export const STYLE = 'body { margin: 0 }\n';

export interface BuiltFolder {
  readonly path: string;
  remove(): void;
}

/** `main-AB12.js` is there only compressed, `main-CD34.css` in both forms, and `dot-EF56.svg` only as it is. */
export function builtFolder(): BuiltFolder {
  const path = mkdtempSync(join(tmpdir(), 'punctual-built-'));
  mkdirSync(join(path, 'assets'));
  writeFileSync(join(path, 'index.html'), PAGE);
  writeFileSync(join(path, 'index.html.br'), brotliCompressSync(PAGE));
  writeFileSync(join(path, 'manifest.json'), '{"private":true}');
  writeFileSync(join(path, 'assets/main-AB12.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(path, 'assets/main-CD34.css'), STYLE);
  writeFileSync(join(path, 'assets/main-CD34.css.br'), brotliCompressSync(STYLE));
  writeFileSync(join(path, 'assets/dot-EF56.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
