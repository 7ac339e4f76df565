// Workers that run scripts as the current user or another one, and checks of what they leave on this machine.
import { fork, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Language } from '../../src/tasks/script/script-params.ts';
import type { ScriptEnd } from '../../src/tasks/script/script-runner.ts';
import type { Asked } from './script-worker.ts';

const WORKER = join(import.meta.dirname, 'script-worker.ts');
const isRoot = process.getuid?.() === 0;
export const NOBODY = 65_534;

export interface User {
  readonly as: string;
  /** Undefined for the user of the tests. */
  readonly uid?: number;
}

/** The users that a worker is tested as. Tests that run as root use root and an unprivileged user. */
export function users(): User[] {
  if (!isRoot) return [{ as: 'the current user' }];
  const other = { as: 'an unprivileged user', uid: NOBODY };
  const { status, stderr, error } = spawnSync(process.execPath, ['--check', WORKER], {
    uid: NOBODY,
    gid: NOBODY,
  });
  if (status === 0) return [{ as: 'root' }, other];
  console.warn(
    `workers are tested as root only, because user ${NOBODY} cannot read ${WORKER}: ${error?.message ?? stderr}`,
  );
  return [{ as: 'root' }];
}

/** An answer of the worker. Without an id it says that the worker has started. */
interface Answer {
  readonly id?: number;
  readonly mode?: string;
  readonly summary?: string;
  readonly end?: ScriptEnd;
  readonly error?: string;
}

/** A user that trusted scripts can be tested as. Undefined if there is none but root, which they refuse. */
export const trustedUser: User | undefined = users().find(({ as }) => as !== 'root');
if (!trustedUser) console.warn('trusted scripts are not tested here: there is no user but root');

export type Run = Omit<Asked, 'id' | 'params'> & { readonly signal?: AbortSignal };

export async function startScriptWorker({ uid }: User = { as: '' }, trusted = false, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-test-'));
  chmodSync(folder, 0o755);
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  // the worker inherits the file descriptor 40, as from a careless supervisor
  const inherited = openSync(folder, 'r');
  const child = fork(WORKER, trusted ? ['trusted'] : [], {
    stdio: [0, 1, 2, 'ipc', ...Array<'ignore'>(36).fill('ignore'), inherited],
    uid,
    gid: uid,
    env: { PATH: process.env.PATH, TMPDIR: temporary, ...env },
  });
  closeSync(inherited);
  const answers = new Map<number, (answer: Answer) => void>();
  const started = Promise.withResolvers<Answer>();
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void exited.then(() => {
    started.reject(new Error('the worker has ended'));
    for (const answer of answers.values()) answer({ error: 'the worker has ended' });
  });
  child.on('message', (message: Answer) =>
    message.id === undefined ? started.resolve(message) : answers.get(message.id)?.(message),
  );
  const { mode = '', summary = '' } = await started.promise;
  let last = 0;
  return {
    mode,
    summary,
    pid: child.pid ?? 0,
    /** Open to everybody on this machine. */
    folder,
    leftovers: () => readdirSync(temporary),
    async run(params: object, { signal, ...more }: Run = {}): Promise<ScriptEnd> {
      const id = ++last;
      const answered = new Promise<Answer>((resolve) => answers.set(id, resolve));
      child.send({ id, params: { language: 'shell', ...params }, ...more } satisfies Asked);
      signal?.addEventListener('abort', () => child.send({ id }), { once: true });
      const { end, error } = await answered;
      if (end === undefined) throw new Error(error);
      return end;
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await exited;
    },
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ScriptWorker = Awaited<ReturnType<typeof startScriptWorker>>;

/** What programs of the worker print. */
export function talking(worker: () => ScriptWorker) {
  const shell = async (source: string, environment = {}) =>
    (await worker().run({ source }, { environment })).stdout ?? '';
  const python = async (source: string) => {
    const { stdout, stderr } = await worker().run({ language: 'python', source });
    return `${stdout}${stderr}`;
  };
  /** The lines that succeed, each with its value. */
  const attempts = (lines: readonly string[], setUp = '') =>
    python(
      `${setUp}\n${lines.map((line) => `try:\n    print('succeeded:', ${JSON.stringify(line)}, ${line})\nexcept OSError:\n    pass\n`).join('')}`,
    );
  return { shell, python, attempts };
}

/** The processes of this machine that have the text in this file of /proc. */
export const processesWith = (text: string, file: 'cmdline' | 'environ' = 'cmdline'): string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(text);
    } catch {
      return false; // it has ended, or it is somebody else's
    }
  });

let isolated: Promise<Language[]> | undefined;

/** The languages of isolated scripts on this machine. The reason is printed for those that are missing. */
export function isolatedLanguages(): Promise<Language[]> {
  isolated ??= startScriptWorker().then(async (worker) => {
    if (worker.mode !== 'isolated') console.warn(`isolated scripts are not tested here: ${worker.summary}`);
    const node = await worker.run({ language: 'node', source: 'process.exit(0)' }).catch(String);
    await worker.stop();
    if (worker.mode !== 'isolated') return [];
    if (typeof node !== 'string') return ['shell', 'python', 'node'];
    console.warn(`isolated scripts in node are not tested here: ${node}`);
    return ['shell', 'python'];
  });
  return isolated;
}

export const isolatedHere = async (): Promise<boolean> => (await isolatedLanguages()).length > 0;
