// CPU per execution in our own processes, and the most that one of them can do: against an endpoint that answers at once,
// in a process of its own, so that no engine is measured. With group commit and without.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createClients } from '../src/clients.ts';
import { MINUTE, minuteOf } from '../src/domain/slots.ts';
import { createSqs } from '../src/queue/sqs.ts';
import { type Context, DEFAULT_SETTINGS } from '../src/scheduling/context.ts';
import { dispatchSlot } from '../src/scheduling/dispatch.ts';
import { settleSlot } from '../src/scheduling/settle.ts';
import { withDefinitionCache } from '../src/store/definition-cache.ts';
import { createDynamoStore } from '../src/store/dynamo.ts';
import { createLog, systemClock, systemRandom } from '../src/system.ts';
import { builtinTasks } from '../src/tasks/builtin.ts';
import { startWorker } from '../src/worker/worker.ts';
import { LOCAL } from './metered.ts';
import { type Options, progress, type Report } from './report.ts';
import { ENTRIES_PER_SLOT } from './stub/answers.ts';

/** As for a worker of short tasks: with the default of 100 a receive seldom asks for ten. */
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
  const { queue, inboxes } = createSqs({
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
  return { context, inboxes, close: clients.destroy };
}

/** Executions that ended in `seconds`, after as long a warm-up as it takes for code to be compiled. */
async function worker(endpoint: string, groupCommit: boolean, seconds: number): Promise<Measured> {
  const { context, inboxes, close } = open(endpoint, groupCommit);
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
      ...{ workerId: 'worker_benchmark', host: 'bench', tasks: builtinTasks(), inboxes },
      ...{ pollersPerInbox: 4, concurrency: CONCURRENCY },
    },
  );
  await systemClock.sleep(3_000);
  const measured = await measure(async () => {
    const before = ended;
    await systemClock.sleep(seconds * 1000);
    return ended - before;
  });
  await running.stop({ deadlineMs: 5_000 });
  close();
  return measured;
}

/** Slot after slot, as a watcher that has fallen behind would. */
async function watcher(endpoint: string, what: 'dispatch' | 'settle', slots: number): Promise<Measured> {
  const { context, close } = open(endpoint, true);
  const minute = minuteOf(Date.now());
  const once = (i: number) =>
    what === 'dispatch'
      ? dispatchSlot(context, 0, minute + i)
      : settleSlot(context, 0, minute - 10 - i, minute + MINUTE);
  await once(0);
  const measured = await measure(async () => {
    for (let i = 1; i <= slots; i++) await once(i);
    return slots * ENTRIES_PER_SLOT;
  });
  close();
  return measured;
}

async function startStub(): Promise<{ endpoint: string; child: ChildProcess }> {
  const main = new URL('stub/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [endpoint] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { endpoint, child };
}

export async function cpu({ quick }: Options): Promise<Report> {
  const { endpoint, child } = await startStub();
  const seconds = quick ? 3 : 15;
  const slots = quick ? 2 : 10;
  try {
    const rows: (string | number)[][] = [];
    const add = (name: string, { count, cpuMs, seconds: took }: Measured) =>
      rows.push([name, count, (cpuMs / count).toFixed(3), Math.round(count / took), cpuMs / 1000 / took]);
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
      command: 'npm run bench -- cpu',
      tables: [
        {
          title: 'One process against an endpoint that answers at once',
          columns: ['process', 'executions', 'CPU ms each', 'a second', 'cores used'],
          rows,
        },
      ],
      notes: [
        'Recurring executions of a task that does nothing: head and previous row read, take, run, row written, what waits looked for, message deleted.',
        'The endpoint runs beside it on the same machine: what a second brings is a lower bound, CPU per execution is not.',
      ],
    };
  } finally {
    child.kill();
  }
}
