// Generates the sequence diagram of one run. The real use cases create, dispatch, run, settle and notify on the memory
// store, and each of their calls becomes an arrow.
import { z } from 'zod';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { publishEvents } from '../../src/notifications/publish-events.ts';
import { consume } from '../../src/notifier/consume.ts';
import type { NotifyMessage } from '../../src/queue/notify-queue.ts';
import type { Message } from '../../src/queue/queue.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { watchShard } from '../../src/scheduling/planning/watch-shards.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { claimStepByStep, type Store } from '../../src/store/store.ts';
import { defineTask } from '../../src/tasks/task.ts';
import { StandingClock } from '../../test/support/standing-clock.ts';
import { workerPort } from '../../test/support/worker-port.ts';

const MINUTE = 60_000;
/** Later than what a writer dispatches itself, so that the watcher dispatches the run. */
const DUE_AFTER_MS = 20 * MINUTE;

const TABLE_OF: Partial<Record<keyof Store, string>> = {
  putEntries: 'timetable',
  readSlot: 'timetable',
  hasEntry: 'timetable',
  putDefinition: 'jobs',
  readDefinition: 'jobs',
  insertChange: 'jobs',
  insertHead: 'jobs',
  readHead: 'jobs',
  readHeads: 'jobs',
  updateHead: 'jobs',
  takeLock: 'jobs',
  readNotificationWindow: 'jobs',
  writeNotificationWindow: 'jobs',
  insertRow: 'executions',
  updateRow: 'executions',
  readRow: 'executions',
  readRows: 'executions',
  markNotified: 'executions',
  readShard: 'control',
  takeShard: 'control',
  commitShard: 'control',
};

const PARTICIPANTS = [
  'API',
  'watcher',
  'worker',
  'notifier',
  'timetable',
  'jobs',
  'executions',
  'control',
  'SQS work',
  'SQS notify',
];
const idOf = (participant: string): string => participant.replace(' ', '_');

class Recorder {
  readonly lines: string[] = [];

  note(text: string): void {
    this.lines.push(`  Note over API,SQS_notify: ${text}`);
  }

  call(from: string, to: string, what: string): void {
    const line = `  ${idOf(from)}->>${idOf(to)}: ${what}`;
    if (this.lines.at(-1) !== line) this.lines.push(line);
  }
}

class OneRun {
  readonly recorder = new Recorder();
  readonly clock = new StandingClock();
  readonly store = new MemoryStore({ shards: 1 });
  readonly work: Message[] = [];
  readonly notify: NotifyMessage[] = [];
  #ids = 0;

  context(actor: string): Context {
    const { recorder, clock, store, work } = this;
    const names = Object.getOwnPropertyNames(MemoryStore.prototype) as (keyof Store)[];
    const recorded = names.map((name) => [
      name,
      (...args: never[]) => {
        if (!isEmpty(args)) recorder.call(actor, tableOf(name), described(name, args));
        return (store[name] as (...a: never[]) => unknown)(...args);
      },
    ]);
    const quiet = () => {};
    const calls = Object.fromEntries(recorded) as Store;
    const context: Context = {
      // as on DynamoDB, where a claim is single writes
      store: { ...calls, claim: (writes) => claimStepByStep(calls, writes) },
      queue: {
        send: async (messages) => {
          if (messages.length > 0) recorder.call(actor, 'SQS work', 'send');
          work.push(...messages);
        },
      },
      clock,
      random: { id: (length) => String(++this.#ids).padStart(length, 'a'), float: () => 0.5 },
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      settings: { ...DEFAULT_SETTINGS, shards: 1 },
    };
    return publishEvents(context, { queue: this.notifyQueue(actor) });
  }

  notifyQueue = (actor: string) => ({
    send: async (messages: readonly NotifyMessage[]) => {
      if (messages.length > 0) this.recorder.call(actor, 'SQS notify', `send ${messages[0]?.kind}`);
      this.notify.push(...messages);
    },
  });
}

/** The store makes no request for an empty list. */
const isEmpty = ([first]: readonly unknown[]): boolean => Array.isArray(first) && first.length === 0;

function tableOf(name: keyof Store): string {
  const table = TABLE_OF[name];
  if (!table) throw new Error(`${name} has no table: add it to TABLE_OF in tools/docs/run-diagram.ts`);
  return table;
}

/** The label of a call. */
function described(name: keyof Store, args: readonly unknown[]): string {
  const [first, second] = args as [Record<string, unknown>, Record<string, unknown>];
  if (name === 'insertRow') return `insertRow ${first.status}`;
  if (name === 'updateRow') return `updateRow ${second.status}`;
  if (name === 'commitShard') {
    const [cursor] = Object.keys(args[2] as object).filter(
      (key) => key.endsWith('Until') && key !== 'leaseUntil',
    );
    return cursor ? `commitShard ${cursor}` : 'commitShard (release)';
  }
  return name;
}

const NEVER = new AbortController().signal;

async function dispatchAndSettle(run: OneRun, cursors: { dispatchedUntil: number; settledUntil: number }) {
  run.store.shards.set(0, { shard: 0, leaseUntil: 0, ...cursors });
  const watched = { sent: 0, corrected: 0, recovered: 0, busy: 0 };
  await watchShard(run.context('watcher'), 0, NEVER, watched);
}

async function work(run: OneRun, message: Message): Promise<void> {
  const { recorder, clock } = run;
  recorder.call('worker', 'SQS work', 'receive');
  const noop = defineTask({
    name: 'noop',
    description: '',
    params: z.unknown(),
    run: async () => recorder.call('worker', 'worker', 'run the task at the fire time'),
  });
  const side = workerPort(new Map([['noop', noop]]));
  const done = handleMessage(run.context('worker'), side, {
    message,
    body: '',
    receivedAt: clock.now(),
    delete: async () => recorder.call('worker', 'SQS work', 'delete'),
    setVisibility: async () => recorder.call('worker', 'SQS work', 'hide'),
    deadLetter: async () => recorder.call('worker', 'SQS work', 'bury'),
  });
  await clock.advance(message.fireAt - clock.now() + 100);
  await done;
}

async function notifyAll(run: OneRun): Promise<void> {
  const { recorder, notify } = run;
  const deliver = defineTask({
    name: 'http',
    description: '',
    params: z.unknown(),
    run: async () => recorder.call('notifier', 'notifier', 'POST to the webhook'),
  });
  const notifier = {
    context: run.context('notifier'),
    queue: run.notifyQueue('notifier'),
    windowMs: 5 * MINUTE,
    tasks: new Map([['http', deliver]]),
  };
  for (let message = notify.shift(); message; message = notify.shift()) {
    recorder.call('notifier', 'SQS notify', `receive ${message.kind}`);
    const { kind } = await consume(notifier, JSON.stringify(message), 1);
    if (kind !== 'done') throw new Error(`the notifier answers ${kind} to ${message.kind}`);
    recorder.call('notifier', 'SQS notify', 'delete');
  }
}

export async function runDiagram(): Promise<string> {
  const run = new OneRun();
  const { recorder, clock } = run;
  const due = clock.now() + DUE_AFTER_MS;
  const schedule = { every: 'PT1H', startAt: new Date(due).toISOString() };
  const notify = [{ on: ['succeeded'], webhook: { url: 'https://example.com/hook' } }];

  recorder.note('create (POST /jobs)');
  const spec = jobSpecSchema.parse({ task: 'noop', schedule, notify });
  await createJob(run.context('API'), { userId: 'ann', spec });

  recorder.note('dispatch, up to 5 min before the due time');
  await clock.advance(DUE_AFTER_MS - DEFAULT_SETTINGS.lookAheadMs);
  const minute = minuteOf(due);
  const settled = minuteOf(clock.now());
  await dispatchAndSettle(run, { dispatchedUntil: minute - 1, settledUntil: settled });
  const message = run.work.shift();
  if (!message) throw new Error('nothing was dispatched');

  recorder.note('run, from 1 to 2 s before the fire time');
  await clock.advance(message.fireAt - clock.now() - 1_500);
  await work(run, message);

  recorder.note('notify, if the job has notifications');
  await notifyAll(run);

  recorder.note('settle, 2 min after the end of the slot');
  await clock.advance((minute + 1) * MINUTE + DEFAULT_SETTINGS.settleLagMs - clock.now());
  const dispatchedUntil = minuteOf(clock.now() + DEFAULT_SETTINGS.lookAheadMs);
  await dispatchAndSettle(run, { dispatchedUntil, settledUntil: minute - 1 });
  if (run.work.length > 0) throw new Error('settle found an execution that has not ended');

  const names = PARTICIPANTS.map((name) => `  participant ${idOf(name)} as ${name}`);
  return ['sequenceDiagram', ...names, ...recorder.lines].join('\n');
}
