// What a run says: how loaded everything is, what breaks first and what moves it, what throttled, what it costs.
import { SHORT_RUN_MS } from '../../src/scheduling/claiming/holds.ts';
import { HOURS, PRICES, sizeFor, VCPU_GB } from '../../tools/capacity.ts';
import type { ModelOptions } from './options.ts';
import { FIGURES, figure } from './parameters.ts';
import type { Lateness, Seen } from './simulate.ts';
import { FORECAST_MINUTES, SIDE_BY_SIDE } from './watchers.ts';

export interface Loaded {
  readonly resource: string;
  readonly load: number;
  readonly limit: number;
  readonly unit: string;
  readonly utilisation: number;
  /** Executions a second at which it is full, everything else as it is. */
  readonly fullAt: number;
  /** What moves it. */
  readonly moves: string;
}

export interface Findings {
  readonly options: ModelOptions;
  readonly executions: Seen['stages'];
  readonly lateness: Lateness;
  readonly latenessOfOthers?: Lateness;
  readonly throttled: Readonly<Record<string, number>>;
  readonly retries: number;
  readonly handedBack: number;
  readonly loaded: readonly Loaded[];
  readonly breaksFirst: Loaded;
  /** So that their CPU is used to 70 %. */
  readonly workersNeeded: number;
  readonly watchersNeeded: number;
  readonly cpuMsPerExecution: number;
  readonly callsPerRequest: number;
  /** What a watcher needs for a minute's entries. */
  readonly passSeconds: number;
  /** How far dispatch falls behind in a minute; then the look-ahead is used up, and everything is late. */
  readonly behindSeconds: number;
  readonly quotas: readonly string[];
  readonly monthly: Readonly<Record<'dynamodb' | 'sqs' | 'workers' | 'watchers', number>>;
  readonly perMillion: number;
  readonly figures: typeof FIGURES;
}

/** A pass that takes longer than a minute overlaps the next one, which takes other shards (lib/compute/watcher.ts reserves two). */
const PASSES_AT_ONCE = 2;
/** Beyond this a queue in front of a processor grows long. */
const COMFORTABLE = 0.7;

export function findings(options: ModelOptions, seen: Seen): Findings {
  const loaded = loadedOf(options, seen).sort((a, b) => a.fullAt - b.fullAt);
  const monthly = monthlyOf(options, seen);
  const { tables, workers, watchers } = seen;
  const counted = [...tables.writes, ...tables.reads, ...tables.quotas.values()];
  const cpu = loaded.find(({ resource }) => resource === 'CPU of the workers')?.utilisation ?? 0;
  const total = Object.values(monthly).reduce((sum, dollars) => sum + dollars, 0);
  return {
    options,
    executions: seen.stages,
    lateness: seen.lateness,
    ...(options.tenantShare > 0 && { latenessOfOthers: seen.latenessOfOthers }),
    throttled: Object.fromEntries(
      counted.filter((one) => one.throttled > 0).map((one) => [one.name, one.throttled]),
    ),
    retries: workers.retries + watchers.retries,
    handedBack: workers.handedBack,
    loaded,
    breaksFirst: loaded[0] as Loaded,
    workersNeeded: Math.max(2, Math.ceil((options.workers * cpu) / COMFORTABLE)),
    watchersNeeded: Math.ceil((passSeconds(options) * options.watchers) / 60 / COMFORTABLE),
    cpuMsPerExecution: seen.cpuMsPerExecution,
    callsPerRequest: seen.perRequest,
    passSeconds: passSeconds(options),
    behindSeconds: Math.max(0, 60 * (1 - (60 * PASSES_AT_ONCE) / passSeconds(options))),
    quotas: sizeFor(options.rate).quotas,
    monthly,
    perMillion: total / ((options.rate * HOURS * 3600) / 1e6),
    figures: FIGURES,
  };
}

function loadedOf(options: ModelOptions, seen: Seen): Loaded[] {
  const { rate, workers, concurrency, tenantShare } = options;
  const { tables, seconds } = seen;
  const row = (resource: string, load: number, limit: number, unit: string, moves: string): Loaded => ({
    resource,
    load,
    limit,
    unit,
    utilisation: load / limit,
    fullAt: load > 0 ? (rate * limit) / load : Number.POSITIVE_INFINITY,
    moves,
  });
  const moves: Record<string, string> = {
    timetable: 'warmWritesPerSecond, shards',
    'executions.byUser':
      tenantShare > 0
        ? 'indexPartitions (src/store/dynamodb/dynamodb.ts; no setting yet, never lowered)'
        : 'warmWritesPerSecond',
  };
  const partitions = [...tables.writes, ...tables.reads].map((one) =>
    row(
      `hottest partition of ${one.name}`,
      one.hottest(seconds),
      one.limit,
      'units/s',
      moves[one.name] ?? 'warmWritesPerSecond',
    ),
  );
  const quotas = [...tables.quotas.values()].map((one) =>
    row(one.name, one.hottest(seconds), one.limit, 'units/s', "the account's quota, --table-quota"),
  );
  const busy = seen.workers.calls.busyMs.reduce((sum, ms) => sum + ms, 0) / (seconds * 1000);
  return [
    ...partitions,
    ...quotas,
    row('CPU of the workers', busy, workers, 'vCPU', 'workers (maxWorkers, executionsPerWorker)'),
    row(
      'places of the workers',
      seen.meanPlaces,
      workers * concurrency,
      'tasks',
      'workerConcurrency, then workers',
    ),
    row(
      'a pass of a watcher',
      passSeconds(options),
      60,
      's',
      'watchers, then MEMORY_MB (lib/compute/function.ts)',
    ),
    memory(options),
    row(
      'a queue, in flight',
      seen.workers.queues.mostInFlight,
      figure('a queue, in flight'),
      'messages',
      'queues',
    ),
    row('the HTTP API', options.creates, figure('the HTTP API'), 'requests/s', "the account's quota"),
  ];
}

/** The slots that are in hand at once are in memory as a whole. */
function memory({ rate, shards, watchers, watcherMb }: ModelOptions): Loaded {
  const atRest = figure('memory of a watcher at rest');
  const perEntry = (figure('memory of a slot of 100,000 entries') - atRest) / 100_000;
  const ofSlots = ((rate * 60) / shards) * Math.min(SIDE_BY_SIDE, shards / watchers) * perEntry;
  return {
    resource: 'memory of a watcher',
    load: atRest + ofSlots,
    limit: watcherMb,
    unit: 'MB',
    utilisation: (atRest + ofSlots) / watcherMb,
    fullAt: (rate * (watcherMb - atRest)) / ofSlots,
    moves: 'shards, then MEMORY_MB (lib/compute/function.ts)',
  };
}

/** CPU that a minute's entries need of one watcher: sent, settled, and counted six times. */
function passSeconds({ rate, watchers, watcherMb, cpuFactor }: ModelOptions): number {
  const perEntry =
    figure('CPU of an entry, dispatch') +
    figure('CPU of an entry, settle') +
    FORECAST_MINUTES * figure('CPU of an entry, forecast');
  const speed = Math.min(1, watcherMb / figure('a vCPU of Lambda'));
  return ((rate * 60) / watchers) * ((perEntry * cpuFactor) / 1000 / speed);
}

function monthlyOf(options: ModelOptions, seen: Seen): Findings['monthly'] {
  const { rate, every, creates, taskMs, workers, watchers, watcherMb } = options;
  const { tables, seconds } = seen;
  const perSecond = (units: number) => units / seconds;
  const { jobs, jobsByUser, executions, executionsByUser } = tables;
  // entries, and what the watchers read, by what an execution needs: passes do not begin and end with the simulated time
  const writes =
    perSecond([jobs, jobsByUser, executions, executionsByUser].reduce((sum, one) => sum + one.given, 0)) +
    rate +
    creates;
  const slots = (2 + FORECAST_MINUTES) * figure('read units of an entry in its slot');
  // head and holder's row; head at dispatch; row at settle; who waits, after a long run
  const looks = taskMs < SHORT_RUN_MS ? 0 : 0.5;
  const reads = rate * (1 + 0.5 * Math.min(1, every / 60) + 0.5 + looks + slots);
  const requests = perSecond(seen.workers.queues.requests) + rate / 10;
  const month = HOURS * 3600;
  const worker = PRICES.vcpuHour + VCPU_GB * PRICES.gbHour + PRICES.publicAddressHour;
  const watcherSeconds = Math.min(passSeconds(options), 120) * watchers * HOURS * 60;
  return {
    dynamodb: month * (writes * PRICES.writeUnit + reads * PRICES.readUnit),
    sqs: month * requests * PRICES.sqsRequest,
    workers: HOURS * workers * worker,
    watchers: watcherSeconds * (watcherMb / 1024) * PRICES.lambdaGbSecond,
  };
}
