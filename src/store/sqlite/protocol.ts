// What the calling thread and the writer's thread say to each other. One message carries many writes as one flat array:
// copying a nested object costs three times as much on both sides.
import type { FaultKind } from './faults.ts';
import type { Answer, Statement, Value } from './statements.ts';

export interface WriterData {
  readonly file: string;
}

/**
 * `writes`: for each one the number of its statement, its rank, its owner, how many values follow, and these. The writes
 * are numbered in the order of sending, from 0, by both sides.
 */
export interface Writes {
  readonly kind: 'writes';
  /** Statements that appear for the first time; each gets the next number. */
  readonly statements: readonly Statement[];
  readonly writes: readonly Value[];
}

export type ToWriter =
  | Writes
  /** Delete what has expired, in small steps when nothing else is to do. */
  | { readonly kind: 'expire'; readonly now: number }
  | { readonly kind: 'stats' }
  /** Write all that waits, then close the file. */
  | { readonly kind: 'close' };

export interface WriterStats {
  readonly commits: number;
  readonly writes: number;
  readonly largestGroup: number;
  readonly checkpoints: number;
  readonly expired: number;
  /** Of the thread, in microseconds. */
  readonly cpu: number;
  readonly waiting: number;
  /** `PRAGMA synchronous`: 2 is FULL. */
  readonly synchronous: number;
}

export type FromWriter =
  | { readonly kind: 'ready' }
  /** The number and the answer of each write in turn. */
  | { readonly kind: 'done'; readonly answers: readonly (number | Answer)[] }
  | { readonly kind: 'refused'; readonly number: number; readonly message: string }
  | { readonly kind: 'failed'; readonly numbers: readonly number[]; readonly fault: Fault }
  | { readonly kind: 'stats'; readonly stats: WriterStats }
  | { readonly kind: 'closed' };

/** A StoreFault without its class, which does not survive the way between threads. */
export interface Fault {
  readonly kind: FaultKind;
  readonly detail: string;
}
