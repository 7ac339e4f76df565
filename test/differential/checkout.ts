// A checkout of one commit, and its servers in virtual time. Both sides of a comparison get the driver of this checkout, and need
// of their own only the commands `punctual start` and `punctual token`, the variables below, and the REST API.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ENDS_AT, RESTARTS_AT, restarts, type Sequence, SLOTS, STOPS_AT, startOf } from './sequences.ts';
import type { Outcome, Plan } from './side.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
/** In memory if possible: a commit then costs no wait for a disk. */
export const temporaryFolder = (): string =>
  mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'punctual-differential-'));

/** Tokens are valid for 30 days from here. All sequences start within them. */
const TOKENS_FROM = Date.parse('2026-10-03T15:00:00Z');
const REAL_LIMIT_MS = 600_000;

const SETTINGS = { PUNCTUAL_CONCURRENCY: '5000', PUNCTUAL_OWNER_SHARE: '1', PUNCTUAL_LOG: 'error' };

export interface Checkout {
  readonly name: string;
  readonly folder: string;
  /** A data folder with keys and without a database. */
  readonly template: string;
  readonly tokens: Readonly<Record<string, string>>;
}

/** The files of a commit in a folder. Says so if its dependencies are others than those installed here. */
export function checkOut(commit: string, folder: string): string {
  const git = (...given: string[]) => execFileSync('git', given, { cwd: ROOT, maxBuffer: 1e9 });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  if (
    readFileSync(join(folder, 'package-lock.json'), 'utf8') !==
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8')
  )
    console.log(`${commit} has another package-lock.json. It runs with the dependencies of this checkout.`);
  return folder;
}

/** Makes the tokens of all users. */
export async function prepare(name: string, folder: string, slots: readonly number[]): Promise<Checkout> {
  const template = temporaryFolder();
  const make = async (user: string, ...more: string[]) => {
    const { output } = await run(folder, ['token', user, ...more, '--data', template], {
      DIFFERENTIAL_NOW: String(TOKENS_FROM),
    });
    return [user, output.trim()] as const;
  };
  // the first one also makes the key
  const [, operator] = await make('operator', '--operator');
  const tokens: Record<string, string> = { operator, forger: `${operator.slice(0, -6)}AAAAAA` };
  const users = ['stranger', ...slots.map((slot) => `user${slot}`)];
  while (users.length > 0)
    Object.assign(
      tokens,
      Object.fromEntries(await Promise.all(users.splice(0, 2).map((user) => make(user)))),
    );
  return { name, folder, template, tokens };
}

export const allSlots = Array.from({ length: SLOTS }, (_, slot) => slot);

/** Runs sequences of one start beside each other, on one server that is restarted once. */
export async function play(checkout: Checkout, sequences: readonly Sequence[]): Promise<Outcome> {
  const work = temporaryFolder();
  try {
    const data = join(work, 'data');
    cpSync(checkout.template, data, { recursive: true });
    // the copy does not have the mode of the folder, and the server refuses keys that others may read
    chmodSync(data, 0o700);
    const start = startOf(sequences[0]?.seed ?? 0);
    const part = async (more: Pick<Plan, 'from' | 'until' | 'isLast' | 'before'>): Promise<Outcome> => {
      const [planned, outcome] = [join(work, 'plan.json'), join(work, 'outcome.json')];
      rmSync(outcome, { force: true });
      writeFileSync(
        planned,
        JSON.stringify({ sequences, start, tokens: checkout.tokens, ...more } satisfies Plan),
      );
      const { output } = await run(checkout.folder, ['start', '--port', '0', '--data', data], {
        DIFFERENTIAL_NOW: String(start + more.from),
        DIFFERENTIAL_PLAN: planned,
        DIFFERENTIAL_OUTCOME: outcome,
        ...SETTINGS,
      });
      if (!existsSync(outcome)) throw new Error(`${checkout.name} ended without an outcome:\n${output}`);
      return JSON.parse(readFileSync(outcome, 'utf8'));
    };
    if (!restarts(sequences[0]?.seed ?? 0)) return await part({ from: 0, until: ENDS_AT, isLast: true });
    const before = await part({ from: 0, until: STOPS_AT, isLast: false });
    return await part({ from: RESTARTS_AT, until: ENDS_AT, isLast: true, before });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs the command of a checkout in virtual time to its end. */
function run(
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ output: string }> {
  const { promise, resolve: ended, reject } = Promise.withResolvers<{ output: string }>();
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'side.ts'), join(folder, 'bin/punctual.js'), ...args],
    {
      cwd: folder,
      env: {
        PATH,
        HOME,
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node'),
        NODE_NO_WARNINGS: '1',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: REAL_LIMIT_MS,
      killSignal: 'SIGKILL',
    },
  );
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  child.on('error', reject);
  child.on('close', (code) =>
    code === 0
      ? ended({ output })
      : reject(
          new Error(
            `punctual ${args.join(' ')} in ${folder} ended with ${code}:\n${output.slice(-1_000)}${errors.slice(-4_000)}`,
          ),
        ),
  );
  return promise;
}
