// Power failures of an embedded server. A commit that does not wait for the disk is lost with the power, unless a later commit
// has waited since. When the machine starts again, its clock may be behind.
import type { Row } from '../../src/domain/executions/row.ts';
import type { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { Versioned } from '../../src/store/memory/versioned.ts';
import { createNumberReserve } from '../../src/store/sqlite/numbers.ts';
import type { ClaimWrites, NumberReserve } from '../../src/store/store.ts';
import type { Seeded } from '../support/seeded.ts';

/** The clock of a machine without a battery has stopped with the power for this long at most. */
const MOST_BEHIND_MS = 40_000;

export class Power {
  /** How far the machine's clock is ahead of true time. Every process of the server shows the same. */
  clockAhead = 0;
  readonly #random: Seeded;
  /** Undoes the writes since the last commit that waited for the disk, newest last. */
  #unsynced: (() => void)[] = [];
  #recording = false;
  #reservedUntil = 0;

  constructor(random: Seeded, { heads, rows, seats }: MemoryStore) {
    this.#random = random;
    this.#watch(heads);
    this.#watch(rows);
    this.#watch(seats);
  }

  #watch<T>(values: Versioned<T>): void {
    const set = values.set.bind(values);
    values.set = (key, value) => {
      const before = values.get(key);
      if (this.#recording)
        this.#unsynced.push(() => (before === undefined ? values.delete(key) : set(key, before)));
      set(key, value);
    };
  }

  /** Does a call of the store, which has taken effect when `apply` returns. */
  commit<T>(method: string, args: readonly unknown[], apply: () => Promise<T>): Promise<T> {
    this.#recording = isUnsynced(method, args);
    const done = apply();
    if (!this.#recording && !READING.test(method)) this.#unsynced = [];
    this.#recording = false;
    return done;
  }

  /** Loses what has not reached the disk. The number of lost writes. */
  fail(): number {
    const lost = this.#unsynced.length;
    for (const undo of this.#unsynced.reverse()) undo();
    this.#unsynced = [];
    if (this.#random.chance(0.5)) this.clockAhead = -this.#random.int(0, MOST_BEHIND_MS);
    return lost;
  }

  /** The numbers of one start of the server. A reservation takes effect after `delayed`. */
  numbers(delayed: () => Promise<void>): NumberReserve {
    const reader = { one: () => [this.#reservedUntil], all: () => [] };
    const write = async (_: unknown, [until]: readonly unknown[]) => {
      await delayed();
      this.#reservedUntil = Math.max(this.#reservedUntil, Number(until));
      return 1;
    };
    return createNumberReserve(reader, { write, transact: async () => true });
  }
}

const READING = /^(read|list|has|first)/;

/** As in src/store/sqlite/executions.ts: a claim that may be repeated, and a heartbeat. */
function isUnsynced(method: string, [first]: readonly unknown[]): boolean {
  if (method === 'extendLease') return true;
  return method === 'claim' && (first as ClaimWrites & { row: Row }).row.maxAttempts > 1;
}
