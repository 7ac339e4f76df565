// The data folder has the keys that sign tokens, so nobody but its owner may read or write it.
import { chmodSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import { StartError } from './start-error.ts';

const OTHERS = 0o077;
const PRIVATE = 0o700;

/**
 * Makes the folder with mode 0700 if it is missing. An empty folder of this user gets that mode. Another folder that others may
 * read or write is refused, because they may know its keys already. Of a symbolic link, the folder it leads to counts.
 */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE });
  } catch (cause) {
    throw new StartError(
      `the data folder ${folder} cannot be created: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
  requirePrivateFolder(folder);
}

/** Has no effect if there is no such folder, and on Windows, where folders have no modes. */
export function requirePrivateFolder(folder: string, uid = process.getuid?.()): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (uid === undefined || !stats?.isDirectory()) return;
  if (stats.uid !== uid && stats.uid !== 0)
    throw new StartError(
      `the data folder ${folder} belongs to user id ${stats.uid}, who may read and replace its keys, and this process runs as user id ${uid}. ` +
        `Run it as that user, or run \`sudo chown -R ${uid} ${quoted(folder)}\`, or set PUNCTUAL_DATA to another folder.`,
    );
  if ((stats.mode & OTHERS) === 0) return;
  if (stats.uid === uid && readdirSync(folder).length === 0) {
    chmodSync(folder, PRIVATE);
    return;
  }
  throw new StartError(
    `other users may ${whatOthersMay(stats)} the data folder ${folder} (mode ${modeText(stats)}), which has the keys of all tokens. ` +
      `Run \`chmod 700 ${quoted(folder)}\`, or set PUNCTUAL_DATA to a folder of its own.`,
  );
}

const whatOthersMay = ({ mode }: Stats): string =>
  [mode & 0o044 && 'read', mode & 0o022 && 'write', mode & 0o011 && !(mode & 0o066) && 'enter']
    .filter(Boolean)
    .join(' and ');

const modeText = ({ mode }: Stats): string => (mode & 0o7777).toString(8).padStart(4, '0');

/** For a shell. */
const quoted = (path: string): string =>
  /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
