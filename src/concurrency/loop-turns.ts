// Limits what is done in one turn of the event loop. Without a limit, thousands of jobs that are due together would start in one
// turn, and no timer of another job would fire until the last one had started.
import { OwnerLines } from './owner-lines.ts';

/** A rank that waits gets at least one in SHARE of a turn. */
const SHARE = 8;

/** Calls `go` in the next turn of the event loop. It is about the turn and not about time, so virtual time need not replace it. */
export type InNextTurn = (go: () => void) => void;

/** Lets at most `perTurn` callers continue in one turn. Earlier ranks come first, and the owners of a rank take turns. */
export class LoopTurns<Rank extends string> {
  readonly #perTurn: number;
  readonly #inNextTurn: InNextTurn;
  readonly #lines: ReadonlyMap<Rank, OwnerLines<() => void>>;
  #passed = 0;
  #isScheduled = false;

  constructor(perTurn: number, ranks: readonly Rank[], inNextTurn: InNextTurn = setImmediate) {
    this.#perTurn = perTurn;
    this.#inNextTurn = inNextTurn;
    this.#lines = new Map(ranks.map((rank) => [rank, new OwnerLines()]));
  }

  /** Resolves when the caller may continue. Undefined if it may continue at once. */
  pass(rank: Rank, owner: string): Promise<void> | undefined {
    return this.#mayPass(rank) ? undefined : new Promise((resolve) => this.#wait(rank, owner, resolve));
  }

  /** Calls `go` at once, or in a later turn. */
  call(rank: Rank, owner: string, go: () => void): void {
    if (this.#mayPass(rank)) go();
    else this.#wait(rank, owner, go);
  }

  /** Whether this turn has room, and no caller of the same or an earlier rank waits. */
  #mayPass(rank: Rank): boolean {
    if (!this.#isScheduled) this.#inNextTurn(this.#turn);
    this.#isScheduled = true;
    if (this.#passed === this.#perTurn) return false;
    for (const [one, { waiting }] of this.#lines) {
      if (waiting > 0) return false;
      if (one === rank) break;
    }
    this.#passed++;
    return true;
  }

  #wait(rank: Rank, owner: string, go: () => void): void {
    this.#lines.get(rank)?.add(owner, go);
  }

  readonly #turn = (): void => {
    const going: (() => void)[] = [];
    const fill = (line: OwnerLines<() => void>, max: number) => {
      for (let i = 0; i < max && line.waiting > 0; i++) going.push(line.next() as () => void);
    };
    for (const line of this.#lines.values()) fill(line, this.#perTurn / SHARE);
    for (const line of this.#lines.values()) fill(line, this.#perTurn - going.length);
    this.#passed = going.length;
    this.#isScheduled = going.length > 0;
    if (this.#isScheduled) this.#inNextTurn(this.#turn);
    for (const go of going) go();
  };
}
