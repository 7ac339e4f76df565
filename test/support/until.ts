// Waiting for a condition instead of a fixed time.
import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
  /** Added to the error, such as the output of a process. */
  readonly detail?: () => string;
}

/** Resolves with the first truthy value of `check`. Throws after `withinMs`. An error of `check` ends the wait at once. */
export async function until<T>(
  condition: string,
  check: () => T | Promise<T>,
  { withinMs = 60_000, everyMs = 20, detail }: UntilOptions = {},
): Promise<NonNullable<T>> {
  for (const deadline = Date.now() + withinMs; ; ) {
    const value = await check();
    if (value) return value;
    if (Date.now() > deadline) break;
    await sleep(everyMs);
  }
  throw new Error(`not within ${withinMs} ms: ${condition}${detail ? `\n${detail()}` : ''}`);
}
