// Messages between the calling thread and the writer's thread. One message carries many writes as one flat array, because the
// structured clone of nested objects costs more on both sides.
import type { FaultKind } from './faults.ts';
import type { Answer, Statement, Value } from './statements.ts';

export interface WriterData {
  readonly file: string;
}

/**
 * `writes` has for each unit: its rank, its owner, the count of its statements, and for each of them its number, the count of its
 * values, the values. Both sides number the units from 0 in the order of sending.
 */
export interface Writes {
  readonly kind: 'writes';
  /** New statements. Each gets the next number. */
  readonly statements: readonly Statement[];
  readonly writes: readonly Value[];
}

export type ToWriter =
  | Writes
  /** Retention deletes expired rows in small steps when no write waits. */
  | { readonly kind: 'expire'; readonly now: number }
  /** The -wal file is copied into the database file and cut. */
  | { readonly kind: 'truncate' }
  | { readonly kind: 'stats' }
  /** The writer commits all waiting writes, then closes the file. */
  | { readonly kind: 'close' };

export interface WriterStats {
  readonly commits: number;
  readonly writes: number;
  readonly largestGroup: number;
  readonly checkpoints: number;
  readonly expired: number;
  /** CPU time of the thread in microseconds. */
  readonly cpu: number;
  readonly waiting: number;
  /** `PRAGMA synchronous`: 2 is FULL. */
  readonly synchronous: number;
}

export type FromWriter =
  | { readonly kind: 'ready' }
  /** Number and answer of each write, alternating. */
  | { readonly kind: 'done'; readonly answers: readonly (number | Answer)[] }
  | { readonly kind: 'refused'; readonly number: number; readonly message: string }
  | { readonly kind: 'failed'; readonly numbers: readonly number[]; readonly fault: Fault }
  | { readonly kind: 'stats'; readonly stats: WriterStats }
  | { readonly kind: 'closed' };

/** A StoreFault as plain data: structured clone drops its class. */
export interface Fault {
  readonly kind: FaultKind;
  readonly detail: string;
}
