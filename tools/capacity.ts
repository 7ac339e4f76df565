// What a load needs and costs: the arithmetic behind docs/capacity.md, to be checked and to be tried with figures of your
// own: `node tools/capacity.ts [executions per second …]`. Prices: us-east-1, on demand, November 2026, in dollars.

/** Of one recurring execution on the normal path (docs/architecture.md#cost-budget; `npm run bench -- cost` measures it). */
export const PER_EXECUTION = {
  writeUnits: 4,
  readUnits: 3,
  /** Sends and deletes in tens, receives of about four. */
  sqsRequests: 0.4,
};

export const PRICES = {
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  sqsRequest: 0.4e-6,
  /** A provisioned unit for an hour. */
  writeUnitHour: 0.00065,
  readUnitHour: 0.00013,
  /** Fargate on arm64. */
  vcpuHour: 0.03238,
  gbHour: 0.00356,
  /** Off the Fargate price. */
  spotDiscount: 0.7,
  publicAddressHour: 0.005,
  endpointHour: 0.01,
  lambdaGbSecond: 0.0000133334,
  metricMonth: 0.3,
  logGb: 0.5,
};

export const LIMITS = {
  /** Of one DynamoDB partition, a second. */
  partitionWrites: 1_000,
  /** What a new table on demand takes from the start, a second. */
  newTableWrites: 4_000,
  /** Of one SQS queue, in flight; a message is with a worker for a second or two before its time, then for as long as it runs. */
  queueInFlight: 120_000,
  /** By default, of an account and table. */
  tableWrites: 40_000,
  /** By default, of an account on Fargate. */
  fargateVcpus: 6,
};

export const HOURS = 730;
const SECONDS = HOURS * 3600;
const UTILIZATION = 0.7;
/** Of one vCPU: 0.8 ms of it per SDK call and task, with room (docs/facts.md#cpu-per-item; measure yours). */
const EXECUTIONS_PER_VCPU = 100;
export const VCPU_GB = 2;
/**
 * Executions a second that one watcher (0.58 vCPU at 1,024 MB) dispatches, settles and forecasts with room: it is full at
 * some 1,300 to 2,000 (docs/scale.md).
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

/** `seconds`: how long an execution runs. */
export function sizeFor(perSecond: number, seconds = 0.1): Sizing {
  const writesPerSecond = perSecond * PER_EXECUTION.writeUnits;
  const readsPerSecond = perSecond * PER_EXECUTION.readUnits;
  // one insert per execution goes into the slots of a minute; a partition should be half full at most
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
      // the four units go to three tables and an index: each takes one per execution
      perSecond > LIMITS.newTableWrites ? `warmWritesPerSecond ${Math.ceil(perSecond / UTILIZATION)}` : '',
      perSecond > LIMITS.tableWrites ? 'DynamoDB units per table' : '',
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
