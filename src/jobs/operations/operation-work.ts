// What a kind of background operation is made of: a list of things to do, and how some of them are done.
import type { Operation, Refusal } from '../../domain/jobs/background-operation.ts';
import type { Context } from '../../scheduling/context.ts';

export interface Acted {
  readonly done: number;
  readonly refused: readonly Refusal[];
  /** The first that nothing was done about; undefined: all were looked after. */
  readonly next?: string | undefined;
  /** Why the operation makes no sense any more. */
  readonly stopped?: string | undefined;
}

export interface Upcoming {
  readonly keys: readonly string[];
  /** The first after them; undefined: they are the last. */
  readonly beyond?: string | undefined;
  readonly stopped?: string | undefined;
}

/** The part of a lease in which a process may decide. */
export interface Turn {
  /** False: begin nothing more. */
  mayGoOn(): boolean;
  /** Throws when it is too late to send a decision. */
  inTime(): void;
}

export interface Work {
  /** The next few things to do, from `operation.next` on. */
  upcoming(context: Context, operation: Operation): Promise<Upcoming>;
  /** Must bear repetition, whole or in part. It calls `turn.mayGoOn` before each key, `turn.inTime` before each decision. */
  act(context: Context, operation: Operation, keys: readonly string[], turn: Turn): Promise<Acted>;
}
