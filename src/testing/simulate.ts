// Runs jobs on virtual time: the use cases of the API, the watcher and the worker, on a store and a queue in memory.
import { InvalidInput } from '../domain/errors.ts';
import { minuteOf } from '../domain/executions/slots.ts';
import { type JobSpec, jobSpecSchema } from '../domain/jobs/job-spec.ts';
import { formatValue, parse } from '../domain/validation/validation.ts';
import { createJob } from '../jobs/create-job.ts';
import { createWorkQueue, type WorkQueue } from '../queue/in-process/work-queue.ts';
import type { Received } from '../queue/queue.ts';
import { type Context, DEFAULT_SETTINGS, type Settings } from '../scheduling/context.ts';
import { watch } from '../scheduling/planning/watch-shards.ts';
import { handleMessage } from '../scheduling/running/handle-message.ts';
import { KeyLines } from '../scheduling/running/key-lines.ts';
import type { WorkerPort } from '../scheduling/running/worker-port.ts';
import { MemoryStore } from '../store/memory/memory-store.ts';
import { checkParams } from '../tasks/secrets/secrets.ts';
import type { Tasks } from '../tasks/task.ts';
import type { JobFields } from './define-job.ts';
import { type Instant, timeOf } from './instant.ts';
import { seededRandom } from './seeded-random.ts';
import { OWNER, resultOf, type Simulated } from './simulated.ts';
import { type SimulatedTasks, simulatedTasks } from './simulated-tasks.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface SimulateOptions {
  /** The jobs, created at `from`. A job without a name is found by its id only. */
  readonly jobs: readonly JobFields[];
  /** The tasks of the jobs. A function stands for a task that must not run in a test, such as `http`. */
  readonly tasks: SimulatedTasks;
  /** The start of the simulation, at which the jobs are created. */
  readonly from: Instant;
  /** The end of the simulation, exclusive. */
  readonly to: Instant;
  /** The seed of backoff, ids and jitter. Default 1. */
  readonly seed?: number;
}

const WORKER = 'simulation';

/** One shard and few passes, because each pass costs real time. A pass dispatches what is due before the next one. */
const SETTINGS: Settings = { ...DEFAULT_SETTINGS, shards: 1, lookAheadMs: 720_000, watchPeriodMs: 300_000 };
const RECEIVED_AT_ONCE = 100;

/** Runs the jobs from `from` to `to`. Executions that have not ended at `to` are in the result with their status. */
export async function simulate(options: SimulateOptions): Promise<Simulated> {
  const [from, to] = [timeOf(options.from, 'from'), timeOf(options.to, 'to')];
  if (!(from < to)) throw new RangeError(`from must be before to, got ${iso(from)} and ${iso(to)}`);
  const clock = new VirtualClock(from);
  const store = new MemoryStore({ shards: SETTINGS.shards });
  const errors: string[] = [];
  const queue = createWorkQueue({
    timer: clock,
    earlyMs: 1_500,
    visibilityMs: SETTINGS.leaseMs,
    onDeadLetter: (body, reason) => errors.push(`a message was dropped: ${reason}: ${body}`),
  });
  const context = contextOf(store, queue, clock, options.seed ?? 1, errors);
  const tasks = simulatedTasks(options.tasks, clock);
  const specs = options.jobs.map((job, index) => specOf(job, index, tasks));

  const dispatchedUntil = minuteOf(from + SETTINGS.lookAheadMs);
  const settledUntil = minuteOf(from - SETTINGS.settleLagMs) - 1;
  await store.insertShard({ shard: 0, leaseUntil: 0, dispatchedUntil, settledUntil });
  const jobs = [];
  for (const [index, spec] of specs.entries())
    jobs.push((await createJob(context, { userId: OWNER, spec }).catch(refusedAt(index))).job);

  const ending = new AbortController();
  const running = [watchUntil(context, ending.signal), workUntil(context, queue, tasks, ending.signal)];
  await clock.advanceTo(to - 1);
  if (errors.length > 0) throw new Error(`the simulation failed: ${errors[0]}`);
  const result = await resultOf(context, store, jobs);
  ending.abort();
  void Promise.allSettled(running);
  return result;
}

const iso = (time: number): string => new Date(time).toISOString();

function contextOf(
  store: MemoryStore,
  { queue }: WorkQueue,
  clock: VirtualClock,
  seed: number,
  errors: string[],
): Context {
  const quiet = () => {};
  const error = (message: string, fields?: Record<string, unknown>) =>
    void errors.push(`${message} ${fields?.error ?? ''}`);
  const log = { debug: quiet, info: quiet, warn: quiet, error };
  return { store, queue, clock, random: seededRandom(seed), log, settings: SETTINGS };
}

/** The job with its defaults. Throws InvalidInput with the index of the job, as the API would refuse it. */
function specOf(job: JobFields, index: number, tasks: Tasks): JobSpec {
  const { value, errors = [] } = parse(jobSpecSchema, job);
  const task = tasks.get(job.task);
  const known = [...tasks.keys()].map(formatValue).join(', ') || 'none';
  const more = task
    ? checkParams(task, job.params ?? {}, ['params'])
    : [
        {
          path: 'task',
          message: `must be one of the tasks of the simulation (${known}), got ${formatValue(job.task)}`,
        },
      ];
  const all = [...errors, ...more];
  if (!value || all.length > 0)
    throw new InvalidInput(all.map(({ path, message }) => ({ path: `jobs[${index}].${path}`, message })));
  return value;
}

/** Adds the index of the job to the errors of its schedule. */
const refusedAt = (index: number) => (error: unknown) => {
  if (!(error instanceof InvalidInput)) throw error;
  throw new InvalidInput(
    error.errors.map(({ path, message }) => ({ path: `jobs[${index}].${path}`, message })),
  );
};

async function watchUntil(context: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await watch(context, [0], signal);
    await context.clock.sleep(SETTINGS.watchPeriodMs, signal);
  }
}

async function workUntil(
  context: Context,
  { receiver }: WorkQueue,
  tasks: Tasks,
  signal: AbortSignal,
): Promise<void> {
  const worker = workerOf(context, tasks, signal);
  const handle = (received: Received): void => {
    const port = { ...worker, handleAgain: () => handle(received) };
    handleMessage(context, port, received).catch((error: unknown) =>
      context.log.error('failed to handle a message', { error }),
    );
  };
  while (!signal.aborted)
    for (const received of await receiver.receive(RECEIVED_AT_ONCE, signal)) handle(received);
}

/** A worker with any number of places. */
const workerOf = (context: Context, tasks: Tasks, ending: AbortSignal): Omit<WorkerPort, 'handleAgain'> => ({
  identity: { workerId: WORKER, tasks },
  shutdown: { draining: ending, aborting: ending },
  keys: new KeyLines(context),
  places: {
    ownedBy() {},
    markDue() {},
    acquire: async () => true,
    returnAfterMs: () => 0,
    release() {},
    turn: () => undefined,
    running: { add() {}, remove() {} },
  },
});
