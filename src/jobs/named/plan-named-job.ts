// The dry run of a request by name: what it would do, and what was changed in another way since the last request by name.
import { type Change, type ChangeKey, changeView } from '../../domain/jobs/change.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { JobName } from '../../domain/jobs/job-name.ts';
import type { NamedJobPlan } from '../../domain/jobs/named-job-plan.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Context } from '../../scheduling/context.ts';
import { refuseLarge } from '../../scheduling/records/definitions.ts';
import { lastChange } from '../change-records.ts';
import type { Wanted } from './compare-named-job.ts';
import { findNamed, isLive } from './find-named-job.ts';

import { checkChange, checkMatch, comparedNow, type PutOptions } from './put-named-job.ts';

/** The records of changes that are read at most. */
const MAX_CHANGES = 20;

export async function planNamedJob(
  context: Context,
  who: Principal,
  name: JobName,
  wanted: Wanted,
  options: Pick<PutOptions, 'ifMatch' | 'checkLimits'> = {},
): Promise<NamedJobPlan> {
  const { head } = await findNamed(context, who.userId, name);
  const comparison = await comparedNow(context, head, wanted);
  checkMatch(name, head, options.ifMatch);
  await checkChange(context, comparison, wanted, options);
  refuseLarge(wanted.spec);
  const { action, changes } = comparison;
  const drift = head && action !== 'none' ? await driftOf(context, head) : [];
  return { action, changes: changes(), ...(drift.length > 0 && { drift }) };
}

/** The changes since the last request by name, newest first. No read if there are none. */
async function driftOf({ store }: Context, head: Head): Promise<NonNullable<NamedJobPlan['drift']>> {
  const { jobId, applied = 1 } = head;
  let next: ChangeKey | undefined = lastChange(head);
  if (next.version <= applied || (!isLive(head) && head.status !== 'cancelled')) return [];
  const found: Change[] = [];
  for (const change of await store.listChanges(jobId, next, MAX_CHANGES)) {
    if (change.version !== next?.version || change.at !== next.at) continue; // the change never reached the head
    if (change.version <= applied) break;
    found.push(change);
    next = change.previous;
  }
  return found.map((change) => {
    const { version, at, by, what, note } = changeView(change);
    const fields = [...new Set([...Object.keys(change.before ?? {}), ...Object.keys(change.after ?? {})])];
    return { version, at, by, what, ...(note !== undefined && { note }), fields };
  });
}
