// The flags of `npm run simulate`: every one with its range and its default. A wrong one stops it with a sentence.
import { parseArgs } from 'node:util';
import { INDEX_PARTITIONS } from '../../src/store/user-index.ts';
import { LIMITS, sizeFor } from '../../tools/capacity.ts';

export const DUE = ['even', 'second', 'minute'] as const;

export interface ModelOptions {
  readonly rate: number;
  readonly duration: number;
  readonly every: number;
  readonly due: (typeof DUE)[number];
  readonly shards: number;
  readonly watchers: number;
  readonly watcherMb: number;
  readonly queues: number;
  readonly workers: number;
  readonly concurrency: number;
  readonly taskMs: number;
  readonly taskCpuMs: number;
  readonly tenants: number;
  readonly tenantShare: number;
  readonly indexPartitions: number;
  readonly creates: number;
  readonly groupCommit: boolean;
  readonly warm: number;
  readonly tableQuota: number;
  readonly burstSeconds: number;
  readonly cpuFactor: number;
  readonly seed: number;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface Flag {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
  readonly says: string;
  /** From the rate, where it is not simply a number. */
  readonly otherwise: number | ((rate: number, taskMs: number) => number);
}

const sized = (rate: number, taskMs: number) => sizeFor(rate, taskMs / 1000);

const FLAGS: Record<string, Flag> = {
  rate: { least: 1, most: 200_000, says: 'executions due a second', otherwise: 10_000 },
  duration: { least: 1, most: 600, whole: true, says: 'simulated seconds', otherwise: 60 },
  every: { least: 1, most: 86_400, whole: true, says: 'seconds between two runs of a job', otherwise: 60 },
  shards: { least: 1, most: 1_024, whole: true, says: 'shards of the timetable [by the rate]', otherwise: (r, t) => sized(r, t).shards },
  watchers: { least: 1, most: 64, whole: true, says: 'watchers [by the rate]', otherwise: (r, t) => sized(r, t).watchers },
  'watcher-mb': { least: 128, most: 10_240, whole: true, says: 'memory of a watcher; CPU comes with it', otherwise: 1_024 },
  queues: { least: 1, most: 64, whole: true, says: 'work queues [by the rate]', otherwise: (r, t) => sized(r, t).queues },
  workers: { least: 1, most: 5_000, whole: true, says: 'workers of 1 vCPU [by the rate]', otherwise: (r, t) => sized(r, t).workers },
  concurrency: { least: 1, most: 10_000, whole: true, says: 'tasks that a worker runs at once', otherwise: 100 },
  'task-ms': { least: 0, most: 60_000, says: 'how long a task runs', otherwise: 100 },
  'task-cpu-ms': { least: 0, most: 1_000, says: 'of that, on the CPU of the worker (assumed)', otherwise: 0.5 },
  tenants: { least: 1, most: 1_000_000, whole: true, says: 'users that have jobs', otherwise: 1_000 },
  'tenant-share': { least: 0, most: 1, says: 'part of the load that one of them has [0: all the same]', otherwise: 0 },
  'index-partitions': {
    least: 1,
    most: 1_024,
    whole: true,
    says: 'partitions of an index that each user has (no setting of a deployment yet)',
    otherwise: INDEX_PARTITIONS,
  },
  creates: { least: 0, most: 100_000, says: 'jobs created a second by the API', otherwise: (r) => r / 100 },
  warm: { least: 1_000, most: 1_000_000, says: 'warmWritesPerSecond of each table and index [by the rate]', otherwise: (r) => Math.max(LIMITS.newTableWrites, Math.ceil(r / 0.7)) },
  'table-quota': { least: 1_000, most: 10_000_000, says: 'write units a second that the account allows a table', otherwise: LIMITS.tableWrites },
  'burst-seconds': { least: 0, most: 300, says: "unused seconds that a partition may use later (DynamoDB: up to 300, not promised)", otherwise: 0 },
  'cpu-factor': { least: 0.1, most: 10, says: 'how much more CPU everything takes than was measured', otherwise: 1 },
  seed: { least: 0, most: 2 ** 31, whole: true, says: 'the same seed, the same result', otherwise: 1 },
}; // biome-ignore format: a table

const WORDS: Record<string, { readonly words: readonly string[]; readonly says: string }> = {
  due: {
    words: DUE,
    says: 'when: spread evenly, on whole seconds, or all of a minute at its beginning',
  },
  'group-commit': { words: ['on', 'off'], says: 'calls that come together go as one request' },
};
const WORD_DEFAULTS: Record<string, string> = { due: 'second', 'group-commit': 'on' };

export interface Given {
  readonly options: ModelOptions;
  readonly json: boolean;
  readonly help: boolean;
}

export function readOptions(args: readonly string[]): Given {
  const names = [...Object.keys(FLAGS), ...Object.keys(WORDS)];
  let values: Record<string, string | boolean | undefined>;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const given = (name: string) => values[name] as string | undefined;
  const rate = numberOf('rate', given('rate'), 0, 0);
  const taskMs = numberOf('task-ms', given('task-ms'), rate, 0);
  const number = (name: string) => numberOf(name, given(name), rate, taskMs);
  return {
    json: values.json === true,
    help: values.help === true,
    options: {
      rate,
      duration: number('duration'),
      every: number('every'),
      due: wordOf('due', given('due')) as ModelOptions['due'],
      shards: number('shards'),
      watchers: number('watchers'),
      watcherMb: number('watcher-mb'),
      queues: number('queues'),
      workers: number('workers'),
      concurrency: number('concurrency'),
      taskMs,
      taskCpuMs: number('task-cpu-ms'),
      tenants: number('tenants'),
      tenantShare: number('tenant-share'),
      indexPartitions: number('index-partitions'),
      creates: number('creates'),
      groupCommit: wordOf('group-commit', given('group-commit')) === 'on',
      warm: number('warm'),
      tableQuota: number('table-quota'),
      burstSeconds: number('burst-seconds'),
      cpuFactor: number('cpu-factor'),
      seed: number('seed'),
    },
  };
}

function numberOf(name: string, text: string | undefined, rate: number, taskMs: number): number {
  const { least, most, whole, otherwise } = FLAGS[name] as Flag;
  if (text === undefined) return typeof otherwise === 'number' ? otherwise : otherwise(rate, taskMs);
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most) || (whole && !Number.isInteger(value)))
    throw new UsageError(
      `--${name} is ${JSON.stringify(text)}; it must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`,
    );
  return value;
}

function wordOf(name: string, text = WORD_DEFAULTS[name] ?? ''): string {
  const { words = [] } = WORDS[name] ?? {};
  if (!words.includes(text))
    throw new UsageError(`--${name} is ${JSON.stringify(text)}; it must be one of ${words.join(', ')}`);
  return text;
}

export function help(): string {
  const line = (name: string, otherwise: string, says: string) =>
    `  --${name} ${otherwise}`.padEnd(26) + says;
  return [
    'usage: npm run simulate -- [--rate 10000] [flags]',
    '',
    'A model of the whole service under a load: what is late, what throttles, what breaks first, what it costs.',
    '',
    ...Object.entries(FLAGS).map(([name, { otherwise, says }]) =>
      line(name, typeof otherwise === 'number' ? String(otherwise) : '…', says),
    ),
    ...Object.entries(WORDS).map(([name, { words, says }]) =>
      line(name, WORD_DEFAULTS[name] ?? '', `${says} (${words.join(', ')})`),
    ),
    line('json', '', 'the result as JSON'),
  ].join('\n');
}
