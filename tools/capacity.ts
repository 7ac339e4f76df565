// Computes the size and the cost of a deployment for a load, for docs/capacity.md and for your own figures:
// `node tools/capacity.ts [executions per second …]`. Prices are in dollars: us-east-1, on demand, November 2026.

/**
 * The usage of one recurring execution on the normal path (docs/architecture.md#cost-budget). `npm run bench -- cost`
 * measures it.
 */
export const PER_EXECUTION = {
  writeUnits: 5,
  readUnits: 2,
  /** Sends and deletes have ten messages per request, receives about four. */
  sqsRequests: 0.4,
};

export const PRICES = {
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  sqsRequest: 0.4e-6,
  /** One provisioned unit for one hour. */
  writeUnitHour: 0.00065,
  readUnitHour: 0.00013,
  /** Fargate on arm64. */
  vcpuHour: 0.03238,
  gbHour: 0.00356,
  /** The discount of Spot on the Fargate price. */
  spotDiscount: 0.7,
  publicAddressHour: 0.005,
  endpointHour: 0.01,
  lambdaGbSecond: 0.0000133334,
  metricMonth: 0.3,
  logGb: 0.5,
};

export const LIMITS = {
  /** Write units per second of one DynamoDB partition. */
  partitionWrites: 1_000,
  /** Write units per second of a new on-demand table. */
  newTableWrites: 4_000,
  /** Messages in flight of one SQS queue. A worker holds a message for 1 to 2 s before its fire time, and while it runs. */
  queueInFlight: 120_000,
  /** The default quota of write units per second and table. */
  tableWrites: 40_000,
  /** The default quota of Fargate vCPUs of an account. */
  fargateVcpus: 6,
};

export const HOURS = 730;
const SECONDS = HOURS * 3600;
const UTILIZATION = 0.7;
/** Executions per second and vCPU: 0.8 ms per SDK call and task, with a margin (docs/facts.md#cpu-per-item). Measure yours. */
const EXECUTIONS_PER_VCPU = 100;
export const VCPU_GB = 2;
/**
 * Executions per second that one watcher (0.58 vCPU at 1,024 MB) dispatches, settles and forecasts, with a margin. It is
 * full at about 1,300 to 2,000 (docs/scale.md).
 */
const WATCHED_PER_SECOND = 800;
const HELD_SECONDS = 2;

export interface Sizing {
  readonly perSecond: number;
  readonly shards: number;
  readonly watchers: number;
  readonly queues: number;
  readonly workers: number;
  readonly writesPerSecond: number;
  readonly monthly: {
    readonly onDemand: number;
    readonly provisioned: number;
    readonly sqs: number;
    readonly workers: number;
    readonly workersOnSpot: number;
  };
  readonly quotas: readonly string[];
}

/** `seconds` is the run time of an execution. */
export function sizeFor(perSecond: number, seconds = 0.1): Sizing {
  const writesPerSecond = perSecond * PER_EXECUTION.writeUnits;
  const readsPerSecond = perSecond * PER_EXECUTION.readUnits;
  // the table of executions has the most: each row is written when it opens and when it ends
  const tableWrites = perSecond * 2;
  // Every execution inserts one entry into the slots of a minute. A partition should be half full at most.
  const forInserts = Math.ceil(perSecond / (LIMITS.partitionWrites / 2));
  const shards = Math.max(16, 2 ** Math.ceil(Math.log2(Math.max(1, forInserts * 4))));
  const watchers = Math.max(1, Math.ceil(perSecond / WATCHED_PER_SECOND));
  const queues = Math.max(
    1,
    Math.ceil((perSecond * (HELD_SECONDS + seconds)) / (LIMITS.queueInFlight * UTILIZATION)),
  );
  const workers = Math.max(2, Math.ceil(perSecond / EXECUTIONS_PER_VCPU / UTILIZATION));
  const provisioned =
    (HOURS * (writesPerSecond * PRICES.writeUnitHour + readsPerSecond * PRICES.readUnitHour)) / UTILIZATION;
  const fargate = workers * HOURS * (PRICES.vcpuHour + VCPU_GB * PRICES.gbHour);
  const addresses = workers * HOURS * PRICES.publicAddressHour;
  return {
    perSecond,
    shards,
    watchers,
    queues,
    workers,
    writesPerSecond,
    monthly: {
      onDemand: SECONDS * (writesPerSecond * PRICES.writeUnit + readsPerSecond * PRICES.readUnit),
      provisioned,
      sqs: SECONDS * perSecond * PER_EXECUTION.sqsRequests * PRICES.sqsRequest,
      workers: fargate + addresses,
      workersOnSpot: fargate * (1 - PRICES.spotDiscount) + addresses,
    },
    quotas: [
      tableWrites > LIMITS.newTableWrites
        ? `warmWritesPerSecond ${Math.ceil(tableWrites / UTILIZATION)}`
        : '',
      tableWrites > LIMITS.tableWrites ? 'DynamoDB units per table' : '',
      workers > LIMITS.fargateVcpus ? `Fargate vCPUs to ${workers * 2}` : '',
    ].filter(Boolean),
  };
}

const dollars = (amount: number): string =>
  `$${amount < 10 ? amount.toFixed(2) : Math.round(amount).toLocaleString('en-US')}`;

export function toMarkdown(sizings: readonly Sizing[]): string {
  const rows = sizings.map(
    ({ perSecond, shards, watchers, queues, workers, writesPerSecond, monthly, quotas }) => [
      perSecond.toLocaleString('en-US'),
      shards,
      watchers,
      queues,
      workers,
      writesPerSecond.toLocaleString('en-US'),
      dollars(monthly.onDemand),
      dollars(monthly.provisioned),
      dollars(monthly.sqs),
      `${dollars(monthly.workers)} / ${dollars(monthly.workersOnSpot)}`,
      quotas.join('; ') || '–',
    ],
  );
  const columns = ['executions/s', 'shards', 'watchers', 'queues', 'workers', 'WRU/s', 'DynamoDB on demand', 'provisioned', 'SQS', 'workers / on Spot', 'to raise']; // biome-ignore format: a row
  return [columns, columns.map((_, i) => (i === 0 ? '---:' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

export const RATES = [10, 100, 1_000, 10_000];

if (import.meta.main) {
  const given = process.argv.slice(2).map(Number);
  if (given.some((rate) => !(rate > 0))) {
    console.error('usage: node tools/capacity.ts [executions per second …]');
    process.exit(2);
  }
  console.log(toMarkdown((given.length > 0 ? given : RATES).map((rate) => sizeFor(rate))));
}
