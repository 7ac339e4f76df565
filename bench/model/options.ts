// The options of `npm run simulate`, each with its range and its default. An invalid one stops the program with an error.
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
  readonly min: number;
  readonly max: number;
  /** True if the value must be an integer. */
  readonly whole?: boolean;
  readonly description: string;
  /** The default: a number, or a function of the rate and the task time. */
  readonly otherwise: number | ((rate: number, taskMs: number) => number);
}

const sized = (rate: number, taskMs: number) => sizeFor(rate, taskMs / 1000);

const FLAGS: Record<string, Flag> = {
  rate: { min: 1, max: 200_000, description: 'executions due per second', otherwise: 10_000 },
  duration: { min: 1, max: 600, whole: true, description: 'simulated seconds', otherwise: 60 },
  every: { min: 1, max: 86_400, whole: true, description: 'seconds between two runs of a job', otherwise: 60 },
  shards: { min: 1, max: 1_024, whole: true, description: 'shards of the timetable [by the rate]', otherwise: (r, t) => sized(r, t).shards },
  watchers: { min: 1, max: 64, whole: true, description: 'watchers [by the rate]', otherwise: (r, t) => sized(r, t).watchers },
  'watcher-mb': { min: 128, max: 10_240, whole: true, description: 'memory of a watcher in MB, which decides its CPU', otherwise: 1_024 },
  queues: { min: 1, max: 64, whole: true, description: 'work queues [by the rate]', otherwise: (r, t) => sized(r, t).queues },
  workers: { min: 1, max: 5_000, whole: true, description: 'workers of 1 vCPU [by the rate]', otherwise: (r, t) => sized(r, t).workers },
  concurrency: { min: 1, max: 10_000, whole: true, description: 'places of a worker', otherwise: 100 },
  'task-ms': { min: 0, max: 60_000, description: 'run time of a task', otherwise: 100 },
  'task-cpu-ms': { min: 0, max: 1_000, description: 'CPU time of a task on the worker (assumed)', otherwise: 0.5 },
  tenants: { min: 1, max: 1_000_000, whole: true, description: 'users that have jobs', otherwise: 1_000 },
  'tenant-share': { min: 0, max: 1, description: 'share of the load of one user [0: all users have the same]', otherwise: 0 },
  'index-partitions': {
    min: 1,
    max: 1_024,
    whole: true,
    description: 'index partitions per user that items are written to (indexPartitionsWritten)',
    otherwise: INDEX_PARTITIONS,
  },
  creates: { min: 0, max: 100_000, description: 'jobs that the API creates per second', otherwise: (r) => r / 100 },
  warm: { min: 1_000, max: 1_000_000, description: 'warmWritesPerSecond of each table and index [by the rate]', otherwise: (r) => Math.max(LIMITS.newTableWrites, Math.ceil(r / 0.7)) },
  'table-quota': { min: 1_000, max: 10_000_000, description: "the account's quota of write units per second and table", otherwise: LIMITS.tableWrites },
  'burst-seconds': { min: 0, max: 300, description: 'seconds of unused units that a partition may use later (DynamoDB: up to 300, not guaranteed)', otherwise: 0 },
  'cpu-factor': { min: 0.1, max: 10, description: 'factor on all measured CPU times', otherwise: 1 },
  seed: { min: 0, max: 2 ** 31, whole: true, description: 'the same seed gives the same result', otherwise: 1 },
}; // biome-ignore format: a table

const WORDS: Record<string, { readonly words: readonly string[]; readonly description: string }> = {
  due: {
    words: DUE,
    description: 'due times: spread evenly, on whole seconds, or all of a minute at its beginning',
  },
  'group-commit': { words: ['on', 'off'], description: 'calls that arrive together are sent as one request' },
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
  const { min, max, whole, otherwise } = FLAGS[name] as Flag;
  if (text === undefined) return typeof otherwise === 'number' ? otherwise : otherwise(rate, taskMs);
  const value = Number(text);
  if (text.trim() === '' || !(value >= min && value <= max) || (whole && !Number.isInteger(value)))
    throw new UsageError(
      `--${name} is ${JSON.stringify(text)}; it must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}`,
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
  const line = (name: string, otherwise: string, description: string) =>
    `  --${name} ${otherwise}`.padEnd(26) + description;
  return [
    'usage: npm run simulate -- [--rate 10000] [options]',
    '',
    'Simulates the service under a load. Prints lateness, throttling, the first bottleneck and the cost.',
    '',
    ...Object.entries(FLAGS).map(([name, { otherwise, description }]) =>
      line(name, typeof otherwise === 'number' ? String(otherwise) : '…', description),
    ),
    ...Object.entries(WORDS).map(([name, { words, description }]) =>
      line(name, WORD_DEFAULTS[name] ?? '', `${description} (${words.join(', ')})`),
    ),
    line('json', '', 'print the result as JSON'),
  ].join('\n');
}
