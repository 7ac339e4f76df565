// Builds `dist/console`: the page of the console and its compressed assets.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from '../../console/build/build-console.ts';
import { copyConsole } from '../../lib/bundling/copy-console.ts';
import { CONSOLE_FILES } from '../../lib/bundling/entries.ts';
import { DIST } from './package-entries.ts';

/** Returns the files that were bundled, relative to the checkout. */
export async function buildConsoleFiles(): Promise<readonly string[]> {
  // The name may be part of hashes, so it is always the same.
  const folder = join(DIST, '.console');
  try {
    const { inputs } = await buildConsole(folder);
    copyConsole(folder, join(DIST, CONSOLE_FILES));
    return inputs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
