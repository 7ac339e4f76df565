// One owner per data folder. The lock is a listening socket, which the kernel takes away however its process ends, so a
// killed server leaves nothing behind that the next one would have to judge.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, realpathSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from './run.ts';

export interface FolderLock {
  release(): Promise<void>;
}

/** `owner` is what a second one is told, such as "process 123 (npm start)". */
export async function lockFolder(folder: string, owner: string): Promise<FolderLock> {
  const address = addressOf(folder);
  const server = createServer((socket) => socket.on('error', () => {}).end(owner));
  try {
    await listen(server, address);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    const holder = await ask(address);
    if (holder !== undefined) {
      throw new StartError(
        `the data folder ${folder} is in use by ${holder}. Stop that one, or set PUNCTUAL_DATA to another folder.`,
      );
    }
    // only where the address is a file: nobody listens, so it was left behind by a process that was killed
    unlinkSync(address);
    await listen(server, address);
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

async function listen(server: Server, address: string): Promise<void> {
  server.listen(address);
  await once(server, 'listening');
}

/** What its holder says of itself; undefined when there is none. */
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
