// Run: one attempt of a task. Its lease is renewed, its time is limited and its checkpoints are saved.

import { Stopper, type StopSignal } from '../../concurrency/stopper.ts';
import { dueAtOf, executionId } from '../../domain/executions/ids.ts';
import { type Progress, progressOf, progressProblem } from '../../domain/executions/progress.ts';
import { runErrorOf } from '../../domain/executions/run-error.ts';
import { DoNotRetry, RetryAfter, Snooze, type TaskContext, type Tasks } from '../../tasks/task.ts';
import type { Claimed } from '../claiming/claim-result.ts';
import type { Context } from '../context.ts';
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
  const { head, row } = claimed;
  const task = new AbortController();
  const done = new Stopper();
  const shutDown = () => task.abort(new Stopped('shutdown', 'the worker is shutting down'));
  aborting.addEventListener('abort', shutDown, { once: true });
  if (aborting.aborted) shutDown();
  let progress: Progress | undefined;
  const lease = renewLease(context, claimed, task, done, () => progress);
  const startedAt = clock.now();
  try {
    const ctx: Omit<TaskContext<unknown>, 'params'> = {
      userId: head.userId,
      jobId: head.jobId,
      executionId: executionId(head.jobId, row.due),
      dueAt: new Date(dueAtOf(row.due)),
      attempt: row.attempt,
      maxAttempts: row.maxAttempts,
      idempotencyKey: executionId(head.jobId, row.due),
      fence: row.number,
      signal: task.signal,
      log: taskLog(context, claimed),
      lastCheckpoint: claimed.checkpoint,
      // a store that does not answer must not delay the stop of the task
      checkpoint: (value) => unlessAborted(task.signal, saveCheckpoint(context, claimed, value)),
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
    return { outcome: { kind: 'succeeded', result: storable(result) }, startedAt };
  } catch (error) {
    return { outcome: outcomeOf(error, task.signal), startedAt };
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
  const params = task.params.safeParse(claimed.row.params ?? definition.params);
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

/**
 * The result as the row keeps it. A row is billed per kilobyte and read in lists, so a large result is replaced by its start and
 * length. A task that has succeeded is not repeated because JSON cannot express its result: the row says so instead.
 */
function storable(result: unknown): unknown {
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch (error) {
    return { unserializable: true, reason: String(error).slice(0, 300) };
  }
  if (text === undefined) return undefined;
  if (text.length <= MAX_RESULT_LENGTH) return JSON.parse(text);
  return { truncated: true, length: text.length, start: text.slice(0, 1024) };
}

async function saveCheckpoint({ store }: Context, { row }: Claimed, value: unknown): Promise<void> {
  const text = JSON.stringify(value) ?? 'null';
  if (text.length > MAX_CHECKPOINT_LENGTH) {
    throw new DoNotRetry(
      `a checkpoint may have ${MAX_CHECKPOINT_LENGTH} characters of JSON; this one has ${text.length}`,
    );
  }
  if (await store.putCheckpoint(row, row.number, JSON.parse(text))) return;
  throw new Stopped('lease lost', 'another worker has taken over');
}
