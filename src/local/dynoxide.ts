// Starts dynoxide, the DynamoDB API on SQLite. It is a binary of an npm package, and runs as a child process that ends with
// its parent.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Log } from '../scheduling/context.ts';

export interface DynoxideOptions {
  /** Undefined: a free port. */
  readonly port?: number;
  /** The SQLite file. Undefined if the tables are in memory. */
  readonly dataPath?: string;
  readonly log?: Log;
}

export interface RunningDynoxide {
  readonly endpoint: string;
  readonly pid: number;
  /** Resolves when the process has ended, with a clause for the message, such as "ended with code 1.". */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 2_000;
const MAX_PORTS_TRIED = 3;

/**
 * The shell starts a guard that reads the pipe from the parent, then becomes dynoxide by `exec`, so it keeps its pid. The kernel
 * closes the pipe however the parent ends, also by kill -9. Then the guard kills dynoxide. This is plain POSIX and works on
 * macOS too, which has no `prctl(PR_SET_PDEATHSIG)`.
 */
export const DIE_WITH_PARENT = `exec 3<&0
(cat <&3 >/dev/null; kill -9 $$) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/** Returns when dynoxide answers. Without a given port it tries three, because another process may take a free port first. */
export async function startDynoxide(options: DynoxideOptions = {}): Promise<RunningDynoxide> {
  const binary = findBinary();
  if (options.port !== undefined) return start(binary, options.port, options);
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(binary, await freePort(), options);
    } catch (error) {
      if (attempt === MAX_PORTS_TRIED) throw error;
    }
  }
}

async function start(
  binary: string,
  port: number,
  { dataPath, log }: DynoxideOptions,
): Promise<RunningDynoxide> {
  const args = ['serve', '--host', '127.0.0.1', '--port', String(port)];
  if (dataPath !== undefined) args.push('--db-path', dataPath);
  // a process group of its own: Ctrl-C must reach only the parent, which needs its tables while it drains
  const child = spawn('/bin/sh', ['-c', DIE_WITH_PARENT, 'dynoxide', binary, ...args], { detached: true });
  const output: string[] = [];
  const ended = watch(child, output, log);
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = () => stopChild(child, ended);
  const failed = ended.then((how) => {
    throw new Error(`dynoxide did not start on port ${port}: ${how} ${output.join(' ')}`.trim());
  });
  failed.catch(() => {}); // after the start, `ended` reports the end
  try {
    await Promise.race([failed, answers(endpoint)]);
  } catch (error) {
    await stop();
    throw error;
  }
  if (child.pid === undefined) throw new Error('dynoxide has no process id');
  log?.debug('dynoxide started', { endpoint, pid: child.pid, dataPath: dataPath ?? 'in memory' });
  return { endpoint, pid: child.pid, ended, stop };
}

function findBinary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'dynoxide');
  } catch (cause) {
    throw new Error(
      `the package ${name} is not installed. dynoxide may not support this platform. ` +
        'Use `npm start`, which does not need it, or set AWS_ENDPOINT_URL to another DynamoDB endpoint, such as LocalStack.',
      { cause },
    );
  }
}

function watch(child: ChildProcess, output: string[], log: Log | undefined): Promise<string> {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      if (output.length < 20) output.push(line);
      if (line) log?.debug('dynoxide output', { line });
    });
  }
  child.stdin?.on('error', () => {}); // nothing is written to it; EPIPE only means that the child has ended
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run (${error.message}).`));
    child.once('exit', (code, signal) => {
      child.stdin?.destroy(); // ends the guard
      resolve(`ended with ${signal ?? `code ${code}`}.`);
    });
  });
}

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

async function answers(endpoint: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await (await fetch(endpoint, { signal: AbortSignal.timeout(1_000) })).arrayBuffer();
      return;
    } catch (cause) {
      if (performance.now() > deadline) throw new Error(`dynoxide does not answer at ${endpoint}`, { cause });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
