// The loop around a compare-and-set: read, decide, write, and start over if another process wrote in between.
import type { Timer } from './timer.ts';

/** Result of a round: another process wrote in between. The next round starts after a random pause. */
export const CONFLICT = Symbol('conflict');
/** Result of a round: start over without a pause. */
export const RETRY_NOW = Symbol('retry now');

export interface ConflictRetry {
  readonly maxRounds: number;
  /** The pause after round n is at most n times this. The pauses grow, so that contending processes spread out. */
  readonly pauseMs: number;
}

/** For requests whose caller waits for the result: up to 2 s of pauses on average. */
export const REQUEST_RETRY: ConflictRetry = { maxRounds: 20, pauseMs: 20 };

interface Pausing {
  readonly clock: Timer;
  readonly random: { float(): number };
}

/** The result of the first round without a conflict. CONFLICT if all `maxRounds` rounds had one. */
export async function retryConflicts<T>(
  { clock, random }: Pausing,
  { maxRounds, pauseMs }: ConflictRetry,
  attempt: () => Promise<T | typeof CONFLICT | typeof RETRY_NOW>,
): Promise<T | typeof CONFLICT> {
  for (let round = 1; round <= maxRounds; round++) {
    const result = await attempt();
    if (result !== CONFLICT && result !== RETRY_NOW) return result;
    if (result === CONFLICT) await clock.sleep(random.float() * pauseMs * round);
  }
  return CONFLICT;
}
