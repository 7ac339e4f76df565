// `node bench/model/scale.ts` prints the tables of docs/scale.md. It takes some minutes. `node bench/model/scale.ts oneTenant` prints one.
import { type Findings, findings } from './findings.ts';
import { readOptions } from './options.ts';
import { simulate } from './simulate.ts';
import { dollars, inTime, percent, table } from './text.ts';

const RATES = [100, 1_000, 10_000, 50_000];
const SEEDS = 10;
/** The maximum number, for tables about other resources. */
const watchers = 64;

function run(flags: Record<string, string | number>): Findings {
  const { options } = readOptions(
    Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
  );
  return findings(options, simulate(options));
}

const count = (n: number): string => Math.round(n).toLocaleString('en-US');
const late = ({ lateness: { p50, p99 } }: Findings): string => `${inTime(p50)} / ${inTime(p99)}`;
const throttled = (found: Findings): string =>
  Object.entries(found.throttled)
    .map(([name, n]) => `${name} ${count(n)}`)
    .join(', ') || '–';
/** The executions without a final row when the simulation ends. */
const unwritten = ({ executions: { done, ...others } }: Findings): number =>
  Object.values(others).reduce((sum, n) => sum + n, 0);
const passesOf = ({ behindSeconds, passSeconds }: Findings): string =>
  behindSeconds > 0
    ? `fall ${Math.round(behindSeconds)} s/min behind`
    : passSeconds > 60
      ? 'overlap'
      : 'keep up';

function withGuideSettings(): string {
  const rows = RATES.map((rate) => {
    const found = run({ rate });
    const { shards, queues, workers } = found.options;
    return [
      count(rate),
      `${shards} / ${found.options.watchers} / ${queues} / ${workers}`,
      late(found),
      throttled(found),
      `${found.breaksFirst.resource}, ${percent(found.breaksFirst.utilisation)}`,
      passesOf(found),
      `${found.watchersNeeded} / ${found.workersNeeded}`,
    ];
  });
  const columns = ['executions/s', 'shards / watchers / queues / workers', 'lateness p50 / p99', 'throttled', 'most used', 'passes', 'needed: watchers / workers']; // biome-ignore format: a row
  return table([columns, ...rows]);
}

/** Watchers at 70 %, twice the workers of 70 %, tables that are warm for twice the load, and a raised table quota. */
function withNeededCapacity(): string {
  const rows = RATES.map((rate) => {
    const quota = Math.max(40_000, rate * 2);
    const guess = run({ rate, 'table-quota': quota });
    const found = run({
      rate,
      watchers: Math.min(64, guess.watchersNeeded),
      workers: 2 * guess.workersNeeded,
      warm: Math.max(4_000, rate * 2),
      'table-quota': quota,
    });
    const { workers, warm } = found.options;
    const { dynamodb, sqs, workers: fargate, watchers: lambda } = found.monthly;
    return [
      count(rate),
      `${found.options.watchers} / ${workers} / ${count(warm)}`,
      late(found),
      throttled(found),
      `${found.breaksFirst.resource}, ${percent(found.breaksFirst.utilisation)}`,
      [dynamodb, sqs, fargate, lambda].map(dollars).join(' / '),
      dollars(found.perMillion),
    ];
  });
  const columns = ['executions/s', 'watchers / workers / warm', 'lateness p50 / p99', 'throttled', 'most used', 'per month: DynamoDB / SQS / workers / watchers', 'per million']; // biome-ignore format: a row
  return table([columns, ...rows]);
}

function oneTenant(): string {
  const rows = [1_000, 2_000, 3_000, 4_000, 5_000, 10_000].map((rate) => {
    const seeds = Array.from({ length: SEEDS }, (_, i) =>
      run({
        rate,
        'tenant-share': 0.9,
        duration: 20,
        seed: i + 1,
        warm: Math.max(4_000, rate * 2),
        watchers,
      }),
    );
    const throttling = seeds.filter((found) => (found.throttled['executions.byUser'] ?? 0) > 0).length;
    const median = (value: (found: Findings) => number) =>
      inTime(seeds.map(value).sort((a, b) => a - b)[SEEDS / 2] ?? 0);
    return [
      count(rate),
      count((rate * 0.9) / 4),
      `${throttling} of ${SEEDS}`,
      median(({ lateness }) => lateness.p99),
      median(({ latenessOfOthers }) => latenessOfOthers?.p99 ?? 0),
      count(seeds.map(unwritten).sort((a, b) => a - b)[SEEDS / 2] ?? 0),
    ];
  });
  const columns = ['executions/s', 'units/s of each of its 4 keys', 'seeds in which the index throttles', 'lateness p99, all', 'p99, other tenants', 'rows not written at the end']; // biome-ignore format: a row
  return table([columns, ...rows]);
}

/** One tenant has 10,000 executions per second, and the others together a tenth of that. */
function morePartitions(): string {
  const rows = [4, 8, 16, 32, 64].map((partitions) => {
    const seeds = Array.from({ length: SEEDS / 2 }, (_, i) =>
      run({
        rate: 11_000,
        'tenant-share': 10 / 11,
        'index-partitions': partitions,
        duration: 20,
        seed: i + 1,
        warm: 22_000,
        watchers,
      }),
    );
    const worst = (value: (found: Findings) => number) => inTime(Math.max(...seeds.map(value)));
    const median = (value: (found: Findings) => number) =>
      count(seeds.map(value).sort((a, b) => a - b)[Math.floor(seeds.length / 2)] ?? 0);
    return [
      String(partitions),
      count(10_000 / partitions),
      worst(({ lateness }) => lateness.p50),
      worst(({ lateness }) => lateness.p99),
      worst(({ latenessOfOthers }) => latenessOfOthers?.p99 ?? 0),
      median((found) => found.throttled['executions.byUser'] ?? 0),
      median(unwritten),
      `${Math.max(...seeds.map((found) => found.cpuMsPerExecution)).toFixed(1)} ms`,
    ];
  });
  const columns = ['partitions per user', 'units/s of each', 'lateness p50', 'p99', 'p99, other tenants', 'throttled by the index', 'rows not written at the end', 'CPU each']; // biome-ignore format: a row
  return table([columns, ...rows]);
}

function workersAndGroups(): string {
  const rows = [20, 30, 50, 80, 143].map((workers) => {
    const [on, off] = ['on', 'off'].map((groups) =>
      run({ rate: 10_000, workers, 'group-commit': groups, duration: 30, watchers }),
    ) as [Findings, Findings];
    const cpu = ({ loads, cpuMsPerExecution }: Findings) =>
      `${cpuMsPerExecution.toFixed(2)} ms, ${percent(loads.find(({ resource }) => resource === 'CPU of the workers')?.utilisation ?? 0)}`;
    return [String(workers), late(on), cpu(on), late(off), cpu(off)];
  });
  const columns = ['workers', 'on: lateness p50 / p99', 'CPU each, used', 'off: lateness p50 / p99', 'CPU each, used']; // biome-ignore format: a row
  return table([columns, ...rows]);
}

function whenDue(): string {
  const rows = ['even', 'second', 'minute'].flatMap((due) =>
    [100, 400].map((concurrency) => {
      const found = run({ rate: 10_000, due, concurrency, duration: 60, watchers, warm: 20_000 });
      return [due, String(concurrency), late(found), throttled(found), count(found.returned)];
    }),
  );
  return table([['due', 'places per worker', 'lateness p50 / p99', 'throttled', 'returned'], ...rows]);
}

const TABLES = {
  withGuideSettings,
  withNeededCapacity,
  oneTenant,
  morePartitions,
  workersAndGroups,
  whenDue,
};
const chosen = process.argv.slice(2);
for (const [name, make] of Object.entries(TABLES)) {
  if (chosen.length === 0 || chosen.includes(name)) console.log(`### ${name}\n\n${make()}\n`);
}
