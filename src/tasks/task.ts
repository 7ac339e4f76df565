// A task is a kind of work: a name, a schema of its parameters, and a function. `defineTask` creates every task, custom and
// built-in.
import type { z } from 'zod';

export interface TaskLog {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
}

export interface TaskContext<Params> {
  readonly params: Params;
  /** The owner of the job. It selects secrets, signing keys and allowed targets. */
  readonly userId: string;
  readonly jobId: string;
  readonly executionId: string;
  readonly dueAt: Date;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** The same for every attempt of this execution. */
  readonly idempotencyKey: string;
  /** Grows with every claim of the job, or of the execution with `overlap: allow`. A store can refuse a number below the highest seen. */
  readonly fence: number;
  /** Aborted on timeout, cancel, shutdown and loss of the lease. `signal.reason` is the cause. */
  readonly signal: AbortSignal;
  readonly log: TaskLog;
  /** The last saved checkpoint of this execution. Undefined if there is none. */
  readonly lastCheckpoint: unknown;
  /** Saves progress beside the execution's row. The next attempt gets it as `lastCheckpoint`. */
  checkpoint(value: unknown): Promise<void>;
  /**
   * Reports progress to people: a fraction from 0 to 1, and a text of up to 100 characters. The next heartbeat stores the last
   * report, so it costs no write of its own. Throws if a value is invalid.
   */
  progress(fraction: number, text?: string): void;
}

/** `Input` is the type of the params before they are parsed: fields with a default may be absent. */
export interface Task<Params = unknown, Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly params: z.ZodType<Params, Input>;
  /** The error message for jobs that name this task. Absent if jobs may use it. */
  readonly unavailable?: string;
  /** How long a run with these params takes at least, in ms. Undefined if the params do not say. */
  minDurationMs?(params: unknown): number | undefined;
  /** The return value becomes the execution's result, truncated if it is large. */
  run(context: TaskContext<Params>): Promise<unknown>;
}

/** Thrown by a task if another attempt would not help. The execution fails. */
export class DoNotRetry extends Error {
  override readonly name = 'DoNotRetry';
}

/** Thrown by a task to be retried no earlier than after `seconds`. The attempt counts. */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter';
  readonly seconds: number;
  constructor(seconds: number, message: string) {
    super(message);
    this.seconds = seconds;
  }
}

/**
 * Thrown by a task that has done nothing and cannot run now. The execution starts again after `seconds`, and the attempt does
 * not count.
 */
export class Snooze extends Error {
  override readonly name = 'Snooze';
  readonly seconds: number;
  constructor(seconds: number, message: string) {
    super(message);
    this.seconds = seconds;
  }
}

/** The kind of an error by which a task decides what happens next. */
const OUTCOME = Symbol.for('punctual.outcome');

/**
 * Makes `instanceof` compare the kind instead of the class. A process may have several copies of this file: the server's own in a
 * bundle, and that of `punctual/tasks`, which custom tasks import. Subclasses that a task defines are compared as usual.
 */
function recogniseByKind(own: new (...args: never[]) => Error, kind: string): void {
  Object.defineProperty(own.prototype, OUTCOME, { value: kind });
  Object.defineProperty(own, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== own) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === 'object' && value !== null && Reflect.get(value, OUTCOME) === kind;
    },
  });
}
// The name of a class may be minified, the key of an object is not.
for (const [kind, own] of Object.entries({ DoNotRetry, RetryAfter, Snooze })) recogniseByKind(own, kind);

export function defineTask<Params, Input = unknown>(task: {
  name: string;
  description: string;
  params: z.ZodType<Params, Input>;
  minDurationMs?(params: unknown): number | undefined;
  run(context: TaskContext<Params>): Promise<unknown>;
}): Task<Params, Input> {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(task.name)) {
    throw new Error(
      `the task name must be 1 to 64 lower-case letters, digits and dashes and start with a letter, got "${task.name}"`,
    );
  }
  return task;
}

/** The registered tasks by name. */
export type Tasks = ReadonlyMap<string, Task<unknown>>;
