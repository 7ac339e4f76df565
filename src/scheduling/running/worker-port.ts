// The port through which the protocol uses the worker that handles a message. `src/worker/message-port.ts` implements it.
import type { RunningExecution } from '../../store/store.ts';
import type { Tasks } from '../../tasks/task.ts';
import type { KeyLines } from './key-lines.ts';

/** A worker as one message sees it. Each message has a port of its own. */
export interface WorkerPort {
  readonly identity: WorkerIdentity;
  readonly shutdown: WorkerShutdown;
  readonly places: WorkerPlaces;
  /** The messages that wait for concurrency keys. All messages of a worker share it. */
  readonly keys: KeyLines;
  /** Handles the message once more, after its handling has ended and the message was hidden again. */
  handleAgain(): void;
}

export interface WorkerIdentity {
  /** The id that rows name as their worker. */
  readonly workerId: string;
  /** The tasks that this worker can run, by name. */
  readonly tasks: Tasks;
}

export interface WorkerShutdown {
  /** Aborted when the worker begins to drain. No task starts any more, and messages that wait go back to the queue. */
  readonly draining: AbortSignal;
  /** Aborted at the deadline of the drain. Running tasks are told to stop. */
  readonly aborting: AbortSignal;
}

/** The steps for which messages take turns, the most urgent first: a start, and the record of an end. */
export const TURN_RANKS = ['start', 'record'] as const;
export type TurnRank = (typeof TURN_RANKS)[number];

/** The place of the message among the running executions of the worker. */
export interface WorkerPlaces {
  /** Names the user who owns the message's job. Without effect on what the message has acquired before. */
  ownedBy(userId: string): void;
  /** Counts the message against the worker's limit of due messages. A repeated call has no effect. */
  markDue(): void;
  /** Acquires a place, after a wait if none is free. False if none became free in time. A repeated call has no effect. */
  acquire(): Promise<boolean>;
  /** After a failed `acquire`, the delay after which the message may come back. 0 if another worker may have it at once. */
  returnAfterMs(): number;
  /** Frees the place. */
  release(): void;
  /** Resolves when it is the owner's turn. Undefined if the message may go on at once. A start has its turn in `acquire`. */
  turn(rank: TurnRank): Promise<void> | undefined;
  /** The executions that the worker's row shows as running. */
  readonly running: { add(execution: RunningExecution): void; remove(executionId: string): void };
}
