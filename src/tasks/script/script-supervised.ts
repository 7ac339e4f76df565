// The parts that isolated and trusted scripts share: limits, interpreters, and the shell that ends a script with its worker.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { DoNotRetry } from '../task.ts';
import type { Language } from './script-params.ts';
import type { Script } from './script-runner.ts';

export interface Limits {
  /** Of each process. */
  readonly cpuSeconds: number;
  /** Of each process. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of each file, and of `/tmp` and `/dev/shm` of an isolated script. */
  readonly fileBytes: number;
  /** Stdout and stderr together; a program that writes more is ended. */
  readonly outputBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  cpuSeconds: 300,
  memoryBytes: 512 * 1024 * 1024,
  processes: 64,
  fileBytes: 64 * 1024 * 1024,
  outputBytes: 1024 * 1024,
};

/** A command and its surroundings. Its file descriptor 3 is the life line. */
export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Another user and group than those of this process. */
  readonly uid?: number;
  /** The contents of files without a name, which the command gets as its file descriptors 4, 5, … */
  readonly files: readonly (string | Uint8Array)[];
  /** The folder that the command removes at its end. If the command cannot be started, the caller removes it. */
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

/** The variables of a script: the job's, and those that are the same for every script. */
export const variablesOf = (script: Script, home: string): Record<string, string> => ({
  ...script.environment,
  PATH: SEARCH.join(':'),
  HOME: home,
  TMPDIR: home,
  LANG: 'C.UTF-8',
});

/** `node` is where Node is for the script. */
export function interpreter(language: Language, node: string, { memoryBytes }: Limits): string[] {
  if (language === 'node') {
    const heap = Math.max(32, Math.floor(memoryBytes / 1024 / 1024 / 2));
    return [node, `--max-old-space-size=${heap}`];
  }
  const name = language === 'python' ? 'python3' : 'sh';
  const program = findProgram(name);
  if (program === undefined) throw new DoNotRetry(`there is no ${name} in ${SEARCH.join(', ')}`);
  return [program];
}

/** V8 maps this much before a script has begun. */
const RESERVED_BY_V8 = 768 * 1024 * 1024;

/** In dash and busybox the option is `-p`, in bash `-u`. */
export const limitProcesses = (most: number): string =>
  `ulimit -u ${most} 2>/dev/null || ulimit -p ${most} 2>/dev/null`;

/**
 * Sets the limits and becomes the command that follows. RLIMIT_DATA counts what is private and writable; the address space
 * is limited to twice that, because shared mappings do not count in RLIMIT_DATA. `nice` gives the worker precedence.
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
 * Runs the command that follows. The worker writes names of signals to the life line, and the process group gets them. When
 * the life line is closed, `killAll` runs; the command may not have started then. The kernel closes it if the worker is killed.
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
