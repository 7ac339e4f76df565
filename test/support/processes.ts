// Local mode as a user runs it: real processes on a temporary data folder, called over HTTP. A web server records the
// calls of their tasks.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { signToken, tokenKey } from '../../src/local/tokens.ts';
import { until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
const SYSTEM = { PATH, HOME, NODE_COMPILE_CACHE };

export type Part =
  | 'main'
  | 'aws.main'
  | 'engines.main'
  | 'api.main'
  | 'watcher.main'
  | 'worker.main'
  | 'token.main';

export interface LocalProcess {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
  /** Resolves with the match as soon as the process has printed it. Throws if the process ends without it. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export function startPart(
  part: Part,
  env: Record<string, string>,
  args: readonly string[] = [],
  uid?: number,
): LocalProcess {
  const child = spawn(process.execPath, [join(ROOT, 'src/local', `${part}.ts`), ...args], {
    cwd: ROOT,
    uid,
    gid: uid,
    env: { ...SYSTEM, PUNCTUAL_PORT: '0', ...env },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  let hasExited = false;
  const exited = once(child, 'exit').then(([code]) => {
    hasExited = true;
    return code as number | null;
  });
  return {
    child,
    output: () => text,
    exited,
    printed: (pattern) =>
      until(
        `${part} prints ${pattern}`,
        () => {
          const found = pattern.exec(text);
          if (!found && hasExited) throw new Error(`${part} ended without printing ${pattern}:\n${text}`);
          return found;
        },
        { detail: () => text },
      ),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

export interface Folder {
  readonly path: string;
  remove(): void;
}

export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'punctual-local-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The TCP ports that a process listens on. Linux only. */
export function listeners(pid: number | undefined): number[] {
  const sockets = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return [];
    }
  });
  const LISTEN = '0A';
  return ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/ +/))
      .filter(([, , , state, , , , , , inode]) => state === LISTEN && sockets.includes(`socket:[${inode}]`))
      .map(([, address = '']) => Number.parseInt(address.split(':')[1] ?? '', 16)),
  );
}

/** Starts local mode as one process, and returns a way to call it as a user. `aws.main` runs it on dynoxide and fauxqs. */
export async function startLocal(
  folder: string,
  env: Record<string, string> = {},
  uid?: number,
  part: 'main' | 'aws.main' = 'main',
) {
  const local = startPart(part, { PUNCTUAL_DATA: folder, ...env }, [], uid);
  const [, url = ''] = await local.printed(/listens on (http:\S+)/);
  // a folder of another user is refused, so its user prints the token
  const printedToken = async (user: string) => {
    const printing = startPart('token.main', { PUNCTUAL_DATA: folder }, [user], uid);
    await printing.exited;
    return printing.output().trim();
  };
  return {
    ...local,
    url,
    as: (user: string) => client(url, folder, user, [], uid === undefined ? undefined : printedToken),
  };
}

export function client(
  url: string,
  folder: string,
  user: string,
  groups: readonly string[] = [],
  tokenOf = async (name: string) => signToken(await tokenKey(folder), name, groups),
) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const token = await tokenOf(user);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
}

/** A web server that records the time of every call. */
export async function startTarget() {
  const calls: { at: number; path: string }[] = [];
  const server = createServer((request, response) => {
    calls.push({ at: Date.now(), path: request.url ?? '' });
    request.resume();
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: (path: string) => calls.filter((call) => call.path === path),
    async called(path: string, times: number, withinMs: number): Promise<void> {
      const enough = () => calls.filter((call) => call.path === path).length >= times;
      await until(`${path} is called ${times} times`, enough, { withinMs, everyMs: 10 });
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
