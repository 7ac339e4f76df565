// One owner per data folder. The lock is a listening socket, which the kernel takes away however its process ends, so a
// killed server leaves nothing behind that the next one would have to judge.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './run.ts';

export interface FolderLock {
  release(): Promise<void>;
}

/** A process that was just killed may still have the address. It is tried again this often, this many times. */
const TRY_EVERY_MS = 50;
const MOST_TRIES = 20;

/** `owner` is what a second one is told, such as "process 123 (npm start)". */
export async function lockFolder(folder: string, owner: string): Promise<FolderLock> {
  const address = addressOf(folder);
  const server = createServer((socket) => socket.on('error', () => {}).end(owner));
  for (let tries = 1; !(await listens(server, address)); tries++) {
    const holder = await ask(address);
    if (holder || tries === MOST_TRIES) {
      throw new StartError(
        `the data folder ${folder} is in use by ${holder || 'a process that does not say its name'}. Stop that one, or set PUNCTUAL_DATA to another folder.`,
      );
    }
    // the holder has ended since: a socket that is a file stays behind, all others go with their process
    if (isFile(address)) rmSync(address, { force: true });
    await sleep(TRY_EVERY_MS);
  }
  server.unref();
  return {
    async release() {
      server.close();
      await once(server, 'close');
    },
  };
}

/** The `owner` of the process that has locked the folder. Undefined: none has, or there is no such folder. */
export const holderOf = async (folder: string): Promise<string | undefined> =>
  existsSync(folder) ? ask(addressOf(folder)) : undefined;

/** On Linux an abstract socket, which has no file; on Windows a pipe; elsewhere a file of the temporary folder. */
function addressOf(folder: string): string {
  const name = `punctual-${createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.lock`);
}

const isFile = (address: string): boolean => process.platform !== 'win32' && !address.startsWith('\0');

/** False: another process has the address. */
async function listens(server: Server, address: string): Promise<boolean> {
  try {
    server.listen(address);
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}

/** What its holder says of itself. Undefined or empty: there is none, or it has just ended. */
async function ask(address: string): Promise<string | undefined> {
  const socket = createConnection(address);
  try {
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return answer;
  } catch {
    return undefined;
  }
}
