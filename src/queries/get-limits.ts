// The limits of an owner with what is used of them, for operators and the owner.
import { ownerHash } from '../domain/digest.ts';
import { minuteOf } from '../domain/executions/slots.ts';
import { type LimitsView, limitsView, type OwnerLimits } from '../domain/jobs/owner-limits.ts';
import type { Principal } from '../domain/principal.ts';
import { requireOwner } from '../jobs/access.ts';
import { minuteCounterName } from '../jobs/limits/minute-counter.ts';
import type { Context } from '../scheduling/context.ts';
import { liveSince } from './list-running.ts';

/** Reads the limits and three counters (4 RRU), and the workers' rows. */
export async function getLimits(
  context: Context,
  defaults: OwnerLimits,
  who: Principal,
  owner: string,
): Promise<LimitsView> {
  const { store, clock } = context;
  requireOwner(who, owner);
  const minute = minuteOf(clock.now());
  const [own, starts, creates, stored, workers] = await Promise.all([
    store.readLimits(owner, { consistent: true }),
    store.readQuota(owner, minuteCounterName('starts', minute)),
    store.readQuota(owner, minuteCounterName('creates', minute)),
    store.readStored(owner),
    store.listWorkers(liveSince(context)),
  ]);
  const hash = ownerHash(owner);
  const running = workers.flatMap((worker) => worker.running).filter((one) => one.owner === hash).length;
  return limitsView(owner, defaults, own, {
    runningExecutions: running,
    startsPerMinute: starts,
    createsPerMinute: creates,
    activeJobs: stored.jobs,
    storedBytes: stored.bytes,
  });
}
