// The AWS path in separate processes, as in a deployment: the engines (tables on disk, queues), a watcher and workers. This
// process is the producer. The processes are those of local mode, with the task `bench` added.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backend } from '../../src/local/backend.ts';
import { readLocalConfig } from '../../src/local/config.ts';
import { connect } from '../../src/local/connect.ts';
import { findEngines } from '../../src/local/engines.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type LocalProcess, startPart, temporaryFolder } from '../../test/support/processes.ts';
import { allCpuMs, childrenOf, cpuMs } from '../system/cpu.ts';
import { readStarts, STARTS_VARIABLE, type Start } from '../system/starts.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

type Part = 'engines' | 'watcher' | 'worker';

/** The line that each process prints when it is ready. */
const READY: Record<Part, RegExp> = {
  engines: /DynamoDB API at/,
  watcher: /watcher has started/,
  worker: /waits for jobs/,
};

/** CPU time in ms: of Punctual's processes, of the engines that replace AWS, and of the rest of the machine. */
export type Cpu = Record<'producer' | 'watcher' | 'worker' | 'tables' | 'queues' | 'others', number>;

export interface System {
  /** The context of the producer. */
  readonly backend: Backend;
  start(part: Part): Promise<LocalProcess>;
  /** The starts that the task has recorded so far, in all workers. */
  starts(): Start[];
  cpu(): Cpu;
  /** kill -9 */
  kill(part: Part): Promise<void>;
  killAll(): Promise<void>;
  /** Connects the producer to engines that were restarted. */
  reconnect(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the engines and the watcher. The caller starts workers. */
async function startSystem(settings: Record<string, string> = {}): Promise<System> {
  const folder = temporaryFolder();
  const startsFile = join(folder.path, 'starts.jsonl');
  writeFileSync(startsFile, '');
  const env = {
    NODE_OPTIONS: process.execArgv.join(' '), // `npm run bench` has the Node flags of `npm start`
    PUNCTUAL_LOG: 'error',
    PUNCTUAL_QUOTAS: 'off',
    PUNCTUAL_DATA: folder.path,
    PUNCTUAL_DRAIN_SECONDS: '0',
    PUNCTUAL_TASKS_FOLDER: join(import.meta.dirname, '..', 'system', 'tasks'),
    [STARTS_VARIABLE]: startsFile,
    ...settings,
  };
  let parts: { part: Part; process: LocalProcess }[] = [];
  const stopping = new AbortController();
  let disconnect: () => unknown = () => {};

  async function start(part: Part): Promise<LocalProcess> {
    if (stopping.signal.aborted) throw new Error('the benchmark was stopped');
    const process = startPart(`${part}.main`, env);
    parts.push({ part, process });
    await process.printed(READY[part]);
    return process;
  }

  /** The environment by which a process of local mode finds the engines. */
  async function connected(): Promise<Backend> {
    const config = readLocalConfig(env);
    const running = {
      stopping: stopping.signal,
      defer: (stop: () => unknown) => {
        disconnect = stop;
      },
      fail: (error: Error) => log.error('the engines failed', { error }),
    };
    const log = createLog('error', { part: 'bench' }, (line) => process.stderr.write(line));
    return connect(config, await findEngines(config), running, log);
  }

  async function kill(part: Part): Promise<void> {
    const own = parts.filter((one) => one.part === part);
    parts = parts.filter((one) => one.part !== part);
    await Promise.all(own.map(({ process }) => process.stop('SIGKILL')));
  }

  async function killAll(): Promise<void> {
    disconnect();
    disconnect = () => {};
    await Promise.all([kill('worker'), kill('watcher'), kill('engines')]);
  }

  async function stop(): Promise<void> {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    stopping.abort();
    await killAll();
    folder.remove();
  }
  const interrupted = () => void stop().finally(() => process.exit(130));
  for (const signal of SIGNALS) process.on(signal, interrupted);

  try {
    await start('engines');
    await start('watcher');
    let backend = await connected();
    return {
      get backend() {
        return backend;
      },
      start,
      starts: () => readStarts(startsFile),
      cpu: () => cpuOf(parts),
      kill,
      killAll,
      async reconnect() {
        backend = await connected();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function cpuOf(parts: readonly { part: Part; process: LocalProcess }[]): Cpu {
  const sum = (pids: readonly number[]) => pids.reduce((ms, pid) => ms + cpuMs(pid), 0);
  const of = (wanted: Part) =>
    parts.flatMap(({ part, process }) => (part === wanted && process.child.pid ? [process.child.pid] : []));
  const own = {
    producer: cpuMs(process.pid),
    watcher: sum(of('watcher')),
    worker: sum(of('worker')),
    // dynoxide is a child of the engines' process, and fauxqs runs inside of it.
    tables: sum(of('engines').flatMap(childrenOf)),
    queues: sum(of('engines')),
  };
  return { ...own, others: allCpuMs() - Object.values(own).reduce((ms, one) => ms + one, 0) };
}

export async function inSystem<T>(
  settings: Record<string, string>,
  body: (system: System) => Promise<T>,
): Promise<T> {
  const system = await startSystem(settings);
  try {
    return await body(system);
  } finally {
    await system.stop();
  }
}
