// Which process owns the data folder. One process does at a time.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalConfig } from './config.ts';
import { holderOf, lockFolder } from './lock.ts';
import { type Running, StartError } from './run.ts';

/** The command of an embedded server, as the lock names it. */
export const EMBEDDED_COMMAND = 'npm start';

/** The tables of `npm run start:aws`. */
export const tablesFile = (dataFolder: string): string => join(dataFolder, 'tables.db');

/** The database of an embedded server. */
export const databaseFile = (dataFolder: string): string => join(dataFolder, 'punctual.db');

/** Makes this process the only owner of the data folder. */
export function ownDataFolder({ dataFolder }: LocalConfig, running: Running, command: string): void {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new StartError(
      `the data folder ${dataFolder} cannot be made: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
  const lock = lockFolder(dataFolder, `process ${process.pid} (${command})`);
  running.defer(() => lock.release());
}

/** An embedded server has no engines that another process could use. */
export function refuseBesideEmbedded(dataFolder: string): void {
  const holder = holderOf(dataFolder);
  if (!holder?.endsWith(`(${EMBEDDED_COMMAND})`)) return;
  throw new StartError(
    `the data folder ${dataFolder} is in use by ${holder}, which runs everything in one process and has no engines for others. ` +
      'For several processes stop it and run `npm run start:aws`, or set PUNCTUAL_DATA to another folder.',
  );
}
