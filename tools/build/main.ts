// `npm run build` writes `dist/`, which the package consists of. `npm pack` and `npm publish` run it. Nothing else does: a checkout
// runs from source.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildClient } from './client.ts';
import { buildConsoleFiles } from './console.ts';
import { emitDeclarations } from './declarations.ts';
import { buildModules } from './modules.ts';
import { writeNotices } from './notices.ts';
import { DIST, NODE_SUBPATHS, ROOT } from './package-entries.ts';
import { buildRuntime } from './runtime.ts';

const USAGE = `usage: npm run build

Writes dist/: the modules that the package exports, their declarations, the bundles of the
Lambda functions, the worker and the command, and the console. The same source gives the same files.`;

async function main(): Promise<void> {
  if (parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values.help)
    return console.log(USAGE);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  rmSync(DIST, { recursive: true, force: true });
  await buildClient();
  const modules = await buildModules();
  emitDeclarations({ from: ROOT, files: NODE_SUBPATHS.map(([, file]) => file), to: join(DIST, 'types') });
  const runtime = await buildRuntime(version);
  const consoleInputs = await buildConsoleFiles();
  const packages = writeNotices([...modules, ...runtime, ...consoleInputs]);
  console.log(`built punctual ${version} in dist/, with code of ${packages} packages`);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
