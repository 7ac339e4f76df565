// What stands around a program on this machine: the commands that take its rights, its sight and its resources away
// before it begins. Which of them are there is found out by trying; docs/tasks.md says what each leaves open.
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Limits {
  readonly cpuSeconds: number;
  /** Of each process. */
  readonly memoryBytes: number;
  readonly processes: number;
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

/**
 * `bwrap`: sees only the system's programs and its own folder, no network, no other processes.
 * `namespaces`: no network and no other processes; files by their permissions.
 * `processes`: limits and a process group only.
 */
export type SandboxKind = 'bwrap' | 'namespaces' | 'processes';

export interface Sandbox {
  readonly kind: SandboxKind;
  /** Another user than ours, when we are root: a fresh one for each run, so that nothing is shared with another. */
  readonly uid: number | undefined;
  wrap(program: readonly string[], folder: Folder, limits: Limits): string[];
}

export interface Folder {
  readonly path: string;
  readonly home: string;
}

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

export interface SandboxOptions {
  /** The strongest that may be used; default: the strongest that works. */
  readonly strongest?: SandboxKind;
  readonly folders?: readonly string[];
}

/** The strongest that works here. A new one for each run: it has a user of its own. */
export async function findSandboxes({
  strongest = 'bwrap',
  folders = SEARCH,
}: SandboxOptions = {}): Promise<() => Sandbox> {
  const tools: Tools = {
    bwrap: findProgram('bwrap', folders),
    unshare: findProgram('unshare', folders),
    setpriv: findProgram('setpriv', folders),
    prlimit: findProgram('prlimit', folders),
  };
  const kinds: SandboxKind[] = ['bwrap', 'namespaces', 'processes'];
  for (const kind of kinds.slice(kinds.indexOf(strongest))) {
    const make = () => sandbox(kind, tools);
    if (await works(make(), tools)) return make;
  }
  throw new Error(
    'no program can be started here without the rights of this process: as root, setpriv is needed',
  );
}

interface Tools {
  readonly bwrap: string | undefined;
  readonly unshare: string | undefined;
  readonly setpriv: string | undefined;
  readonly prlimit: string | undefined;
}

async function works({ kind, wrap }: Sandbox, tools: Tools): Promise<boolean> {
  if (kind === 'bwrap' && !tools.bwrap) return false;
  if (kind === 'namespaces' && !tools.unshare) return false;
  // as root the limit of processes does not apply, and every file is readable: not without another user
  if (process.getuid?.() === 0 && !tools.setpriv) return false;
  const [command = '', ...args] = wrap(['/bin/sh', '-c', 'exit 7'], { path: '/', home: '/' }, DEFAULT_LIMITS);
  return run(command, args, { env: {}, cwd: '/', timeout: 5_000 }).then(
    () => false,
    (error: { code?: unknown }) => error.code === 7,
  );
}

/** Far above those that a system gives to people and services, and above the ranges of containers. */
const FIRST_UID = 1_500_000_000;
const UIDS = 500_000_000;

function sandbox(kind: SandboxKind, tools: Tools): Sandbox {
  const uid = process.getuid?.() === 0 ? FIRST_UID + randomInt(UIDS) : undefined;
  const asOther = uid === undefined ? [] : otherUser(tools.setpriv ?? 'setpriv', uid);
  return {
    kind,
    uid,
    wrap(program, folder, limits) {
      const inside = [...limited(tools, limits), ...program];
      // pid 1 of a namespace is deaf to signals that it does not handle: a shell is, so that the program is not
      const init = ['/bin/sh', '-c', '"$@"; exit $?', 'sh'];
      if (kind === 'bwrap')
        return [...asOther, ...bubble(tools.bwrap ?? '', folder, program[0] ?? ''), ...inside];
      if (kind === 'processes') return [...asOther, ...inside];
      // root makes the namespaces first and becomes somebody else inside them; anybody else needs one of users
      const namespaces = [
        tools.unshare ?? '',
        '--pid',
        '--fork',
        '--kill-child=SIGKILL',
        '--net',
        '--ipc',
        '--mount-proc',
      ];
      if (uid === undefined) return [...namespaces, '--user', '--map-current-user', '--', ...init, ...inside];
      return [...dieWithUs(tools), ...namespaces, '--', ...asOther, ...init, ...inside];
    },
  };
}

/** Should the worker be killed, its programs do not stay behind. */
const dieWithUs = ({ setpriv = 'setpriv' }: Tools): string[] => [setpriv, '--pdeathsig', 'KILL', '--'];

const otherUser = (setpriv: string, uid: number): string[] => [
  setpriv,
  `--reuid=${uid}`,
  `--regid=${uid}`,
  '--clear-groups',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--no-new-privs',
  '--pdeathsig',
  'KILL',
  '--',
];

/** Only the system's programs, the interpreter and the run's own folder are there at all. */
function bubble(bwrap: string, { path, home }: Folder, interpreter: string): string[] {
  const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];
  const own = path === '/' ? [] : ['--ro-bind', path, path, '--bind', home, home];
  return [
    bwrap,
    '--unshare-all',
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...system.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...(interpreter.startsWith('/usr/') ? [] : ['--ro-bind-try', dirname(interpreter), dirname(interpreter)]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    String(DEFAULT_LIMITS.fileBytes),
    '--tmpfs',
    '/tmp',
    ...own,
    '--chdir',
    home,
    '--',
  ];
}

/**
 * Memory is limited by RLIMIT_DATA, which counts what is private and writable; and by the address space, more widely,
 * because shared mappings do not count there.
 */
function limited({ prlimit }: Tools, limits: Limits): string[] {
  const { cpuSeconds, memoryBytes, processes, fileBytes } = limits;
  if (prlimit) {
    return [
      prlimit,
      `--cpu=${cpuSeconds}`,
      `--data=${memoryBytes}`,
      `--as=${memoryBytes * 2}`,
      `--nproc=${processes}`,
      `--fsize=${fileBytes}`,
      '--nofile=256',
      '--core=0',
      '--',
    ];
  }
  // where util-linux is not: what every shell can
  const ulimits = `ulimit -c 0; ulimit -t ${cpuSeconds}; ulimit -f ${Math.ceil(fileBytes / 512)}; ulimit -n 256; ulimit -d ${Math.ceil(memoryBytes / 1024)}; ulimit -v ${Math.ceil(memoryBytes / 512)}`;
  return ['/bin/sh', '-c', `{ ${ulimits}; } 2>/dev/null; exec "$@"`, 'sh'];
}
