// The programs of the image of compose.yaml: the worker as it is deployed, and the programs of local mode that AWS has functions for.
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from '../../console/build/build-console.ts';
import { bundle, COMMON, copyAssets, ROOT, trimSourceMaps } from '../../lib/bundling/bundle.ts';
import { onlyEnglish } from '../../lib/bundling/bundle-plugins.ts';
import { namedExports, refuseCommonJs } from '../../lib/bundling/commonjs-interop.ts';
import { entryWithTasks } from '../../lib/bundling/custom-tasks.ts';

/** The programs by their folders. compose.yaml starts `node api/index.mjs` and so on. */
export const LOCAL_PROGRAMS = {
  api: 'src/local/api.main.ts',
  watcher: 'src/local/watcher.main.ts',
  notifier: 'src/local/notifier.main.ts',
  token: 'src/local/token.main.ts',
} as const;

export async function writeImageFolder(app: string): Promise<void> {
  await bundle('worker', app);
  for (const [program, file] of Object.entries(LOCAL_PROGRAMS)) {
    const outdir = join(app, program);
    const { metafile } = await build({
      ...COMMON,
      stdin: { contents: entryWithTasks(file, undefined), resolveDir: ROOT },
      entryNames: 'index',
      outdir,
      target: 'node24',
      plugins: [namedExports, onlyEnglish],
    });
    refuseCommonJs(metafile);
    await trimSourceMaps(outdir);
  }
  // The API serves these files: its page, and the console (src/local/console.ts).
  await copyAssets('query', join(app, 'api'));
  await buildConsole(join(app, 'console'));
}
