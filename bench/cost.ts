// The cost of one execution: the write and read units that DynamoDB reports (`ReturnConsumedCapacity`), SQS requests, and
// dollars. The real use cases run on local engines with accelerated time, so that planning, dispatch and settle of whole
// minutes are counted.

import { MINUTE } from '../src/domain/executions/slots.ts';
import { jobSpecSchema } from '../src/domain/jobs/job-spec.ts';
import { createJob } from '../src/jobs/create-job.ts';
import { startDynoxide } from '../src/local/dynoxide.ts';
import { startFauxqs } from '../src/local/fauxqs.ts';
import { type Context, DEFAULT_SETTINGS } from '../src/scheduling/context.ts';
import { builtinTasks } from '../src/tasks/registry.ts';
import { runWatcher } from '../src/watcher/main.ts';
import { startWorker } from '../src/worker/worker.ts';
import { acceleratedClock } from '../tools/accelerated-time.ts';
import { type Endpoints, openMetered, type Units } from './metered.ts';
import { progress, type Report, type Table } from './report.ts';

const SPEED = 6;
/** Long enough that dispatch, not the create, has planned every counted entry. */
const WARM_UP_MINUTES = 5;
const COUNTED_MINUTES = 4;

/** docs/facts.md#prices, us-east-1, on demand. */
const DOLLARS_PER_MILLION = { write: 0.625, read: 0.125, request: 0.4 };

interface Workload {
  readonly name: string;
  readonly jobs: number;
  readonly spec: Record<string, unknown>;
}

/** On a busy machine, late executions must not become skipped ones. */
const patient = { misfire: { graceSeconds: 3600 } };
const every = (seconds: number) => ({ schedule: { every: `PT${seconds}S` }, ...patient });
const WORKLOADS: Workload[] = [
  { name: 'recurring, overlap skip', jobs: 48, spec: { task: 'noop', ...every(4) } },
  {
    name: 'recurring, with a concurrency key',
    jobs: 8,
    spec: { task: 'noop', limit: { key: 'bench', concurrent: 20 }, ...every(4) },
  },
  { name: 'recurring, overlap queue', jobs: 8, spec: { task: 'noop', overlap: 'queue', ...every(4) } },
  { name: 'recurring, overlap allow', jobs: 8, spec: { task: 'noop', overlap: 'allow', ...every(4) } },
  {
    name: 'recurring, second attempt succeeds',
    jobs: 8,
    spec: { task: 'noop', params: { failTimes: 1 }, ...every(20) },
  },
  {
    name: 'recurring, runs 25 s',
    jobs: 8,
    spec: { task: 'noop', params: { durationMs: 25_000 / SPEED }, ...every(60) },
  },
  { name: 'one-time, with its create', jobs: 0, spec: { task: 'noop' } },
];

interface Counted extends Units {
  executions: number;
  byOperation: Map<string, Units>;
}

/** The watcher's own writes per shard and minute, which do not grow with the executions. */
const FIXED = new Set(['readShard', 'takeShard', 'commitShard', 'putWorker', 'insertShard', 'removeWorker']);

async function measure(endpoints: Endpoints, workload: Workload, index: number): Promise<Counted> {
  const clock = acceleratedClock(SPEED, Date.now());
  let counting = false;
  const counted: Counted = { executions: 0, write: 0, read: 0, requests: 0, byOperation: new Map() };
  const count = (operation: string, units: Units) => {
    if (!counting) return;
    const sum = counted.byOperation.get(operation) ?? { write: 0, read: 0, requests: 0 };
    for (const unit of ['write', 'read', 'requests'] as const) {
      sum[unit] += units[unit];
      if (!FIXED.has(operation)) counted[unit] += units[unit];
    }
    counted.byOperation.set(operation, sum);
  };
  // A shorter look-ahead only shortens the warm-up.
  const settings = { ...DEFAULT_SETTINGS, shards: 1, lookAheadMs: 60_000 };
  const metered = await openMetered({
    endpoints,
    prefix: `cost${index}-`,
    clock,
    settings,
    speed: SPEED,
    count,
  });
  const { context, receivers } = metered;

  const stop = new AbortController();
  const watching = runWatcher(context, [0], stop.signal);
  const worker = startWorker(context, {
    workerId: 'bench',
    host: 'bench',
    tasks: builtinTasks(),
    receivers,
    pollersPerQueue: 1,
  });
  const create = (spec: Record<string, unknown>) =>
    createJob(context, { userId: 'bench', spec: jobSpecSchema.parse(spec) });
  for (let i = 0; i < workload.jobs; i++) await create(workload.spec);

  // Whole minutes are counted between two passes of the watcher, so that no pass is counted in part.
  const midMinute = (minute: number) => minute * MINUTE + MINUTE / 2;
  const begin = midMinute(Math.ceil(clock.now() / MINUTE) + (workload.jobs > 0 ? WARM_UP_MINUTES : 0));
  const end = begin + COUNTED_MINUTES * MINUTE;
  await clock.sleep(begin - clock.now());
  counting = true;
  let created = 0;
  while (clock.now() < end) {
    if (workload.jobs === 0 && created < 200) {
      await create({ ...workload.spec, schedule: { in: `PT${20 + (created % 60)}S` } });
      created++;
    }
    await clock.sleep(1000);
  }
  counting = false;
  counted.executions = created || Math.round((await finishedBetween(context, begin, end)) || 1);
  stop.abort();
  await worker.stop({ deadlineMs: 30_000 });
  await watching;
  metered.close();
  return counted;
}

async function finishedBetween({ store }: Context, begin: number, end: number): Promise<number> {
  let finished = 0;
  let cursor: string | undefined;
  do {
    const page = await store.listRowKeys('bench', {
      limit: 1000,
      cursor,
      from: String(begin),
      to: String(end),
    });
    finished += page.items.length;
    cursor = page.next;
  } while (cursor);
  return finished;
}

export async function cost(): Promise<Report> {
  const dynoxide = await startDynoxide({});
  const fauxqs = await startFauxqs();
  const engines = { dynamodb: dynoxide.endpoint, sqs: fauxqs.endpoint };
  const started = Date.now();
  const total = ((WARM_UP_MINUTES + COUNTED_MINUTES + 2) * 60) / SPEED;
  const ticking = setInterval(() => {
    progress(`cost: ${Math.round((Date.now() - started) / 1000)} of about ${Math.round(total)} s`);
  }, 1000);
  try {
    const results = await Promise.all(WORKLOADS.map((workload, i) => measure(engines, workload, i)));
    return report(results);
  } finally {
    clearInterval(ticking);
    progress('');
    await fauxqs.stop();
    await dynoxide.stop();
  }
}

function report(results: readonly Counted[]): Report {
  const overview = results.map((r, i) => {
    const per = (n: number) => n / r.executions;
    const dollars =
      per(r.write) * DOLLARS_PER_MILLION.write +
      per(r.read) * DOLLARS_PER_MILLION.read +
      per(r.requests) * DOLLARS_PER_MILLION.request;
    return [
      WORKLOADS[i]?.name ?? '',
      r.executions,
      per(r.write),
      per(r.read),
      per(r.requests),
      `$${dollars.toFixed(2)}`,
    ];
  });
  const recurring = results[0];
  const details: Table = {
    title: 'By operation: recurring, overlap skip',
    columns: ['operation', 'WRU', 'RRU', 'requests'],
    rows: [...(recurring?.byOperation ?? [])]
      .filter(([operation]) => !FIXED.has(operation))
      .sort(([, a], [, b]) => b.write - a.write || b.read - a.read)
      .map(([operation, u]) => [
        operation,
        ...[u.write, u.read, u.requests].map((n) => n / (recurring?.executions ?? 1)),
      ]),
  };
  const fixed = [...(recurring?.byOperation ?? [])].filter(([operation]) => FIXED.has(operation));
  const perMinute = (unit: 'write' | 'read') =>
    (fixed.reduce((sum, [, u]) => sum + u[unit], 0) / COUNTED_MINUTES).toFixed(1);
  return {
    name: 'cost',
    command: 'npm run bench -- cost',
    tables: [
      {
        title: 'Per execution',
        columns: ['workload', 'executions', 'WRU', 'RRU', 'SQS requests', 'per million'],
        rows: overview,
      },
      details,
    ],
    notes: [
      `At any load: ${perMinute('write')} WRU and ${perMinute('read')} RRU per minute for the lease and cursors of one shard and the row of one worker.`,
      'SQS requests at this low rate: a receive seldom finds ten messages. Prices: us-east-1, on demand.',
      `Counted over ${COUNTED_MINUTES} minutes of accelerated time (× ${SPEED}) on the embedded engines.`,
    ],
  };
}
