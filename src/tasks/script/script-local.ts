// Runs a script on this machine and waits for its end. The launcher decides whether it is isolated or trusted.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { TaskContext } from '../task.ts';
import type { Script, ScriptEnd } from './script-runner.ts';
import { DEFAULT_LIMITS, type Launch, type Launcher, type Limits } from './script-supervised.ts';

/** The worker abandons a task two seconds after an abort, so the sum of these two must stay below. */
const TERM_GRACE_MS = 1_000;
const KILL_GRACE_MS = 500;
const MAX_OUTPUT_CHARS = 1_000;

type Context = Pick<TaskContext<unknown>, 'signal' | 'executionId' | 'attempt'>;
type Ended = { readonly code: number | null; readonly by: NodeJS.Signals | null } | { readonly error: Error };

export const localScripts = (launcher: Launcher, limits: Limits = DEFAULT_LIMITS) => ({
  async run(script: Script, { signal, executionId, attempt }: Context): Promise<ScriptEnd> {
    signal.throwIfAborted();
    const own = { PUNCTUAL_EXECUTION: executionId, PUNCTUAL_ATTEMPT: String(attempt) };
    const environment = { ...script.environment, ...own };
    const child = startScript(launcher({ ...script, environment }, limits));
    const lifeLine = child.stdio[3] as Writable;
    lifeLine.on('error', () => {}); // The reader may have ended.
    const ended = new Promise<Ended>((resolve) => {
      child.once('error', (error) => resolve({ error }));
      child.once('exit', (code, by) => resolve({ code, by }));
    });
    const kill = async () => {
      lifeLine.destroy();
      await Promise.race([ended, wait(KILL_GRACE_MS)]);
      if (child.exitCode === null && child.signalCode === null) killGroup(child);
    };
    const output = capture(child, limits.outputBytes, kill);
    const stop = async () => {
      lifeLine.write('TERM\n');
      await Promise.race([ended, wait(TERM_GRACE_MS)]);
      await kill();
    };
    signal.addEventListener('abort', stop, { once: true });
    const end = await ended;
    signal.removeEventListener('abort', stop);
    lifeLine.destroy();
    await output.closed();
    signal.throwIfAborted();
    if ('error' in end) throw end.error;
    return {
      ...endOf(end.code, end.by, output.isTooLong() ? limits.outputBytes : undefined),
      ...output.kept(),
    };
  },
});

/** Starts the command of a launch. The life line is a pipe that stays open as long as this process lives. */
export function startScript(launch: Launch, lifeLine: 'pipe' | number = 'pipe'): ChildProcess {
  const [program = '', ...args] = launch.command;
  const { env, cwd, uid, folder } = launch;
  const files: number[] = [];
  try {
    for (const content of launch.files) files.push(unnamedFile(content));
    // `detached` creates a session and a process group. With a uid, Node also drops all supplementary groups.
    const options = { env, cwd, uid, gid: uid, detached: true };
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe', lifeLine, ...files] });
    if (child.pid === undefined && folder !== undefined) rmSync(folder, { recursive: true });
    return child;
  } finally {
    for (const file of files) closeSync(file);
  }
}

const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;

/** The descriptor of an unnamed file in memory, positioned at its beginning. */
function unnamedFile(content: string | Uint8Array): number {
  const file = openSync('/dev/shm', constants.O_RDWR | O_TMPFILE, 0o600);
  const bytes = Buffer.from(content);
  if (writeSync(file, bytes, 0, bytes.length, 0) === bytes.length) return file;
  closeSync(file);
  throw new Error('/dev/shm is full');
}

/** `exceededBytes` is the output limit if the script exceeded it. */
function endOf(code: number | null, by: NodeJS.Signals | null, exceededBytes: number | undefined): ScriptEnd {
  if (exceededBytes !== undefined) return { endedBy: `its output exceeds ${exceededBytes} bytes` };
  if (by !== null) return { endedBy: by };
  // The shell reports a signal as 128 plus its number.
  if (code !== null && code > 128) return { exitCode: code, endedBy: `signal ${code - 128}` };
  return { exitCode: code ?? undefined };
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/** Keeps the beginning of stdout and the end of stderr, where an error stands. Calls `onTooLong` above `maxBytes`. */
function capture(child: ChildProcess, maxBytes: number, onTooLong: () => void) {
  const kept = { stdout: '', stderr: '' };
  let bytes = 0;
  let truncated = false;
  const read = (stream: Readable | null, name: keyof typeof kept) => {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      bytes += Buffer.byteLength(text);
      const all = kept[name] + text;
      truncated ||= all.length > MAX_OUTPUT_CHARS;
      kept[name] = name === 'stdout' ? all.slice(0, MAX_OUTPUT_CHARS) : all.slice(-MAX_OUTPUT_CHARS);
      if (bytes > maxBytes && bytes - Buffer.byteLength(text) <= maxBytes) onTooLong();
    });
  };
  read(child.stdout, 'stdout');
  read(child.stderr, 'stderr');
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    kept: () => ({ ...kept, truncated }),
    isTooLong: () => bytes > maxBytes,
    /** Waits for the end of the output, at most KILL_GRACE_MS: a surviving process may hold it open. */
    closed: async () => {
      await Promise.race([closed, wait(KILL_GRACE_MS)]);
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}
