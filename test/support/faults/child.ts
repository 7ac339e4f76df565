// A process that a test has started. It reports when it is ready, and can be killed, frozen and stopped.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly workerId: string;
  readonly url: string;
  /** The last lines of its log. */
  readonly log: readonly string[];
  readonly exited: boolean;
  /** Sends SIGKILL, and returns when the process has ended. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM, and returns the exit code. */
  end(): Promise<number | null>;
}

/** The compile cache halves the start time of a process. */
const COMPILED = fileURLToPath(new URL('../../../node_modules/.cache/punctual-tests', import.meta.url));
const MAX_LINES = 200;
const START_TIMEOUT_MS = 30_000;

export async function startChild(name: string, script: string, args: readonly string[]): Promise<Child> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
  });
  const log: string[] = [];
  const gone = exitOf(child);
  child.stdin.on('error', () => {});
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line);
    if (log.length > MAX_LINES) log.shift();
  });
  const up = Promise.withResolvers<{ pid: number; workerId?: string; url?: string }>();
  createInterface({ input: child.stdout }).once('line', (line) => up.resolve(JSON.parse(line)));
  void gone.then((how) => up.reject(new Error(`${name} ended (${how}) before it was up: ${log.join('\n')}`)));
  const timer = setTimeout(() => up.reject(new Error(`${name} does not come up`)), START_TIMEOUT_MS);
  const ready = await up.promise.finally(() => clearTimeout(timer));
  return {
    name,
    pid: ready.pid,
    workerId: ready.workerId ?? '',
    url: ready.url ?? '',
    log,
    get exited() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    signal: (signal) => void child.kill(signal),
    async end() {
      child.kill('SIGTERM');
      await gone;
      return child.exitCode;
    },
  };
}

async function exitOf(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return String(child.signalCode ?? child.exitCode);
}
