// The CPU per execution and the maximum throughput of a worker and of a watcher, with and without group commit. They run
// against an endpoint in another process that answers at once, so that no engine is measured.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { MINUTE, minuteOf } from '../../src/domain/executions/slots.ts';
import { createSqs } from '../../src/queue/sqs/sqs.ts';
import { createClients } from '../../src/runtime/aws-clients.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { dispatchSlot } from '../../src/scheduling/planning/dispatch-slot.ts';
import { settleSlot } from '../../src/scheduling/planning/settle-slot.ts';
import { withDefinitionCache } from '../../src/store/definition-cache.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { builtinTasks } from '../../src/tasks/registry.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { LOCAL } from '../metered.ts';
import { type Options, progress, type Report } from '../report.ts';
import { ENTRIES_PER_SLOT } from './stub/answers.ts';

/** High enough for short tasks. With the default of 100, a receive seldom requests ten messages. */
const CONCURRENCY = 400;

interface Measured {
  readonly count: number;
  readonly cpuMs: number;
  readonly seconds: number;
}

async function measure(work: () => Promise<number>): Promise<Measured> {
  const before = process.cpuUsage();
  const began = performance.now();
  const count = await work();
  const { user, system } = process.cpuUsage(before);
  return { count, cpuMs: (user + system) / 1000, seconds: (performance.now() - began) / 1000 };
}

function open(endpoint: string, groupCommit: boolean) {
  const clients = createClients({ ...LOCAL, endpoints: { dynamodb: endpoint, sqs: endpoint } });
  const store = createDynamoStore({ client: clients.dynamodb, tablePrefix: '', shards: 16, groupCommit });
  const { queue, receivers } = createSqs({
    client: clients.sqs,
    pollClient: clients.sqsPolls,
    queueUrls: [`${endpoint}/queue/work`],
    deadLetterUrl: `${endpoint}/queue/dead`,
    clock: systemClock,
  });
  const context: Context = {
    store: withDefinitionCache(store),
    queue,
    clock: systemClock,
    random: systemRandom,
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  };
  return { context, receivers, close: clients.destroy };
}

/** Other load of the machine only adds to CPU times, so the minimum of several slices is the best estimate. */
const SLICES = 5;

/** Counts the executions that ended in slices of `seconds`, after a warm-up in which code is compiled. */
async function worker(endpoint: string, groupCommit: boolean, seconds: number): Promise<Measured[]> {
  const { context, receivers, close } = open(endpoint, groupCommit);
  let ended = 0;
  const { store } = context;
  const counting = {
    ...store,
    insertRow: async (row: Parameters<typeof store.insertRow>[0]) => {
      const done = await store.insertRow(row);
      ended++;
      return done;
    },
  };
  const running = startWorker(
    { ...context, store: counting },
    {
      ...{ workerId: 'worker_benchmark', host: 'bench', tasks: builtinTasks(), receivers },
      ...{ pollersPerQueue: 4, concurrency: CONCURRENCY },
    },
  );
  await systemClock.sleep(3_000);
  const slices: Measured[] = [];
  for (let i = 0; i < SLICES; i++) {
    const slice = await measure(async () => {
      const before = ended;
      await systemClock.sleep(seconds * 1000);
      return ended - before;
    });
    slices.push(slice);
  }
  await running.stop({ deadlineMs: 5_000 });
  close();
  return slices;
}

/** Dispatches slot after slot, as a watcher does that has fallen behind. */
async function watcher(endpoint: string, what: 'dispatch' | 'settle', slots: number): Promise<Measured[]> {
  const { context, close } = open(endpoint, true);
  const minute = minuteOf(Date.now());
  const once = (i: number) =>
    what === 'dispatch'
      ? dispatchSlot(context, 0, minute + i)
      : settleSlot(context, 0, minute - 10 - i, minute + MINUTE);
  await once(0);
  const slices: Measured[] = [];
  for (let first = 1; first <= SLICES * slots; first += slots) {
    const slice = await measure(async () => {
      for (let i = first; i < first + slots; i++) await once(i);
      return slots * ENTRIES_PER_SLOT;
    });
    slices.push(slice);
  }
  close();
  return slices;
}

async function startStub(): Promise<{ endpoint: string; child: ChildProcess }> {
  const main = new URL('stub/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [endpoint] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { endpoint, child };
}

export async function cpu({ quick }: Options): Promise<Report> {
  const { endpoint, child } = await startStub();
  const seconds = quick ? 1 : 4;
  const slots = quick ? 1 : 2;
  try {
    const rows: (string | number)[][] = [];
    const add = (name: string, slices: readonly Measured[]) => {
      const sum = (of: (slice: Measured) => number) => slices.reduce((all, slice) => all + of(slice), 0);
      const [count, cpuMs, took] = [sum((s) => s.count), sum((s) => s.cpuMs), sum((s) => s.seconds)];
      const minimum = Math.min(...slices.map((slice) => slice.cpuMs / slice.count));
      const each = [(cpuMs / count).toFixed(3), minimum.toFixed(3)];
      rows.push([name, count, ...each, Math.round(count / took), cpuMs / 1000 / took]);
    };
    progress('cpu: worker with group commit');
    add('worker, group commit', await worker(endpoint, true, seconds));
    progress('cpu: worker, each call alone');
    add('worker, each call alone', await worker(endpoint, false, seconds));
    progress('cpu: watcher');
    add(
      'watcher, dispatch (entry read, successor planned, sent)',
      await watcher(endpoint, 'dispatch', slots),
    );
    add('watcher, settle (all is well)', await watcher(endpoint, 'settle', slots));
    return {
      name: 'cpu',
      command: 'npm run bench -- cpu --engine aws',
      tables: [
        {
          title: 'One process against an endpoint that answers at once',
          columns: [
            'process',
            'executions',
            'CPU ms each',
            `least of ${SLICES} slices`,
            'a second',
            'cores used',
          ],
          rows,
        },
      ],
      notes: [
        'Recurring executions of a no-op task: read the head and the previous row, claim, run, write the row, delete the message.',
        'Other load of the host only adds to CPU times, so the table has the minimum of the slices.',
        'The endpoint runs on the same machine, so the throughput is a lower bound. The CPU per execution is not affected.',
      ],
    };
  } finally {
    child.kill();
  }
}
