// Builds `dist/runtime`: the Lambda functions, the worker and the command in one build, so that code which several of them have is
// stored once. The manifest names the files of each program.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { COMMON, copyAssets, trimSourceMaps } from '../../lib/bundling/bundle.ts';
import { onlyEnglish } from '../../lib/bundling/bundle-plugins.ts';
import { namedExports, refuseCommonJs } from '../../lib/bundling/commonjs-interop.ts';
import { entryWithModules } from '../../lib/bundling/custom-tasks.ts';
import {
  CUSTOM_TASKS,
  ENTRIES,
  type Entry,
  exportOf,
  type Manifest,
  type ManifestEntry,
  WITH_TASKS,
  WITHOUT_RUNS,
} from '../../lib/bundling/entries.ts';
import { DIST, ROOT } from './package-entries.ts';

export const RUNTIME = join(DIST, 'runtime');

/** Programs that are not deployed: the command, and the thread that writes its database. */
const LOCAL = { punctual: 'bin/punctual.ts', 'writer.thread': 'src/store/sqlite/writer.thread.ts' };

/** The oldest Node that the command runs on (bin/punctual.js). Lambdas and workers have Node 24. */
const TARGET = 'node22.19';

const ALL = Object.keys(ENTRIES) as Entry[];
const PROGRAM = /^program:/;

/** The entry points of programs with custom tasks, which are in a file of their own that a deployment replaces. */
const programs: Plugin = {
  name: 'programs',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: PROGRAM }, ({ path }) => ({ path: path.replace(PROGRAM, ''), namespace: 'program' }));
    onLoad({ filter: /.*/, namespace: 'program' }, ({ path }) => ({
      contents: entryWithModules(
        `import { modules } from './${CUSTOM_TASKS}';`,
        ENTRIES[path as Entry],
        exportOf(path as Entry),
      ),
      resolveDir: ROOT,
    }));
    onResolve({ filter: new RegExp(`^\\./${CUSTOM_TASKS.replace('.', '\\.')}$`) }, ({ path }) => ({
      path,
      external: true,
    }));
  },
};

/** esbuild does not follow `new Worker(new URL('./writer.thread.ts', import.meta.url))`. */
const threads: Plugin = {
  name: 'threads',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/store\/sqlite\/thread-writer\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace("'./writer.thread.ts'", "'./writer.thread.mjs'");
      if (contents === text) throw new Error(`${path} does not start ./writer.thread.ts`);
      return { contents, loader: 'ts' };
    });
  },
};

export async function buildRuntime(version: string): Promise<string[]> {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: {
      ...Object.fromEntries(
        ALL.map((entry) => [entry, WITH_TASKS.includes(entry) ? `program:${entry}` : ENTRIES[entry]]),
      ),
      ...LOCAL,
    },
    outdir: RUNTIME,
    target: TARGET,
    // A development dependency, which the command loads only with settings of a checkout.
    external: ['fauxqs'],
    plugins: [programs, threads, namedExports, onlyEnglish],
  });
  refuseCommonJs(metafile);
  await trimSourceMaps(RUNTIME);
  writeFileSync(join(RUNTIME, CUSTOM_TASKS), 'export const modules = {};\n');
  for (const file of ['Dockerfile', 'Dockerfile.scripts'])
    copyFileSync(join(ROOT, file), join(RUNTIME, file));
  const assets = Object.fromEntries(
    await Promise.all(ALL.map(async (entry) => [entry, await copyAssets(entry, RUNTIME)])),
  ) as Record<Entry, string[]>;
  const manifest: Manifest = {
    version,
    entries: Object.fromEntries(
      ALL.map((entry) => [entry, manifestEntry(entry, metafile, assets[entry])]),
    ) as Record<Entry, ManifestEntry>,
  };
  mkdirSync(RUNTIME, { recursive: true });
  writeFileSync(join(RUNTIME, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const copied = Object.values(assets)
    .flat()
    .map((file) => `node_modules/${file}`);
  return [...Object.keys(metafile.inputs), ...copied];
}

function manifestEntry(entry: Entry, metafile: Metafile, assets: readonly string[]): ManifestEntry {
  const main = `${entry}.mjs`;
  const existing = new Set(readdirSync(RUNTIME));
  const files = filesOf(entry, metafile)
    .filter((file) => file !== main)
    .concat(WITH_TASKS.includes(entry) ? CUSTOM_TASKS : [])
    .flatMap((file) => [file, `${file}.map`]);
  return {
    main,
    files: [
      ...files.filter((file) => existing.has(file)),
      `${main}.map`,
      ...assets.map((file) => `${file}.br`),
    ]
      .filter((file) => file.includes('/') || existing.has(file))
      .sort(),
  };
}

/** The program's file and the files that it imports. Packages that only a run of a task needs are left out where none runs. */
function filesOf(entry: Entry, { inputs, outputs }: Metafile): string[] {
  const fromTasks = new Set(
    Object.entries(inputs)
      .filter(([file]) => file.startsWith('src/tasks/'))
      .flatMap(([, { imports }]) => imports)
      .filter(({ kind }) => kind === 'dynamic-import')
      .map(({ path }) => path),
  );
  const isLeftOut = (file: string) =>
    WITHOUT_RUNS.includes(entry) && fromTasks.has(outputs[file]?.entryPoint ?? '');
  const found = new Set([relative(ROOT, join(RUNTIME, `${entry}.mjs`))]);
  for (const file of found) {
    for (const { path, external } of outputs[file]?.imports ?? [])
      if (!external && !isLeftOut(path)) found.add(path);
  }
  return [...found].map((file) => basename(file));
}
