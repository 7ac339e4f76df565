// The common parts of isolated and trusted scripts: limits, interpreters, and the shell that ends a script with its worker.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { DoNotRetry } from '../task.ts';
import type { Language } from './script-params.ts';
import type { Script } from './script-runner.ts';

export interface Limits {
  /** Limit per process. */
  readonly cpuSeconds: number;
  /** Limit per process. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Limit per file, and of `/tmp` and `/dev/shm` of an isolated script. */
  readonly fileBytes: number;
  /** Limit of stdout and stderr together. A script that exceeds it is killed. */
  readonly outputBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  cpuSeconds: 300,
  memoryBytes: 512 * 1024 * 1024,
  processes: 64,
  fileBytes: 64 * 1024 * 1024,
  outputBytes: 1024 * 1024,
};

/** A command and its environment. Its file descriptor 3 is the life line. */
export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** User and group of the command. Default: those of this process. */
  readonly uid?: number;
  /** The contents of unnamed files, which are the command's file descriptors 4, 5, … */
  readonly files: readonly (string | Uint8Array)[];
  /** The folder that the command deletes at its end. If the command cannot be started, the caller deletes it. */
  readonly folder?: string;
}

export type Launcher = (script: Script, limits: Limits) => Launch;

export const SEARCH = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];

export function findProgram(name: string, folders: readonly string[] = SEARCH): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const FILES: Readonly<Record<Language, string>> = {
  python: 'script.py',
  node: 'script.js',
  shell: 'script.sh',
};

/** The environment variables of a script: the job's, and the constant ones. */
export const variablesOf = (script: Script, home: string): Record<string, string> => ({
  ...script.environment,
  PATH: SEARCH.join(':'),
  HOME: home,
  TMPDIR: home,
  LANG: 'C.UTF-8',
});

/** `node` is the path of Node that the script sees. */
export function interpreter(language: Language, node: string, { memoryBytes }: Limits): string[] {
  if (language === 'node') {
    const heap = Math.max(32, Math.floor(memoryBytes / 1024 / 1024 / 2));
    return [node, `--max-old-space-size=${heap}`];
  }
  const name = language === 'python' ? 'python3' : 'sh';
  const program = findProgram(name);
  if (program === undefined) throw new DoNotRetry(`${name} was not found in ${SEARCH.join(', ')}`);
  return [program];
}

/** Memory that V8 maps before a script starts. */
const RESERVED_BY_V8 = 768 * 1024 * 1024;

/** The option is `-p` in dash and busybox, and `-u` in bash. */
export const limitProcesses = (max: number): string =>
  `ulimit -u ${max} 2>/dev/null || ulimit -p ${max} 2>/dev/null`;

/**
 * A shell that sets the limits and executes the command that follows. RLIMIT_DATA counts private writable memory. Shared
 * mappings do not count in it, so the address space is limited to twice that. `nice` gives the worker priority.
 */
export function limited(limits: Limits, language: Language, more = ':'): string[] {
  const kilobytes = (limits.memoryBytes + (language === 'node' ? RESERVED_BY_V8 : 0)) / 1024;
  const sizes = [
    '-c 0',
    '-n 256',
    `-t ${limits.cpuSeconds}`,
    `-f ${Math.floor(limits.fileBytes / 512)}`,
    `-d ${Math.floor(kilobytes)}`,
    `-v ${Math.floor(kilobytes * 2)}`,
  ];
  const lines = [...sizes.map((size) => `ulimit ${size} 2>/dev/null`), more, 'exec nice -n 10 "$@"'];
  return ['/bin/sh', '-c', lines.join('\n'), 'sh'];
}

/**
 * A shell that runs the command that follows. It sends the signals that the worker writes to the life line to the process group.
 * If the life line is closed, it runs `killAll`, possibly before the command has started. The kernel closes the life line if
 * the worker is killed.
 */
export const supervised = (killAll: string, before = ':'): string[] => [
  '/bin/sh',
  '-c',
  `${before}
trap "exit 143" TERM
(trap "" TERM; while read -r signal; do kill -"$signal" 0; done; ${killAll}) <&3 &
exec 3<&-
"$@"`,
  'sh',
];
