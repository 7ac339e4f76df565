// Builds the console into a folder: index.html, assets/<name>-<hash>.{js,css}, a brotli file beside each, and manifest.json.
// All screens are in one script. Large parts are loaded on demand. The styles are one file, because esbuild loads no styles of a
// lazy script.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { indexHtml } from './index-html.ts';
import { cloudscapeInEnglish, keepStyles, refuseEmbeddedFonts, withoutStyles } from './plugins.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const ENTRY = 'console/main.tsx';

const COMMON = {
  absWorkingDir: ROOT,
  entryPoints: { console: ENTRY },
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2023',
  jsx: 'automatic',
  minify: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  tsconfig: join(ROOT, 'console', 'tsconfig.json'),
  define: { 'process.env.NODE_ENV': '"production"' },
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
} as const satisfies BuildOptions;

/** The size of each file and of its brotli sibling, by its path in the folder. manifest.json has the same. */
export type ConsoleFiles = Readonly<Record<string, { readonly bytes: number; readonly brotliBytes: number }>>;

export interface ConsoleBuild {
  readonly files: ConsoleFiles;
  /** The files that the first page loads before any screen: index.html, the styles, and the scripts of the shell. */
  readonly firstLoad: readonly string[];
  /** The scripts that each screen loads in addition, by the path of its source. What a screen loads later, such as an editor, is not in it. */
  readonly screens: Readonly<Record<string, readonly string[]>>;
  /** The files that scripts and styles were built from, relative to the checkout. */
  readonly inputs: readonly string[];
}

export async function buildConsole(outFolder: string): Promise<ConsoleBuild> {
  const folder = resolve(outFolder);
  await mkdir(join(folder, 'assets'), { recursive: true });
  const [scripts, { name: styles, inputs: styleInputs }] = await Promise.all([
    buildScripts(folder),
    buildStyles(folder),
  ]);
  const outputs = new Map(
    Object.entries(scripts.outputs).map(([path, output]) => [relativePath(path, folder), output]),
  );
  const [entry = ''] = [...outputs].find(([, output]) => output.entryPoint === ENTRY) ?? [];
  const shell = reachable(scripts, folder, entry);
  const html = indexHtml({ styles, script: entry, preload: shell.slice(1) });
  await writeFile(join(folder, 'index.html'), html);
  const screens = Object.fromEntries(
    [...outputs]
      .filter(([, { entryPoint = '' }]) => /^console\/screens\/.*-screen\.tsx$/.test(entryPoint))
      .map(([path, { entryPoint = '' }]) => [
        entryPoint,
        reachable(scripts, folder, path).filter((file) => !shell.includes(file)),
      ]),
  );
  const names = ['index.html', styles, ...outputs.keys()].sort();
  const sizes = await Promise.all(
    names.map(async (name) => [name, await compress(join(folder, name))] as const),
  );
  const files: ConsoleFiles = Object.fromEntries(sizes);
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(files, undefined, 2)}\n`);
  const inputs = [...new Set([...Object.keys(scripts.inputs), ...styleInputs])];
  return { files, firstLoad: ['index.html', styles, ...shell], screens, inputs };
}

async function buildScripts(outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...COMMON,
    outdir,
    splitting: true,
    plugins: [cloudscapeInEnglish, withoutStyles],
  });
  return metafile;
}

/** Returns the name of the file and its sources. A build without splitting has the styles of all screens in one file, in the order of imports. */
async function buildStyles(outdir: string): Promise<{ name: string; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    ...COMMON,
    outdir,
    write: false,
    plugins: [cloudscapeInEnglish, keepStyles, refuseEmbeddedFonts],
  });
  const styles = outputFiles.find(({ path }) => path.endsWith('.css'));
  if (!styles) throw new Error(`${ENTRY} imports no CSS`);
  const name = `assets/${basename(styles.path)}`;
  await writeFile(join(outdir, name), styles.contents);
  return { name, inputs: Object.keys(metafile.inputs) };
}

/** The script and those that it imports statically, each once, with the script first. */
function reachable(metafile: Metafile, folder: string, script: string): string[] {
  const imports = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [
      relativePath(path, folder),
      output.imports
        .filter(({ kind }) => kind === 'import-statement')
        .map(({ path: imported }) => relativePath(imported, folder)),
    ]),
  );
  const found = new Set([script]);
  for (const file of found) for (const imported of imports.get(file) ?? []) found.add(imported);
  return [...found];
}

const relativePath = (path: string, folder: string): string =>
  resolve(ROOT, path)
    .slice(folder.length + 1)
    .replaceAll('\\', '/');

const brotli = promisify(brotliCompress);

async function compress(file: string): Promise<{ bytes: number; brotliBytes: number }> {
  const content = await readFile(file);
  const compressed = await brotli(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  });
  await writeFile(`${file}.br`, compressed);
  return { bytes: content.length, brotliBytes: compressed.length };
}
