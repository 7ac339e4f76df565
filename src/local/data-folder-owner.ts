// The data folder. One process owns it at a time.
import { join } from 'node:path';
import type { LocalConfig } from './config.ts';
import { holderOf, lockFolder } from './lock.ts';
import { makePrivateFolder } from './private-folder.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';
import { StartError } from './start-error.ts';

/** The command of an embedded server. The lock file names it. */
export const EMBEDDED_COMMAND = 'npm start';

/** The file with the tables of `npm run start:aws`. */
export const tablesFile = (dataFolder: string): string => join(dataFolder, 'tables.db');

/** The database of an embedded server. */
export const databaseFile = (dataFolder: string): string => join(dataFolder, 'punctual.db');

/** Makes this process the only owner of the data folder. */
export function ownDataFolder(
  { dataFolder }: LocalConfig,
  lifecycle: ProcessLifecycle,
  command: string,
): void {
  makePrivateFolder(dataFolder);
  const lock = lockFolder(dataFolder, `process ${process.pid} (${command})`);
  lifecycle.defer(() => lock.release());
}

/** Throws StartError if an embedded server owns the data folder, because it has no engines for other processes. */
export function refuseEmbeddedOwner(dataFolder: string): void {
  const holder = holderOf(dataFolder);
  if (!holder?.endsWith(`(${EMBEDDED_COMMAND})`)) return;
  throw new StartError(
    `the data folder ${dataFolder} is in use by ${holder}, which has no engines for other processes. ` +
      'Stop it and run `npm run start:aws` instead, or set PUNCTUAL_DATA to another folder.',
  );
}
