// Cancels the job of a name. The pointer stays, so that a request that is under way still creates at most one job.
import { NotFound } from '../../domain/errors.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { type JobName, nameText } from '../../domain/jobs/job-name.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Context } from '../../scheduling/context.ts';
import { cancelJob } from '../cancel-job.ts';
import type { ChangeOptions } from '../change-records.ts';
import { findNamed } from './find-named-job.ts';
import { checkMatch, type NamedMatch } from './put-named-job.ts';

/** A second cancel changes nothing. If a replacement was interrupted, both jobs are cancelled. */
export async function cancelNamedJob(
  context: Context,
  who: Principal,
  name: JobName,
  { ifMatch, ...options }: Pick<ChangeOptions, 'note'> & { readonly ifMatch?: NamedMatch | undefined } = {},
): Promise<void> {
  const { head, leftover } = await findNamed(context, who.userId, name);
  checkMatch(name, head, ifMatch);
  if (!head) throw new NotFound('job', nameText(name));
  if (leftover) await cancelJob(context, who, leftover.jobId, options);
  const guard = ifMatch && { admit: (seen: Head) => checkMatch(name, seen, ifMatch) };
  await cancelJob(context, who, head.jobId, { ...options, ...(guard && { guard }) });
}
