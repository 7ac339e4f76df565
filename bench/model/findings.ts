// The results of a run: the load of every resource, the first bottleneck, throttling and cost.
import { HOURS, PRICES, sizeFor, VCPU_GB } from '../../tools/capacity.ts';
import type { ModelOptions } from './options.ts';
import { FIGURES, figure } from './parameters.ts';
import type { Lateness, SimulationResult } from './simulate.ts';
import { CONCURRENT_SHARDS, FORECAST_MINUTES } from './watchers.ts';
import { SHORT_RUN_MS } from './workers.ts';

export interface ResourceLoad {
  readonly resource: string;
  readonly load: number;
  readonly limit: number;
  readonly unit: string;
  readonly utilisation: number;
  /** The executions per second at which the resource is full, if nothing else changes. */
  readonly fullAt: number;
  /** The settings that raise the limit. */
  readonly raisedBy: string;
}

export interface Findings {
  readonly options: ModelOptions;
  readonly executions: SimulationResult['stages'];
  readonly lateness: Lateness;
  readonly latenessOfOthers?: Lateness;
  readonly throttled: Readonly<Record<string, number>>;
  readonly retries: number;
  readonly returned: number;
  readonly loads: readonly ResourceLoad[];
  readonly breaksFirst: ResourceLoad;
  /** The number of workers whose CPU is used to 70 %. */
  readonly workersNeeded: number;
  readonly watchersNeeded: number;
  readonly cpuMsPerExecution: number;
  readonly callsPerRequest: number;
  /** The time that a watcher needs for the entries of a minute. */
  readonly passSeconds: number;
  /** The seconds that dispatch falls behind in a minute. When the look-ahead is used up, every execution is late. */
  readonly behindSeconds: number;
  readonly quotas: readonly string[];
  readonly monthly: Readonly<Record<'dynamodb' | 'sqs' | 'workers' | 'watchers', number>>;
  readonly perMillion: number;
  readonly figures: typeof FIGURES;
}

/** A pass of more than a minute overlaps the next one, which takes other shards. lib/compute/watcher.ts reserves two. */
const MAX_OVERLAPPING_PASSES = 2;
/** Above this utilisation, the queue of a processor grows long. */
const TARGET_UTILISATION = 0.7;

export function findings(options: ModelOptions, result: SimulationResult): Findings {
  const loads = loadsOf(options, result).sort((a, b) => a.fullAt - b.fullAt);
  const monthly = monthlyOf(options, result);
  const { tables, workers, watchers } = result;
  const counted = [...tables.writes, ...tables.reads, ...tables.quotas.values()];
  const cpu = loads.find(({ resource }) => resource === 'CPU of the workers')?.utilisation ?? 0;
  const total = Object.values(monthly).reduce((sum, dollars) => sum + dollars, 0);
  return {
    options,
    executions: result.stages,
    lateness: result.lateness,
    ...(options.tenantShare > 0 && { latenessOfOthers: result.latenessOfOthers }),
    throttled: Object.fromEntries(
      counted.filter((one) => one.throttled > 0).map((one) => [one.name, one.throttled]),
    ),
    retries: workers.retries + watchers.retries,
    returned: workers.returned,
    loads,
    breaksFirst: loads[0] as ResourceLoad,
    workersNeeded: Math.max(2, Math.ceil((options.workers * cpu) / TARGET_UTILISATION)),
    watchersNeeded: Math.ceil((passSeconds(options) * options.watchers) / 60 / TARGET_UTILISATION),
    cpuMsPerExecution: result.cpuMsPerExecution,
    callsPerRequest: result.perRequest,
    passSeconds: passSeconds(options),
    behindSeconds: Math.max(0, 60 * (1 - (60 * MAX_OVERLAPPING_PASSES) / passSeconds(options))),
    quotas: sizeFor(options.rate).quotas,
    monthly,
    perMillion: total / ((options.rate * HOURS * 3600) / 1e6),
    figures: FIGURES,
  };
}

function loadsOf(options: ModelOptions, result: SimulationResult): ResourceLoad[] {
  const { rate, workers, concurrency, tenantShare } = options;
  const { tables, seconds } = result;
  const row = (
    resource: string,
    load: number,
    limit: number,
    unit: string,
    raisedBy: string,
  ): ResourceLoad => ({
    resource,
    load,
    limit,
    unit,
    utilisation: load / limit,
    fullAt: load > 0 ? (rate * limit) / load : Number.POSITIVE_INFINITY,
    raisedBy,
  });
  const raisedBy: Record<string, string> = {
    timetable: 'warmWritesPerSecond, shards',
    'executions.byUser':
      tenantShare > 0
        ? 'indexPartitions, then indexPartitionsWritten (docs/capacity.md)'
        : 'warmWritesPerSecond',
  };
  const partitions = [...tables.writes, ...tables.reads].map((one) =>
    row(
      `hottest partition of ${one.name}`,
      one.hottest(seconds),
      one.limit,
      'units/s',
      raisedBy[one.name] ?? 'warmWritesPerSecond',
    ),
  );
  const quotas = [...tables.quotas.values()].map((one) =>
    row(one.name, one.hottest(seconds), one.limit, 'units/s', "the account's quota, --table-quota"),
  );
  const busy = result.workers.calls.busyMs.reduce((sum, ms) => sum + ms, 0) / (seconds * 1000);
  return [
    ...partitions,
    ...quotas,
    row('CPU of the workers', busy, workers, 'vCPU', 'workers (maxWorkers, executionsPerWorker)'),
    row(
      'places of the workers',
      result.meanUsedPlaces,
      workers * concurrency,
      'tasks',
      'workerConcurrency, then workers',
    ),
    row(
      'pass of a watcher',
      passSeconds(options),
      60,
      's',
      'watchers, then MEMORY_MB (lib/compute/function.ts)',
    ),
    memory(options),
    row(
      'messages in flight of a queue',
      result.workers.queues.maxInFlight,
      figure('a queue, in flight'),
      'messages',
      'queues',
    ),
    row('HTTP API', options.creates, figure('the HTTP API'), 'requests/s', "the account's quota"),
  ];
}

/** The slots that a watcher works on concurrently are in memory as a whole. */
function memory({ rate, shards, watchers, watcherMb }: ModelOptions): ResourceLoad {
  const atRest = figure('memory of a watcher at rest');
  const perEntry = (figure('memory of a slot of 100,000 entries') - atRest) / 100_000;
  const slotsMb = ((rate * 60) / shards) * Math.min(CONCURRENT_SHARDS, shards / watchers) * perEntry;
  return {
    resource: 'memory of a watcher',
    load: atRest + slotsMb,
    limit: watcherMb,
    unit: 'MB',
    utilisation: (atRest + slotsMb) / watcherMb,
    fullAt: (rate * (watcherMb - atRest)) / slotsMb,
    raisedBy: 'shards, then MEMORY_MB (lib/compute/function.ts)',
  };
}

/** The CPU seconds of a watcher for the entries of a minute: each is dispatched, settled and counted six times. */
function passSeconds({ rate, watchers, watcherMb, cpuFactor }: ModelOptions): number {
  const perEntry =
    figure('CPU of an entry, dispatch') +
    figure('CPU of an entry, settle') +
    FORECAST_MINUTES * figure('CPU of an entry, forecast');
  const speed = Math.min(1, watcherMb / figure('a vCPU of Lambda'));
  return ((rate * 60) / watchers) * ((perEntry * cpuFactor) / 1000 / speed);
}

function monthlyOf(options: ModelOptions, result: SimulationResult): Findings['monthly'] {
  const { rate, every, creates, taskMs, workers, watchers, watcherMb } = options;
  const { tables, seconds } = result;
  const perSecond = (units: number) => units / seconds;
  const { jobs, jobsByUser, executions, executionsByUser } = tables;
  // Entries and reads of watchers are computed per execution, because passes do not start and end with the simulation.
  const writes =
    perSecond([jobs, jobsByUser, executions, executionsByUser].reduce((sum, one) => sum + one.given, 0)) +
    rate +
    creates;
  const slots = (2 + FORECAST_MINUTES) * figure('read units of an entry in its slot');
  // Reads: own row, head and row of the lock by the claim, head at dispatch, row at settle, and the line after a long run.
  const looks = taskMs < SHORT_RUN_MS ? 0 : 1;
  const reads = rate * (1.5 + 0.5 * Math.min(1, every / 60) + 0.5 + looks + slots);
  const requests = perSecond(result.workers.queues.requests) + rate / 10;
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
