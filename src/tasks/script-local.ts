// Runs a program as a child process of this machine: an empty environment, a folder of its own, limits, and an end that
// takes everything with it that the program has started.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Language } from './script-params.ts';
import type { Script, ScriptEnd, ScriptRunner } from './script-runner.ts';
import {
  DEFAULT_LIMITS,
  type Folder,
  findProgram,
  findSandboxes,
  type Limits,
  type Sandbox,
  type SandboxOptions,
  SEARCH,
} from './script-sandbox.ts';
import { DoNotRetry, type TaskContext } from './task.ts';

export interface LocalScriptOptions extends SandboxOptions {
  readonly limits?: Partial<Limits>;
}

/** The runner of a task is given up two seconds after it was told to stop; by then nothing may run any more. */
const TERM_GRACE_MS = 1_000;
const KEPT_CHARS = 1_000;
/** Mapped as if it were used, before a script has begun. */
const RESERVED_BY_V8 = 768 * 1024 * 1024;

const FILES: Record<Language, string> = { python: 'script.py', node: 'script.js', shell: 'script.sh' };

export function localScripts(options: LocalScriptOptions = {}): ScriptRunner {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  let found: Promise<() => Sandbox> | undefined;
  return {
    async run(script, context) {
      found ??= findSandboxes(options);
      const sandbox = (await found)();
      const folder = await prepareFolder(script, sandbox);
      try {
        context.signal.throwIfAborted();
        return await runIn(sandbox, folder, script, limits, context);
      } finally {
        await removeFolder(folder);
      }
    },
  };
}

function interpreter(language: Language, limits: Limits): string[] {
  if (language === 'node') {
    const heap = Math.max(32, Math.floor(limits.memoryBytes / 1024 / 1024 / 2));
    return [process.execPath, `--max-old-space-size=${heap}`];
  }
  const name = language === 'python' ? 'python3' : 'sh';
  const program = findProgram(name);
  if (program === undefined) throw new DoNotRetry(`there is no ${name} in ${SEARCH.join(', ')}`);
  return [program];
}

/** The source stands beside the home, not in it: the program cannot change what is run. */
async function prepareFolder(script: Script, { uid }: Sandbox): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'punctual-script-'));
  const home = join(path, 'home');
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(path, FILES[script.language]), script.source, { mode: 0o444 });
  if (uid !== undefined) {
    await chown(home, uid, uid);
    await chmod(path, 0o711);
  }
  return { path, home };
}

/** Links are removed, never followed. A folder that its owner has locked is unlocked first. */
async function removeFolder({ path }: Folder): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3, retryDelay: 50 };
  await rm(path, options).catch(async () => {
    spawnSync('chmod', ['-R', 'u+rwx', path], { env: { PATH: SEARCH.join(':') }, timeout: 5_000 });
    await rm(path, options);
  });
}

async function runIn(
  sandbox: Sandbox,
  folder: Folder,
  { language, args, environment }: Script,
  limits: Limits,
  { signal, executionId, attempt }: TaskContext<unknown>,
): Promise<ScriptEnd> {
  const program = [...interpreter(language, limits), join(folder.path, FILES[language]), ...args];
  const alone = sandbox.kind !== 'processes' || sandbox.uid !== undefined;
  const wrapped = sandbox.wrap(program, folder, {
    ...limits,
    processes: alone ? limits.processes : limits.processes + ownProcesses(),
    memoryBytes: limits.memoryBytes + (language === 'node' ? RESERVED_BY_V8 : 0),
  });
  const [command = '', ...rest] = wrapped;
  const child = spawn(command, rest, {
    cwd: folder.home,
    detached: true, // a session and a process group of its own
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environment,
      PATH: SEARCH.join(':'),
      HOME: folder.home,
      TMPDIR: folder.home,
      LANG: 'C.UTF-8',
      PUNCTUAL_EXECUTION: executionId,
      PUNCTUAL_ATTEMPT: String(attempt),
    },
  });
  const output = capture(child, limits.outputBytes, () => killAll(child, sandbox));
  const ended = new Promise<{ code: number | null; by: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) => resolve({ code, by }));
  });
  const stop = () => void terminate(child, sandbox, ended);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const { code, by } = await ended;
    killAll(child, sandbox); // whatever it has left behind
    await output.closed();
    signal.throwIfAborted();
    return { ...how(code, by, output.tooMuch()), ...output.kept() };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function how(code: number | null, by: NodeJS.Signals | null, tooMuch: boolean): ScriptEnd {
  if (tooMuch) return { endedBy: 'it wrote more than it may' };
  if (by !== null) return { endedBy: by };
  // a shell in between tells a signal as 128 and its number
  if (code !== null && code > 128) return { exitCode: code, endedBy: `signal ${code - 128}` };
  return { exitCode: code ?? undefined };
}

async function terminate(child: ChildProcess, sandbox: Sandbox, ended: Promise<unknown>): Promise<void> {
  killGroup(child, 'SIGTERM');
  await Promise.race([ended.catch(() => {}), wait(TERM_GRACE_MS)]);
  killAll(child, sandbox);
}

/** The group; and whoever left it, by the user that nobody else has. In a namespace all go with its first process. */
function killAll(child: ChildProcess, { kind, uid }: Sandbox): void {
  killGroup(child, 'SIGKILL');
  if (kind === 'processes' && uid !== undefined && child.pid !== undefined) {
    const asThem = { uid, gid: uid, env: {}, timeout: 2_000 };
    spawnSync('/bin/sh', ['-c', 'kill -9 -1'], asThem);
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // it has ended
  }
}

/** What our own user runs already counts too, where the program has no user of its own. */
function ownProcesses(): number {
  const { stdout } = spawnSync('ps', ['-u', String(process.getuid?.() ?? 0), '-L', '-o', 'pid='], {
    timeout: 2_000,
  });
  return String(stdout ?? '').split('\n').length + 64;
}

/** The beginning of stdout and the end of stderr: the result first, the reason last. */
function capture(child: ChildProcess, most: number, tooMuch: () => void) {
  const kept = { stdout: '', stderr: '' };
  let bytes = 0;
  let cut = false;
  const read = (stream: Readable | null, name: keyof typeof kept) => {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      bytes += Buffer.byteLength(text);
      const all = kept[name] + text;
      cut ||= all.length > KEPT_CHARS;
      kept[name] = name === 'stdout' ? all.slice(0, KEPT_CHARS) : all.slice(-KEPT_CHARS);
      if (bytes > most && bytes - Buffer.byteLength(text) <= most) tooMuch();
    });
  };
  read(child.stdout, 'stdout');
  read(child.stderr, 'stderr');
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    kept: () => ({ ...kept, truncated: cut }),
    tooMuch: () => bytes > most,
    /** A program that got away may hold its output open: then what has come is enough. */
    closed: async () => {
      await Promise.race([closed, wait(500)]);
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}
