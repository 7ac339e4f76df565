// Starts a program of an image as a container runtime does: on a read-only file system with a /tmp of its own, as an unprivileged user.
// It gets the image's variables, and none of this process but PATH. It needs root. The network is that of this machine.
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { Cleanup } from '../deploy/cleanup.ts';
import { drainProcess, endProcess } from '../deploy/process-group.ts';
import type { ImageConfig } from './buildah.ts';

/** The id of the image's user. The base image has no other unprivileged user. */
export const USER_ID = 1000;

/** $1 is the root folder, $2 the working directory. The process keeps its id, so signals reach the program itself. */
const ENTER = `
set -e
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
mount --rbind /dev "$1/dev"
mount --rbind /proc "$1/proc"
root=$1 folder=$2
shift 2
exec chroot --userspec=${USER_ID}:${USER_ID} "$root" sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
`;

export interface Container {
  readonly pid: number;
  output(): string;
  /** Undefined while it runs. */
  exitCode(): number | undefined;
  /** Runs a program beside the container's own, and resolves with its output. */
  exec(...command: string[]): Promise<string>;
  /** Sends SIGTERM, and resolves with the exit code. */
  stop(): Promise<number | null>;
}

export function startContainer(
  root: string,
  { Env, Cmd, WorkingDir }: ImageConfig,
  variables: Readonly<Record<string, string>>,
  cleanup: Cleanup,
  command: readonly string[] = Cmd,
): Container {
  const own = Object.fromEntries(Env.map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const env = { ...own, ...variables };
  const child = spawn(
    '/usr/bin/unshare',
    ['--mount', '--propagation', 'private', '/bin/sh', '-c', ENTER, 'sh', root, WorkingDir, ...command],
    { env: { ...env, PATH: `${process.env.PATH}:${env.PATH ?? ''}` }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  cleanup.add(() => endProcess(child, 'SIGKILL'));
  return {
    pid: child.pid ?? 0,
    output: () => output,
    exitCode: () => child.exitCode ?? undefined,
    async exec(...program) {
      const inside = [
        '-t',
        String(child.pid),
        '-m',
        '-r',
        '-w',
        '-S',
        String(USER_ID),
        '-G',
        String(USER_ID),
      ];
      const { stdout } = await promisify(execFile)('nsenter', [...inside, '--', ...program], { env });
      return stdout.trim();
    },
    stop: () => drainProcess(child),
  };
}
