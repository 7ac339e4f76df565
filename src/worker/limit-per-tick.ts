// Limits starts per turn of the event loop. Without a limit, thousands of jobs that are due together would start in one turn, and
// no request would be sent and no response read until the last one had started.

export interface TickLimit {
  /** Resolves when the caller may continue. Undefined if it may continue at once. */
  pass(): Promise<void> | undefined;
  /** Resolves when no caller waits to pass. Undefined if none waits. */
  idle(): Promise<void> | undefined;
}

/** Lets `perTick` callers pass in one turn, and the others in the next turns, in the order of their calls. */
export function limitPerTick(perTick: number): TickLimit {
  let waiting: (() => void)[] = [];
  let passed = 0;
  let isScheduled = false;
  let idle: PromiseWithResolvers<void> | undefined;

  function turn(): void {
    const next = waiting.slice(0, perTick);
    waiting = waiting.slice(perTick);
    passed = next.length;
    isScheduled = next.length > 0;
    if (isScheduled) setImmediate(turn);
    for (const go of next) go();
    if (waiting.length > 0) return;
    idle?.resolve();
    idle = undefined;
  }

  return {
    pass() {
      if (!isScheduled) setImmediate(turn);
      isScheduled = true;
      if (passed === perTick) return new Promise((resolve) => waiting.push(resolve));
      passed++;
      return undefined;
    },
    idle() {
      if (waiting.length === 0) return undefined;
      idle ??= Promise.withResolvers();
      return idle.promise;
    },
  };
}
