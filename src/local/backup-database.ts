// Backup and restore of the database of an embedded server (docs/decisions/0034-backup.md).
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkDatabase, copyDatabase } from '../store/sqlite/backup.ts';
import { StoreFault } from '../store/sqlite/faults.ts';
import { databaseFile, tablesFile } from './data-folder-owner.ts';
import { SECRETS, SIGNING_KEYS } from './key-files.ts';
import { lockFolder } from './lock.ts';
import { makePrivateFolder } from './private-folder.ts';
import { StartError } from './start-error.ts';
import { TOKEN_KEY } from './tokens.ts';

/** Files of the data folder that no backup contains. */
const KEY_FILES = [TOKEN_KEY, SIGNING_KEYS, SECRETS];

export interface BackedUp {
  readonly file: string;
  readonly jobs: number;
  readonly bytes: number;
  /** The key files of the folder, which the backup does not contain. */
  readonly leftOut: readonly string[];
}

/** Copies the database into a new file. A server may run on the folder. */
export async function backUp(dataFolder: string, file: string): Promise<BackedUp> {
  const database = databaseFile(dataFolder);
  if (!existsSync(database)) throw new StartError(nothingIn(dataFolder));
  refuseExisting(file);
  if (!existsSync(dirname(file)))
    throw new StartError(`the folder of ${file} does not exist. Create it first.`);
  return asStartErrors(() =>
    withDraft(file, async (draft) => {
      const { jobs } = await copyDatabase(database, draft);
      publishDraft(draft, file);
      const leftOut = KEY_FILES.filter((name) => existsSync(join(dataFolder, name)));
      return { file, jobs, bytes: statSync(file).size, leftOut };
    }),
  );
}

export interface Restored {
  readonly file: string;
  readonly jobs: number;
  /** Key files that the folder does not have. */
  readonly missing: readonly string[];
}

/** Makes a backup the database of a folder that has none. No server may run on the folder. */
export async function restore(dataFolder: string, file: string): Promise<Restored> {
  if (!existsSync(file)) throw new StartError(`there is no file ${file}.`);
  await asStartErrors(() => checkDatabase(file));
  makePrivateFolder(dataFolder);
  const lock = lockFolder(dataFolder, `process ${process.pid} (punctual restore)`);
  try {
    const database = databaseFile(dataFolder);
    // SQLite would apply a -wal file of another database
    for (const path of [database, `${database}-wal`, `${database}-shm`]) refuseExistingDatabase(path);
    return await asStartErrors(() =>
      withDraft(database, async (draft) => {
        const { jobs } = await copyDatabase(file, draft);
        publishDraft(draft, database);
        const missing = KEY_FILES.filter((name) => !existsSync(join(dataFolder, name)));
        return { file: database, jobs, missing };
      }),
    );
  } finally {
    lock.release();
  }
}

function nothingIn(dataFolder: string): string {
  const tables = existsSync(tablesFile(dataFolder))
    ? ` ${tablesFile(dataFolder)} belongs to \`npm run start:aws\`: stop it, and copy that file.`
    : '';
  return `there is no database ${databaseFile(dataFolder)}. Name the data folder with --data or PUNCTUAL_DATA.${tables}`;
}

function refuseExisting(file: string): void {
  if (existsSync(file))
    throw new StartError(`${file} exists already, and is not overwritten. Name a new file.`);
}

function refuseExistingDatabase(path: string): void {
  if (existsSync(path))
    throw new StartError(
      `${path} exists already, and is not overwritten. Move it away together with its -wal and -shm files, or name another data folder with --data.`,
    );
}

/** Writes to a draft in the same folder, so that the file appears complete or not at all. */
async function withDraft<T>(file: string, work: (draft: string) => Promise<T>): Promise<T> {
  const draft = `${file}.${process.pid}.part`;
  try {
    return await work(draft);
  } finally {
    for (const path of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`])
      rmSync(path, { force: true });
  }
}

/** A link never overwrites. On a file system without links, a second check and a rename replace it. */
function publishDraft(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch {
    refuseExisting(file);
    renameSync(draft, file);
  }
  // flushes the folder, so that the file's name survives a power failure; Windows cannot do that
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Turns faults of files into errors that are printed without a stack. */
async function asStartErrors<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreFault) throw new StartError(sentenceOf(error));
    if (error instanceof Error && 'syscall' in error) throw new StartError(`${error.message}.`);
    throw error;
  }
}

function sentenceOf({ kind, file, detail, message }: StoreFault): string {
  if (kind === 'foreign') return `${file} is not a database of Punctual.`;
  if (kind === 'newer') return `${file} was written by a newer version (${detail}). Use that version.`;
  if (kind === 'damaged') return `${file} is damaged (${detail}).`;
  if (kind === 'full') return `the disk of ${file} is full. Free some space and try again.`;
  return message;
}
