// Bundles an entry point into the files that are deployed. Functions, the container and their tests use the same bundles.
// As a program: `node lib/bundling/bundle.ts <entry> <folder>`.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type BuildResult, build } from 'esbuild';
import { onlyEnglish, withoutTaskPackages } from './bundle-plugins.ts';
import { namedExports, refuseCommonJs } from './commonjs-interop.ts';
import { entryWithTasks } from './custom-tasks.ts';
import { withoutForeign } from './source-maps.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** The programs of the Lambda functions and of the container. */
export const ENTRIES = {
  scheduler: 'src/api/scheduler.lambda.ts',
  query: 'src/api/query.lambda.ts',
  ingest: 'src/api/ingest.lambda.ts',
  watcher: 'src/watcher/watcher.lambda.ts',
  notifier: 'src/notifier/notifier.lambda.ts',
  worker: 'src/worker/main.ts',
} as const;
export type Entry = keyof typeof ENTRIES;

/** The entries that contain the custom tasks, because they describe them, validate their params or run them. */
const WITH_TASKS: readonly Entry[] = ['scheduler', 'query', 'ingest', 'worker'];

/** The entries that describe and validate tasks, but never run them. */
const WITHOUT_RUNS: readonly Entry[] = ['scheduler', 'query', 'ingest'];

/** Lambda's handler setting. */
export const HANDLER = 'index.handler';
export const OUTPUT = 'index.mjs';

/** Files that are read instead of imported. They are copied into a folder with the name of their package. */
const ASSETS: Partial<Record<Entry, { readonly package: string; readonly files: readonly string[] }>> = {
  query: { package: 'swagger-ui-dist', files: ['swagger-ui.css', 'swagger-ui-bundle.js'] },
};

/**
 * The AWS SDK is bundled, so that the version is the tested one and not that of the Lambda runtime. It costs about 300 KB
 * zipped and no measurable time (`npm run bench -- cold`). Dynamic imports stay in separate files, which are loaded on
 * first use.
 */
export async function bundle(
  entry: Entry,
  folder: string,
  more: { readonly external?: string[] } = {},
): Promise<BuildResult<{ metafile: true }>> {
  const exported = entry === 'worker' ? undefined : 'handler';
  const result = await build({
    absWorkingDir: ROOT,
    ...(WITH_TASKS.includes(entry)
      ? { stdin: { contents: entryWithTasks(ENTRIES[entry], exported), resolveDir: ROOT } }
      : { entryPoints: [ENTRIES[entry]] }),
    entryNames: 'index',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    // Users see the names of errors.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    plugins: [...(WITHOUT_RUNS.includes(entry) ? [withoutTaskPackages] : []), namedExports, onlyEnglish],
    ...more,
    // CommonJS packages load Node's modules with `require`, which an ES module does not have.
    banner: {
      js: "import{createRequire as punctualRequire}from'node:module';const require=punctualRequire(import.meta.url);",
    },
  });
  refuseCommonJs(result.metafile);
  await trimSourceMaps(folder);
  const assets = ASSETS[entry];
  if (assets) {
    const from = dirname(createRequire(import.meta.url).resolve(`${assets.package}/package.json`));
    await mkdir(join(folder, assets.package), { recursive: true });
    for (const file of assets.files) await cp(join(from, file), join(folder, assets.package, file));
  }
  return result;
}

/** Bundles in a separate process, because CDK's constructors are synchronous. */
export function bundleSync(entry: Entry, folder: string): void {
  execFileSync(process.execPath, [join(ROOT, 'lib/bundling/bundle.ts'), entry, folder], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Removes the packages from the source maps. */
async function trimSourceMaps(folder: string): Promise<void> {
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.map'))) {
    const path = join(folder, file);
    const map = withoutForeign(JSON.parse(await readFile(path, 'utf8')), (source) =>
      source.includes('node_modules/'),
    );
    if (map) await writeFile(path, JSON.stringify(map));
    else await removeMap(path);
  }
}

/** Also removes the comment that names the map, because Node would look for the file. */
async function removeMap(path: string): Promise<void> {
  const code = path.replace(/\.map$/, '');
  await rm(path);
  await writeFile(code, (await readFile(code, 'utf8')).replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
}

if (import.meta.main) {
  const [entry = '', folder = ''] = process.argv.slice(2);
  if (!(entry in ENTRIES) || folder === '') {
    console.error(`usage: node lib/bundling/bundle.ts <${Object.keys(ENTRIES).join('|')}> <folder>`);
    process.exit(2);
  }
  await bundle(entry as Entry, resolve(folder));
}
