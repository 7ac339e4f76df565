// A task is a kind of work: a name, a schema for its parameters, and a function. `defineTask` is how every one is made,
// the built-in ones included.
import type { z } from 'zod';

export interface TaskLog {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
}

export interface TaskContext<Params> {
  readonly params: Params;
  /** Whose job it is: what may be told apart by tenant (secrets, signing keys, targets) goes by this. */
  readonly userId: string;
  readonly jobId: string;
  readonly executionId: string;
  readonly dueAt: Date;
  /** 1 for the first. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** The same for every attempt of this execution. */
  readonly idempotencyKey: string;
  /** Grows with every take of the job: a store that remembers the highest it saw can refuse a stale worker. */
  readonly fence: number;
  /** Aborted on timeout, cancel, shutdown, or when the lease is lost; `signal.reason` says which. */
  readonly signal: AbortSignal;
  readonly log: TaskLog;
  /** What the last attempt saved, if it did. */
  readonly lastCheckpoint: unknown;
  /** Saves progress in the execution's row; the next attempt starts with it. */
  checkpoint(value: unknown): Promise<void>;
}

export interface Task<Params = unknown> {
  readonly name: string;
  readonly description: string;
  readonly params: z.ZodType<Params>;
  /** The error of the field `task` for a job that asks for it. Absent: jobs may use it. */
  readonly unavailable?: string;
  /** What it returns is kept as the execution's result (a bounded part of it). */
  run(context: TaskContext<Params>): Promise<unknown>;
}

/** Thrown by a task: another attempt would not help. */
export class DoNotRetry extends Error {
  override readonly name = 'DoNotRetry';
}

/** Thrown by a task: try again, but not before so many seconds. */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter';
  readonly seconds: number;
  constructor(seconds: number, message: string) {
    super(message);
    this.seconds = seconds;
  }
}

/**
 * Thrown by a task that has done nothing yet and has no room for this now: it is handed back and comes again after so
 * many seconds, and the attempt does not count.
 */
export class Snooze extends Error {
  override readonly name = 'Snooze';
  readonly seconds: number;
  constructor(seconds: number, message: string) {
    super(message);
    this.seconds = seconds;
  }
}

export function defineTask<Params>(task: {
  name: string;
  description: string;
  params: z.ZodType<Params>;
  run(context: TaskContext<Params>): Promise<unknown>;
}): Task<Params> {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(task.name)) {
    throw new Error(
      `a task's name is up to 64 lower-case letters, digits and dashes and starts with a letter; got "${task.name}"`,
    );
  }
  return task;
}

/** The registered tasks by name. */
export type Tasks = ReadonlyMap<string, Task<unknown>>;
