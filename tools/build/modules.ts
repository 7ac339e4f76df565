// Builds the modules of `punctual/tasks`, `punctual/cdk` and so on. They are bundled, because the construct shares definitions with
// runtimes that need the AWS SDK, which users of the package shall not have to install.
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { onlyEnglish, withoutTaskPackages } from '../../lib/bundling/bundle-plugins.ts';
import { ALLOWED_PACKAGES, DIST, NODE_SUBPATHS, packageOf, ROOT } from './package-entries.ts';

/** Two folders below `dist`, as `lib/bundling/entries.ts` is in a checkout: code finds `dist/runtime` by its own path. */
export const MODULES = join(DIST, 'lib');

export async function buildModules(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: {
      ...Object.fromEntries(NODE_SUBPATHS.map(([subpath, file]) => [`${subpath}/index`, file])),
      'bundling/bundle-tasks': 'lib/bundling/bundle-tasks.ts',
    },
    outdir: MODULES,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    keepNames: true,
    external: ALLOWED_PACKAGES,
    metafile: true,
    logLevel: 'warning',
    plugins: [withoutTaskPackages, onlyEnglish],
  });
  for (const [file, { imports }] of Object.entries(metafile.outputs)) {
    const foreign = imports.filter(
      ({ path, kind, external }) =>
        external &&
        kind !== 'dynamic-import' &&
        !isBuiltin(path) &&
        !ALLOWED_PACKAGES.includes(packageOf(path)),
    );
    if (foreign.length > 0)
      throw new Error(
        `${file} imports ${foreign.map(({ path }) => path).join(', ')}, which users may not have`,
      );
  }
  return Object.keys(metafile.inputs);
}
