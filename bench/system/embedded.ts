// An embedded server in a separate process, as `npm start` runs it, with the task `bench` added. This process is the
// producer, which creates jobs over HTTP.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../../src/domain/executions/row.ts';
import { databaseFile } from '../../src/local/data-folder-owner.ts';
import { executionOperations } from '../../src/store/sqlite/executions.ts';
import { openReader } from '../../src/store/sqlite/open.ts';
import type { WriterStats } from '../../src/store/sqlite/protocol.ts';
import { createReader } from '../../src/store/sqlite/reader.ts';
import type { ExecutionKey } from '../../src/store/store.ts';
import { temporaryFolder } from '../../test/support/processes.ts';
import { createRest, type Rest } from './rest.ts';
import { readStarts, STARTS_VARIABLE, type Start } from './starts.ts';

/** The counters of the server's process since its start. */
export interface Counts extends WriterStats {
  /** One-time jobs whose end is on the disk. */
  readonly ended: number;
  readonly processCpuMs: number;
  /** CPU time of the thread that serves requests and runs tasks. `cpu` is the writer's thread, in microseconds. */
  readonly mainCpuMs: number;
}

export interface Embedded {
  readonly rest: Rest;
  readonly url: string;
  readonly folder: string;
  /** The starts that the task has recorded so far. */
  starts(): Start[];
  /** Reads the row from the file, without the server. */
  rows(keys: readonly ExecutionKey[]): Promise<readonly Row[]>;
  counts(): Promise<Counts>;
  /** For a server that was started with a closed receiver. */
  openInbox(): Promise<void>;
  /** kill -9 */
  kill(): Promise<void>;
  /** Starts the server on the same folder after a kill. */
  start(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly settings?: Record<string, string>;
  /** The worker receives nothing before `openInbox`. */
  readonly closed?: boolean;
}

export async function inEmbedded<T>(
  { settings = {}, closed = false }: EmbeddedOptions,
  body: (server: Embedded) => Promise<T>,
): Promise<T> {
  const folder = temporaryFolder();
  const startsFile = join(folder.path, 'starts.jsonl');
  writeFileSync(startsFile, '');
  const env = {
    ...process.env,
    PUNCTUAL_PORT: '0',
    PUNCTUAL_LOG: 'error',
    // one user sends more than the limits per owner allow
    PUNCTUAL_QUOTAS: 'off',
    PUNCTUAL_DATA: folder.path,
    PUNCTUAL_TASKS_FOLDER: join(import.meta.dirname, 'tasks'),
    [STARTS_VARIABLE]: startsFile,
    ...(closed && { BENCH_INBOX: 'closed' }),
    ...settings,
  };
  let child: ChildProcess | undefined;
  let url = '';
  let rest: Rest | undefined;
  let calls = 0;

  async function start(): Promise<void> {
    // `npm run bench` has the Node flags of `npm start`.
    child = fork(join(import.meta.dirname, 'embedded.main.ts'), {
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const exited = once(child, 'exit').then(() => {
      throw new Error('the server did not start');
    });
    const [ready] = (await Promise.race([once(child, 'message'), exited])) as [{ url: string }];
    exited.catch(() => {});
    url = ready.url;
    rest = await createRest(url, folder.path);
  }

  async function ask<A>(what: string): Promise<A> {
    const call = calls++;
    const { promise, resolve } = Promise.withResolvers<A>();
    const hear = (message: { call: number; answer: A }) => {
      if (message.call !== call) return;
      child?.off('message', hear);
      resolve(message.answer);
    };
    child?.on('message', hear);
    child?.send({ call, ask: what });
    return promise;
  }

  async function kill(): Promise<void> {
    await rest?.close();
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  try {
    await start();
    return await body({
      get rest() {
        return rest as Rest;
      },
      get url() {
        return url;
      },
      folder: folder.path,
      starts: () => readStarts(startsFile),
      rows: (keys) => readRows(databaseFile(folder.path), keys),
      counts: () => ask<Counts>('counts'),
      openInbox: () => ask<void>('openInbox'),
      kill,
      start,
    });
  } finally {
    await kill();
    folder.remove();
  }
}

async function readRows(file: string, keys: readonly ExecutionKey[]): Promise<readonly Row[]> {
  const db = openReader(file);
  try {
    const write = () => Promise.reject(new Error('a benchmark only reads'));
    return await executionOperations(createReader(db, file), { write, transact: write }, 0).readRows(keys, {
      consistent: true,
    });
  } finally {
    db.close();
  }
}
