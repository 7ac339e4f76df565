// Runs scripts isolated by bwrap. A script sees the system's programs, read-only, and its own /tmp and /dev/shm. It has no
// network and sees no other process. The job's data reaches bwrap through unnamed files: no other program can read them, and
// nothing is left if this process is killed.
import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DoNotRetry } from '../task.ts';
import {
  FILES,
  findProgram,
  interpreter,
  type Launcher,
  limited,
  limitProcesses,
  SEARCH,
  supervised,
  variablesOf,
} from './script-supervised.ts';

/** The folders of this machine that a script can read. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];
/** The path of Node inside the sandbox. */
const NODE = '/opt/punctual/node';

/** First of the user ids for scripts, above the ids that systems assign to users, services and containers. */
const FIRST_UID = 1_500_000_000;
const UIDS = 500_000_000;

/** In the sandbox, the shell is process 1. Outside it must not run, because its `kill -1` would reach every process. */
const ONLY_INSIDE = '[ $$ = 1 ] || { echo "bwrap did not isolate the script" >&2; exit 1; }';

/**
 * Kills every process of the sandbox except process 1 and this shell. Process 1 ends with its command, and all others end with
 * it. The loop covers a command that has not started yet.
 */
const KILL_ALL = 'while :; do kill -KILL -1; done 2>/dev/null';

export const isolated =
  (bwrap: string): Launcher =>
  (script, limits) => {
    const { language, source, args } = script;
    // The limit of processes does not apply to root, so each run as root has a user id that no other program has.
    const uid = process.getuid?.() === 0 ? FIRST_UID + randomInt(UIDS) : undefined;
    const node = uid === undefined || isOpenToAll(process.execPath) ? process.execPath : findProgram('node');
    if (language === 'node' && node === undefined) {
      throw new DoNotRetry(
        `Node scripts need a Node that every user may execute; ${process.execPath} is in a folder of root, and none is in ${SEARCH.join(', ')}`,
      );
    }
    const processes = limitProcesses(limits.processes);
    const file = `/opt/punctual/${FILES[language]}`;
    const size = ['--size', String(limits.fileBytes)];
    const options = [
      ['--unshare-all', '--unshare-user', '--disable-userns', '--hostname', 'script', '--cap-drop', 'ALL'],
      ['--die-with-parent', '--new-session', '--as-pid-1', '--seccomp', '6'],
      ...SYSTEM.map((folder) => ['--ro-bind-try', folder, folder]),
      ['--ro-bind-data', '5', file, ...(node === undefined ? [] : ['--ro-bind', node, NODE])],
      ['--proc', '/proc', '--dev', '/dev', ...size, '--tmpfs', '/dev/shm', ...size, '--tmpfs', '/tmp'],
      // bwrap cannot limit the size of these two tmpfs, so they are read-only.
      ['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/tmp', '--clearenv'],
      ...Object.entries(variablesOf(script, '/tmp')).map(([name, value]) => ['--setenv', name, value]),
    ];
    return {
      command: [
        ...limited(limits, language, uid === undefined ? ':' : processes),
        ...[bwrap, '--args', '4', '--'],
        // Inside the sandbox the kernel counts its processes only. Outside it counts all processes of the user.
        ...supervised(KILL_ALL, `${ONLY_INSIDE}\n${uid === undefined ? processes : ':'}`),
        ...interpreter(language, NODE, limits),
        ...[file, ...args],
      ],
      // Programs outside the sandbox get no variable of the job.
      env: {},
      cwd: '/',
      uid,
      files: [options.flat().join('\0'), source, withoutKeyrings()],
    };
  };

/** True if every user may execute this program. */
const isOpenToAll = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === '/' || isOpenToAll(dirname(path)));

/** For each architecture: its seccomp number, and the numbers of add_key, request_key and keyctl. */
const KEYRING_CALLS: Readonly<Record<string, readonly [number, ...number[]]>> = {
  x64: [0xc000003e, 248, 249, 250],
  arm64: [0xc00000b7, 217, 218, 219],
};
const ENOSYS = 38;
/** The first call number of the x32 ABI, whose calls are refused too. */
const X32 = 0x40000000;

/**
 * The seccomp filter that refuses keyring calls. Namespaces do not isolate the session keyring: a script would share it with
 * the worker and with every other script.
 */
function withoutKeyrings(): Buffer {
  const [architecture, ...calls] = KEYRING_CALLS[process.arch] ?? [];
  if (architecture === undefined)
    throw new Error(`isolation of scripts does not support the architecture ${process.arch}`);
  const [load, equal, atLeast, ret] = [0x20, 0x15, 0x35, 0x06];
  const program = [
    [load, 0, 0, 4],
    [equal, 1, 0, architecture],
    [ret, 0, 0, 0x80000000], // kills the process
    [load, 0, 0, 0],
    [atLeast, calls.length + 1, 0, X32],
    ...calls.map((call, index) => [equal, calls.length - index, 0, call]),
    [ret, 0, 0, 0x7fff0000], // allows the call
    [ret, 0, 0, 0x00050000 | ENOSYS],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code = 0, whenTrue = 0, whenFalse = 0, value = 0], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
