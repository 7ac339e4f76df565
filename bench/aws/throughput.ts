// The throughput of the AWS path: creating, dispatching and running as fast as possible, and the process that limits it.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJobSpec } from '../../src/api/handlers/job-input.ts';
import { forEachLimit } from '../../src/concurrency/map-limit.ts';
import { dueKey } from '../../src/domain/executions/ids.ts';
import { isTerminal } from '../../src/domain/executions/row.ts';
import { MINUTE, minuteOf } from '../../src/domain/executions/slots.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { dispatchSlot } from '../../src/scheduling/planning/dispatch-slot.ts';
import { newRow } from '../../src/scheduling/records/write-row.ts';
import { allShards } from '../../src/watcher/main.ts';
import { type Options, progress, type Report } from '../report.ts';
import { onceAt, type Spec, USER } from '../system/specs.ts';
import { firstStarts } from '../system/starts.ts';
import { until } from '../system/until.ts';
import { benchRules, createJobs } from './create.ts';
import { type Cpu, inSystem, type System } from './system.ts';

const CONCURRENT_CREATES = 32;
/** The number of executions that a worker holds. */
const CALLERS = 1_000;
/** The concurrency of the watcher. */
const SHARDS_AT_ONCE = 8;
/** Due later than what a writer dispatches itself, so that only creating is measured. */
const FAR_MS = 30 * MINUTE;
/** The maximum load of other programs during a measurement, in cores. */
const DISTURBED_CORES = 0.25;
const DRAIN_TIMEOUT_MS = 300_000;

interface Measured {
  readonly name: string;
  readonly count: number;
  readonly ms: number;
  readonly cpu: Cpu;
  readonly note?: string;
}

async function measure(
  system: System,
  name: string,
  count: number,
  body: () => Promise<string | undefined>,
): Promise<Measured> {
  progress(`throughput: ${name}`);
  const before = system.cpu();
  const began = performance.now();
  const note = await body();
  const ms = performance.now() - began;
  const after = system.cpu();
  const parts = Object.keys(after) as (keyof Cpu)[];
  const cpu = Object.fromEntries(parts.map((part) => [part, after[part] - before[part]])) as Cpu;
  return { name, count, ms, cpu, note };
}

async function createSingly({ backend }: System, count: number): Promise<undefined> {
  const { value: spec } = parseJobSpec(benchRules, onceAt(Date.now() + FAR_MS));
  if (!spec) throw new Error('the spec of the benchmark is wrong');
  await forEachLimit(Array.from({ length: count }), CONCURRENT_CREATES, async () => {
    await createJob(backend.ctx, { userId: USER, spec });
  });
}

/** Dispatches the entries of one minute of all shards, as the watcher does. */
async function dispatchMinute({ backend: { ctx } }: System, minute: number, expected: number) {
  let total = 0;
  await forEachLimit(allShards(ctx.settings.shards), SHARDS_AT_ONCE, async (shard) => {
    const { sent } = await dispatchSlot(ctx, shard, minute);
    total += sent;
  });
  if (total < expected) throw new Error(`dispatch sent ${total} of ${expected}`);
  return undefined;
}

/** The rate of a one-time execution's reads and writes alone, without queue and worker. It is an upper bound for a drain. */
async function tablesAlone(count: number): Promise<Measured> {
  return inSystem({}, async (system) => {
    const due = Date.now() + FAR_MS;
    progress(`throughput: creating ${count} jobs for the tables alone`);
    const ids = await createJobs(system.backend.ctx, Array<Spec>(count).fill(onceAt(due)));
    return measure(system, `the tables alone, for ${count} executions`, count, async () => {
      await forEachLimit(ids, CALLERS, (jobId) => bareExecution(system, jobId, due));
      return undefined;
    });
  });
}

async function bareExecution({ backend: { ctx } }: System, jobId: string, fireAt: number): Promise<void> {
  const { store } = ctx;
  const due = dueKey(fireAt);
  const head = await store.readHead(jobId, { consistent: false });
  if (!head) throw new Error(`job ${jobId} does not exist`);
  const [number, workerId] = [fireAt, 'bench'];
  const times = { enqueuedAt: fireAt, receivedAt: fireAt, startedAt: fireAt };
  const opened = { ...newRow(head, due, head.revision, 'RUNNING'), ...times, number, workerId, attempt: 1 };
  const row = { ...opened, leaseUntil: fireAt + ctx.settings.leaseMs };
  const lock = { seen: head, lock: { due, number }, coveredUntil: undefined };
  const completed = { status: 'completed', version: 2, updatedAt: fireAt } as const;
  const done =
    (await store.claim({ seen: undefined, row, seat: undefined, lock })) === 'done' &&
    (await store.updateRow(row, { ...opened, status: 'SUCCEEDED', finishedAt: fireAt })) &&
    (await store.updateHead(head, completed));
  if (!done) throw new Error(`the tables refused job ${jobId}`);
}

/** From the first start of a task to the last row. */
async function drain(count: number): Promise<Measured> {
  return inSystem({}, async (system) => {
    progress(`throughput: creating ${count} jobs to drain`);
    const { ctx } = system.backend;
    const warm = await createJobs(
      ctx,
      Array.from({ length: 400 }, () => onceAt(Date.now() + FAR_MS)),
    );
    const began = Date.now();
    await createJobs(
      ctx,
      warm.map(() => onceAt(began + FAR_MS)),
    );
    const due = Math.ceil(Date.now() + ((Date.now() - began) / warm.length) * count * 1.5 + 2_000);
    const ids = await createJobs(
      ctx,
      Array.from({ length: count }, () => onceAt(due)),
    );
    await sleep(due - Date.now());
    await system.start('worker');
    const started = () => firstStarts(system.starts()).size;
    await until(Date.now() + DRAIN_TIMEOUT_MS, () => started() > 0);
    return measure(system, `drain of ${count} due jobs, one worker`, count, async () => {
      // Polling must not disturb the measurement, so rows are read only after all have started.
      const deadline = Date.now() + DRAIN_TIMEOUT_MS;
      await until(deadline, () => sleep(250).then(() => started() === count));
      let open = count;
      await until(deadline, async () => {
        open = count - (await endedOf(system, ids, due));
        return open === 0;
      });
      return open > 0 ? `${open} not ended` : undefined;
    });
  });
}

async function endedOf({ backend }: System, ids: readonly string[], due: number): Promise<number> {
  const keys = ids.map((jobId) => ({ jobId, due: dueKey(due) }));
  const rows = await backend.ctx.store.readRows(keys, { consistent: false });
  return rows.filter(({ status }) => isTerminal(status)).length;
}

/** Names the process that limits the throughput. A Node process has one thread for nearly all of its work. */
function boundBy({ ms, cpu: { others, ...cpu } }: Measured): string {
  const cores = cpus().length;
  if (others / ms > DISTURBED_CORES) return 'disturbed: other programs were busy';
  const used = Object.values(cpu).reduce((sum, part) => sum + part, 0) / ms;
  const [busiest = '', busiestMs = 0] = Object.entries(cpu).sort(([, a], [, b]) => b - a)[0] ?? [];
  if (busiestMs / ms > 0.85) return `${busiest}: its core is full`;
  if (used > cores * 0.85) return `all ${cores} cores, most of it ${busiest}`;
  return `waiting (of ${cores} cores ${used.toFixed(1)} in use)`;
}

export async function throughput({ quick }: Options): Promise<Report> {
  const [singly, batched, drained] = quick ? [300, 500, 1_000] : [2_000, 5_000, 20_000];
  const minute = minuteOf(Date.now() + FAR_MS) + 1;
  const results = await inSystem({}, async (system) => {
    await createSingly(system, 100); // warm-up
    const at = onceAt(minute * MINUTE);
    return [
      await measure(system, `create singly, ${CONCURRENT_CREATES} at a time`, singly, () =>
        createSingly(system, singly),
      ),
      await measure(system, 'create in batches of 100', batched, async () => {
        await createJobs(system.backend.ctx, Array<typeof at>(batched).fill(at));
        return undefined;
      }),
      await measure(system, 'dispatch of one minute', batched, () => dispatchMinute(system, minute, batched)),
    ];
  });
  results.push(await tablesAlone(drained), await drain(drained));
  const cores = (ms: number, r: Measured) => (ms / r.ms).toFixed(2);
  return {
    name: 'throughput',
    command: 'npm run bench -- throughput --engine aws',
    tables: [
      {
        title: 'Jobs a second',
        columns: ['', 'jobs', 'jobs/s', 'CPU ms/job, ours', 'CPU ms/job, engines', 'bound by'],
        rows: results.map((r) => [
          r.note ? `${r.name} (${r.note})` : r.name,
          r.count,
          Math.round((r.count / r.ms) * 1000),
          (r.cpu.producer + r.cpu.watcher + r.cpu.worker) / r.count,
          (r.cpu.tables + r.cpu.queues) / r.count,
          boundBy(r),
        ]),
      },
      {
        title: 'Cores in use',
        columns: ['', 'producer', 'watcher', 'worker', 'tables (dynoxide)', 'queues (fauxqs)', 'others'],
        rows: results.map((r) => [
          r.name,
          cores(r.cpu.producer, r),
          cores(r.cpu.watcher, r),
          cores(r.cpu.worker, r),
          cores(r.cpu.tables, r),
          cores(r.cpu.queues, r),
          cores(r.cpu.others, r),
        ]),
      },
    ],
    notes: [
      'Producer (which also dispatches here), watcher, one worker and the engines (tables on disk) are processes of this machine and compete for its cores.',
      'The tables alone: the read and the three writes of a one-time execution with group commit, without queue and worker. A drain near this rate is limited by the tables.',
      'A drain is counted from the first start until the last has ended; in it the producer only looks on.',
    ],
    broken: results.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : [])),
  };
}
