// Thousands of jobs that are due at the same instant would all start in one turn of the event loop. Until the last of them has
// started, no answer of the store is read and no request goes out.

export interface TickLimit {
  /** Undefined: may go on at once. */
  pass(): Promise<void> | undefined;
  /** Resolves when nobody waits to pass. Undefined: nobody waits. */
  idle(): Promise<void> | undefined;
}

/** Lets so many through in one turn; the others in the next ones, first come, first served. */
export function limitPerTick(perTurn: number): TickLimit {
  let waiting: (() => void)[] = [];
  let through = 0;
  let turns = false;
  let idle: PromiseWithResolvers<void> | undefined;

  function turn(): void {
    const next = waiting.slice(0, perTurn);
    waiting = waiting.slice(perTurn);
    through = next.length;
    turns = next.length > 0;
    if (turns) setImmediate(turn);
    for (const go of next) go();
    if (waiting.length > 0) return;
    idle?.resolve();
    idle = undefined;
  }

  return {
    pass() {
      if (!turns) setImmediate(turn);
      turns = true;
      if (through === perTurn) return new Promise((resolve) => waiting.push(resolve));
      through++;
      return undefined;
    },
    idle() {
      if (waiting.length === 0) return undefined;
      idle ??= Promise.withResolvers();
      return idle.promise;
    },
  };
}
