// Runs programs in the folder of the consumer, without the environment of npm and of the checkout.
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Children that have not ended. They are killed at the end, whatever happens. */
const children = new Set<ChildProcess>();
export const killChildren = (): void => {
  for (const child of children) child.kill('SIGKILL');
};

/** npm's variables would change the behaviour of a nested npm. */
const environment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        !/^(npm_(?!config_(registry|cache|userconfig))|NODE_OPTIONS|PUNCTUAL_|INIT_CWD|AWS_|CDK_)/i.test(
          entry[0],
        ),
    ),
  );

export function start(program: string, args: readonly string[], { cwd, env }: RunOptions) {
  const child = spawn(program, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const ran = { code: null as number | null, out: '', err: '' };
  child.stdout.on('data', (data) => (ran.out += String(data)));
  child.stderr.on('data', (data) => (ran.err += String(data)));
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      children.delete(child);
      resolve({ ...ran, code });
    });
  });
  return { child, ran, ended };
}

export async function run(program: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { child, ended } = start(program, args, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 120_000);
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
  }
}

/** The output. Throws if the program fails. */
export async function output(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { code, out, err } = await run(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}:\n${err}\n${out}`);
  return out;
}

/** The Node binaries of the machine whose major version is below 22. There may be none. */
export async function olderNode(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).concat('/usr/bin', '/usr/local/bin');
  for (const node of new Set(folders.map((folder) => join(folder, 'node')))) {
    try {
      accessSync(node, constants.X_OK);
      const version = await output(node, ['--version'], { cwd: '/' });
      if (Number(/^v(\d+)/.exec(version)?.[1]) < 22) return node;
    } catch {
      // not there, or not a Node
    }
  }
  return undefined;
}
