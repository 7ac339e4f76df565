// Run: one attempt of a task. Its lease is renewed, its time is limited and its checkpoints are saved.

import { Stopper, type StopSignal } from '../../concurrency/stopper.ts';
import { dueAtOf, executionId } from '../../domain/executions/ids.ts';
import { type Progress, progressOf, progressProblem } from '../../domain/executions/progress.ts';
import type { Row } from '../../domain/executions/row.ts';
import { runErrorOf } from '../../domain/executions/run-error.ts';
import { DoNotRetry, RetryAfter, Snooze, type TaskContext, type Tasks } from '../../tasks/task.ts';
import type { Claimed } from '../claiming/claim-result.ts';
import type { Context } from '../context.ts';
import { newRow, writeFenced } from '../records/write-row.ts';
import type { Outcome } from './finish-attempt.ts';
import { renewLease, Stopped } from './renew-lease.ts';
import { taskLog } from './task-log.ts';
import type { WorkerIdentity, WorkerShutdown } from './worker-port.ts';

/** The part of the worker that an attempt needs. */
type AttemptWorker = Pick<WorkerIdentity, 'tasks'> & Pick<WorkerShutdown, 'aborting'>;

export interface AttemptResult {
  /** Undefined if the lease was lost before the task ended. */
  readonly outcome: Outcome | undefined;
  readonly startedAt: number;
  /** The row as it is now. A checkpoint may have inserted it. */
  readonly row: Row | undefined;
}

/** A task that ignores its signal is abandoned after this time. */
const STOP_GRACE_MS = 2_000;
/** Characters of JSON. */
const MAX_RESULT_LENGTH = 4_096;
const MAX_CHECKPOINT_LENGTH = 32_768;

export async function runAttempt(
  context: Context,
  { tasks, aborting }: AttemptWorker,
  claimed: Claimed,
): Promise<AttemptResult> {
  const { clock } = context;
  const { head, message } = claimed;
  const task = new AbortController();
  const done = new Stopper();
  const shutDown = () => task.abort(new Stopped('shutdown', 'the worker is shutting down'));
  aborting.addEventListener('abort', shutDown, { once: true });
  if (aborting.aborted) shutDown();
  let progress: Progress | undefined;
  const lease = renewLease(context, claimed, task, done, () => progress);
  let row = claimed.row;
  const startedAt = clock.now();
  try {
    const ctx: Omit<TaskContext<unknown>, 'params'> = {
      userId: head.userId,
      jobId: head.jobId,
      executionId: executionId(head.jobId, message.due),
      dueAt: new Date(dueAtOf(message.due)),
      attempt: claimed.hold.attempt,
      maxAttempts: row?.maxAttempts ?? head.retry.maxAttempts,
      idempotencyKey: executionId(head.jobId, message.due),
      fence: claimed.hold.number,
      signal: task.signal,
      log: taskLog(context, claimed),
      lastCheckpoint: row?.checkpoint,
      checkpoint: async (value) => {
        // a store that does not answer must not delay the stop of the task
        row = await unlessAborted(task.signal, saveCheckpoint(context, claimed, row, startedAt, value));
      },
      progress: (fraction, text) => {
        const problem = progressProblem(fraction, text);
        if (problem !== undefined) throw new DoNotRetry(problem);
        progress = progressOf(fraction, text, clock.now());
      },
    };
    const limit = limitTime(context, head.timeoutSeconds, task, done);
    const result = await Promise.race([
      runTask(tasks, claimed, ctx),
      abandonStuck(context, task.signal, done),
    ]);
    done.stop();
    await limit;
    return { outcome: { kind: 'succeeded', result: truncate(result) }, startedAt, row };
  } catch (error) {
    return { outcome: outcomeOf(error, task.signal), startedAt, row };
  } finally {
    done.stop();
    aborting.removeEventListener('abort', shutDown);
    await lease; // no heartbeat is in flight when the end is written
  }
}

async function runTask(
  tasks: Tasks,
  claimed: Claimed,
  ctx: Omit<TaskContext<unknown>, 'params'>,
): Promise<unknown> {
  const { head, definition } = claimed;
  const task = tasks.get(head.task);
  if (!task)
    throw new Error(`this worker has no task "${head.task}"; it has ${[...tasks.keys()].join(', ')}`);
  if (!definition) throw new Error(`job ${head.jobId} has no definition ${head.definition}`);
  const params = task.params.safeParse(claimed.row?.params ?? definition.params);
  if (!params.success)
    throw new DoNotRetry(`params do not fit the task "${head.task}": ${params.error.message}`);
  ctx.signal.throwIfAborted();
  return task.run({ ...ctx, params: params.data });
}

async function limitTime(
  { clock }: Context,
  seconds: number,
  task: AbortController,
  done: StopSignal,
): Promise<void> {
  await clock.sleep(seconds * 1000, done);
  if (!done.aborted) task.abort(new Stopped('timeout', `did not end within timeoutSeconds (${seconds})`));
}

/** Rejects STOP_GRACE_MS after the task was told to stop, in case it ignores its signal. */
async function abandonStuck({ clock }: Context, signal: AbortSignal, done: StopSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await clock.sleep(STOP_GRACE_MS, done);
  throw signal.reason;
}

/** The result of the promise. Rejects with the reason of the abort if that comes first. */
async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function outcomeOf(error: unknown, signal: AbortSignal): Outcome | undefined {
  const stopped = signal.reason;
  if (stopped instanceof Stopped) {
    if (stopped.why === 'lease lost') return undefined;
    if (stopped.why === 'cancelled') return { kind: 'cancelled', reason: 'cancelled while running' };
    if (stopped.why === 'shutdown') return { kind: 'interrupted' };
    return { kind: 'failed', error: { name: 'Timeout', message: stopped.message }, retry: 'backoff' };
  }
  if (error instanceof Snooze) return { kind: 'interrupted', afterMs: error.seconds * 1000 };
  const retry =
    error instanceof DoNotRetry
      ? 'never'
      : error instanceof RetryAfter
        ? { afterMs: error.seconds * 1000 }
        : 'backoff';
  return { kind: 'failed', error: runErrorOf(error), retry };
}

/** A row is billed per kilobyte and read in lists, so a large result is replaced by its start and length. */
function truncate(result: unknown): unknown {
  const text = JSON.stringify(result);
  if (text === undefined) return undefined;
  if (text.length <= MAX_RESULT_LENGTH) return JSON.parse(text);
  return { truncated: true, length: text.length, start: text.slice(0, 1024) };
}

/** Writes the checkpoint into the row, and inserts the row if the attempt has none. Finish then updates it. */
async function saveCheckpoint(
  context: Context,
  claimed: Claimed,
  row: Row | undefined,
  startedAt: number,
  value: unknown,
): Promise<Row> {
  const { head, message, hold } = claimed;
  const text = JSON.stringify(value) ?? 'null';
  if (text.length > MAX_CHECKPOINT_LENGTH) {
    throw new DoNotRetry(
      `a checkpoint may have ${MAX_CHECKPOINT_LENGTH} characters of JSON; this one has ${text.length}`,
    );
  }
  const saved: Row = {
    ...(row ?? newRow(head, message.due, message.revision, 'RUNNING')),
    status: 'RUNNING',
    fence: hold.token,
    attempt: hold.attempt,
    workerId: hold.workerId,
    startedAt,
    checkpoint: JSON.parse(text),
  };
  if (await writeFenced(context, row, saved)) return saved;
  throw new Stopped('lease lost', 'another worker has taken over');
}
