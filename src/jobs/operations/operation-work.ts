// The interface of a kind of background operation: a list of keys, and how a step handles some of them.
import type { Operation, Refusal } from '../../domain/jobs/background-operation.ts';
import type { Context } from '../../scheduling/context.ts';

/** The result of a step. */
export interface Acted {
  readonly done: number;
  readonly refused: readonly Refusal[];
  /** The position of the next step. Undefined if all keys were handled. */
  readonly next?: string | undefined;
  /** Why the operation must end. Undefined if it goes on. */
  readonly stopped?: string | undefined;
  readonly counted?: number | undefined;
  /** True if the operation must wait. The watchers go on with it in their next pass. */
  readonly waits?: boolean;
}

/** The keys of the next step. */
export interface Upcoming {
  readonly keys: readonly string[];
  /** The position after them. Undefined if they are the last. */
  readonly beyond?: string | undefined;
  /** The number of keys that the operation has found, added to its total. Only while it counts. */
  readonly counted?: number | undefined;
  readonly stopped?: string | undefined;
}

/** The part of a lease in which a process may decide. */
export interface Turn {
  /** False if no further key may be begun. */
  mayGoOn(): boolean;
  /** Throws if it is too late to send a decision. */
  inTime(): void;
}

export interface Work<Kind extends Operation = Operation> {
  /** Refusals that the operation lists. */
  readonly maxRefusals: number;
  /** Finds the keys of the next step, from `operation.next` on. */
  upcoming(context: Context, operation: Kind): Promise<Upcoming>;
  /** Must be idempotent, because a crash repeats the step or a part of it. It calls `turn.mayGoOn` before each key and `turn.inTime` before each decision. */
  act(context: Context, operation: Kind, keys: readonly string[], turn: Turn): Promise<Acted>;
}
