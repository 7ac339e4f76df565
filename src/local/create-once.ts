// Creates a file of the data folder with a secret, unless it exists.
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';
import { StartError } from './start-error.ts';

/** If two processes create the file at once, `link` succeeds for one, and both read that file. */
export function createOnce(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  makePrivateFolder(dirname(file));
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    linkSync(draft, file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw new StartError(`${file} cannot be created: ${error instanceof Error ? error.message : error}`);
  } finally {
    rmSync(draft, { force: true });
  }
}
