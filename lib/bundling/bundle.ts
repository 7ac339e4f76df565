// Bundles an entry point into the files that are deployed. Functions, the container and their tests use the same bundles.
// As a program: `node lib/bundling/bundle.ts <entry> <folder> [<tasks folder>]`.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { type BuildOptions, type BuildResult, build } from 'esbuild';
import { ensureBuild } from '../../src/local/console-build.ts';
import { onlyEnglish, withoutTaskPackages } from './bundle-plugins.ts';
import { namedExports, refuseCommonJs } from './commonjs-interop.ts';
import { copyConsole } from './copy-console.ts';
import { entryWithTasks } from './custom-tasks.ts';
import {
  ASSETS,
  CONSOLE_FILES,
  ENTRIES,
  type Entry,
  exportOf,
  ROOT,
  WITH_TASKS,
  WITHOUT_RUNS,
} from './entries.ts';
import { withoutForeign } from './source-maps.ts';

export { ENTRIES, type Entry, HANDLER, OUTPUT, ROOT } from './entries.ts';

/** The options of every bundle, of a checkout and of the package. */
export const COMMON = {
  absWorkingDir: ROOT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  // Users see the names of errors.
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
  // CommonJS packages load Node's modules with `require`, which an ES module does not have.
  banner: {
    js: "import{createRequire as punctualRequire}from'node:module';const require=punctualRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;

export interface BundleOptions {
  readonly external?: string[];
  /** The folder of custom tasks. Default: `tasks` of the checkout. */
  readonly tasks?: string;
}

/**
 * The AWS SDK is bundled, so that the version is the tested one and not that of the Lambda runtime. It costs about 300 KB
 * zipped and no measurable time (`npm run bench -- cold`). Dynamic imports stay in separate files, which are loaded on
 * first use.
 */
export async function bundle(
  entry: Entry,
  folder: string,
  { external, tasks }: BundleOptions = {},
): Promise<BuildResult<{ metafile: true }>> {
  const result = await build({
    ...COMMON,
    ...(WITH_TASKS.includes(entry)
      ? {
          stdin: { contents: entryWithTasks(ENTRIES[entry], exportOf(entry), tasks), resolveDir: ROOT },
        }
      : { entryPoints: [ENTRIES[entry]] }),
    entryNames: 'index',
    outdir: folder,
    target: 'node24',
    plugins: [...(WITHOUT_RUNS.includes(entry) ? [withoutTaskPackages] : []), namedExports, onlyEnglish],
    external,
  });
  refuseCommonJs(result.metafile);
  await trimSourceMaps(folder);
  await copyAssets(entry, folder);
  if (entry === 'console') copyConsole(await ensureBuild(ROOT), join(folder, CONSOLE_FILES));
  return result;
}

const brotli = promisify(brotliCompress);

/** Returns the files of the packages that were compressed, relative to the folder. Each has the suffix `.br` there. */
export async function copyAssets(entry: Entry, folder: string): Promise<string[]> {
  const assets = ASSETS[entry];
  if (!assets) return [];
  const from = dirname(createRequire(import.meta.url).resolve(`${assets.package}/package.json`));
  await mkdir(join(folder, assets.package), { recursive: true });
  await Promise.all(
    assets.files.map(async (file) =>
      writeFile(join(folder, assets.package, `${file}.br`), await brotli(await readFile(join(from, file)))),
    ),
  );
  return assets.files.map((file) => `${assets.package}/${file}`);
}

/** Removes the packages from the source maps. */
export async function trimSourceMaps(folder: string): Promise<void> {
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
  const [entry = '', folder = '', tasks] = process.argv.slice(2);
  if (!(entry in ENTRIES) || folder === '') {
    console.error(
      `usage: node lib/bundling/bundle.ts <${Object.keys(ENTRIES).join('|')}> <folder> [<tasks folder>]`,
    );
    process.exit(2);
  }
  await bundle(entry as Entry, resolve(folder), { tasks });
}
