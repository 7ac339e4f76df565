// The bounds of requests on Lambda: how many containers one user occupies, and how long a request may take.
//
// A container handles one request at a time, so a user occupies as many containers as the user has requests under way. A count of
// requests bounds them only together with their duration: 35 requests per second of 29 s each occupy 1,000 containers. So a request
// counts again while it is under way, and ends at its deadline.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Stopper } from '../concurrency/stopper.ts';
import { withDeadline } from '../concurrency/with-deadline.ts';
import type { Quotas } from '../jobs/enforce-quotas.ts';
import { OCCUPIED_MS } from '../jobs/limits/shared-request-rate.ts';
import type { Clock } from '../scheduling/context.ts';
import { Unavailable } from './http/request-errors.ts';

/** Two seconds before the timeout of the functions (lib/compute/api.ts), so that the caller gets a reason. */
export const REQUEST_DEADLINE_MS = 8_000;

/** Runs a request, or throws QuotaExceeded or Unavailable. The user is undefined if the request needs no token. */
export type Bounded = <T>(userId: string | undefined, work: () => Promise<T>) => Promise<T>;

interface Ending {
  hasEnded: boolean;
}

const current = new AsyncLocalStorage<Ending>();

/**
 * Called before each attempt of a call to DynamoDB or SQS. A request that has got its answer sends nothing more: its container is
 * frozen, and would go on with it minutes later.
 */
export function refuseAfterEnd(): void {
  if (current.getStore()?.hasEnded) throw new Error('the request has ended at its deadline');
}

export function boundRequests(quotas: Quotas, clock: Clock): Bounded {
  return async (userId, work) => {
    const ending: Ending = { hasEnded: false };
    const done = new Stopper();
    const run = async () => {
      if (userId !== undefined) await quotas.takeSharedRequest(userId);
      const counting = userId === undefined ? undefined : countWhileUnderWay(userId, done);
      try {
        return await work();
      } finally {
        done.stop();
        await counting;
      }
    };
    return withDeadline(current.run(ending, run), { timer: clock, ms: REQUEST_DEADLINE_MS }, (): never => {
      ending.hasEnded = true;
      done.stop();
      throw new Unavailable(
        `the request took longer than ${REQUEST_DEADLINE_MS / 1000} s and was ended; what it has written so far stays. Ask for less at a time, or try again later`,
      );
    });
  };

  async function countWhileUnderWay(userId: string, done: Stopper): Promise<void> {
    for (;;) {
      await clock.sleep(OCCUPIED_MS, done);
      if (done.aborted) return;
      await quotas.countOccupied(userId);
    }
  }
}
