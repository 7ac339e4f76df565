// The store of an embedded server in the simulator. SQLite in memory answers each call. The simulator's own store, which the
// checks listen to, executes the same call. A difference between the two answers fails the seed.
import { isDeepStrictEqual } from 'node:util';
import type { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { createMemorySqlite } from '../../src/store/sqlite/sqlite.ts';
import type { Method } from './process.ts';

/** The order of these answers is not defined. */
const UNORDERED: ReadonlySet<string> = new Set(['readHeads', 'readRows', 'readDefinitions', 'listWorkers']);

type Call = (...args: unknown[]) => Promise<unknown>;

export class Twin {
  readonly #memory: MemoryStore;
  readonly #sqlite: ReturnType<typeof createMemorySqlite>;
  readonly #differs: (detail: string) => void;

  /** `memory` must not give stale reads, because SQLite never does. */
  constructor(memory: MemoryStore, shards: number, slotPage: number, differs: (detail: string) => void) {
    this.#memory = memory;
    this.#sqlite = createMemorySqlite({ shards, slotPage });
    this.#differs = differs;
  }

  async call(method: Method, args: unknown[]): Promise<unknown> {
    // both take effect now, before any other event
    const both = [this.#memory, this.#sqlite.store].map((store) =>
      (store[method] as Call).apply(store, args),
    );
    const [expected, answer] = await Promise.all(both);
    if (!isDeepStrictEqual(inOrder(method, answer), inOrder(method, expected)))
      this.#differs(
        `${method} ${JSON.stringify(args)}: ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`,
      );
    return answer;
  }

  close(): void {
    this.#sqlite.close();
  }
}

function inOrder(method: Method, answer: unknown): unknown {
  if (!UNORDERED.has(method) || !Array.isArray(answer)) return answer;
  return answer.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ jobId, due, version, workerId }: Record<string, unknown>): string =>
  [jobId, due, version, workerId].join('#');
