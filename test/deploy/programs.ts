// Runs the CDK and the AWS CLI against the emulator.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { CACHE, emulatorPython } from './emulator/python.ts';
import { stopGroup } from './process-group.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Minutes on a machine with other work. */
const TIMEOUT_MS = 600_000;

export type Environment = Readonly<Record<string, string>>;

export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly output: string;

  constructor(command: string, output: string) {
    super(`${command} failed:\n${output}`);
    this.output = output;
  }
}

const running = new Set<ChildProcess>();

/** Ends the programs that still run, with everything that they have started. */
export const stopPrograms = async (): Promise<void> => {
  await Promise.all([...running].map(stopGroup));
};

async function program(file: string, args: readonly string[], env: Environment, cwd = ROOT): Promise<string> {
  const child = spawn(file, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const timer = setTimeout(() => stopGroup(child), TIMEOUT_MS);
  try {
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    if (code !== 0) throw new ProgramError([file, ...args].join(' '), `${output}${errors}`);
    return output;
  } finally {
    clearTimeout(timer);
    running.delete(child);
  }
}

/** `cdk …`. In a folder without cdk.json it needs no app. */
export const cdk = (args: readonly string[], env: Environment, folder?: string): Promise<string> =>
  program(process.execPath, [resolve(ROOT, 'node_modules/aws-cdk/bin/cdk'), ...args], env, folder);

/** A script of bash, in the folder of the checkout. */
export const bash = (script: string, env: Environment): Promise<string> =>
  program('bash', ['-c', script], env);

/** `npm run test:account -- …`. Its HOME differs, so the folder of the Python packages is passed. */
export const testAccount = (args: readonly string[], env: Environment): Promise<string> =>
  program(process.execPath, [resolve(ROOT, 'test/account/run.ts'), ...args], {
    ...env,
    XDG_CACHE_HOME: CACHE,
  });

/** `aws …`, with its JSON output parsed. */
export type Aws = (...args: string[]) => Promise<unknown>;
export const awsCli =
  (env: Environment): Aws =>
  async (...args) => {
    const text = await program(emulatorPython(), ['-m', 'awscli', '--output', 'json', ...args], env);
    return text.trim() === '' ? undefined : JSON.parse(text);
  };
