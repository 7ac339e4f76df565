// A job runs with its owner's secrets. Operators may change every job, but must not redirect its secrets. While the params refer
// to secrets, an operator cannot change the task, the params or the notification targets.

import { fingerprint } from '../domain/digest.ts';
import { Forbidden } from '../domain/errors.ts';
import type { Definition, Head } from '../domain/jobs/job.ts';
import type { JobPatch } from '../domain/jobs/job-spec.ts';
import type { Principal } from '../domain/principal.ts';
import { refersToSecrets } from '../tasks/secrets/secrets.ts';

/** `params`: the params that the job would run with. */
export function refuseSecretsOfOthers(who: Principal, { jobId, userId }: Head, params: unknown): void {
  if (who.userId === userId || !refersToSecrets(params)) return;
  throw new Forbidden(
    `only the owner of job ${jobId}, ${userId}, may make this change while params refer to secrets, because it could disclose them. Remove the references ("$secret") from params, or ask the owner`,
  );
}

/** The same check for an edit of the definition `now`. An edit that changes none of the three fields is allowed. */
export function refuseEditOfOthers(
  who: Principal,
  head: Head,
  now: Definition | undefined,
  { task, params, notify }: JobPatch,
): void {
  const differs = (given: unknown, known: unknown) =>
    given !== undefined && fingerprint(given) !== fingerprint(known ?? null);
  if (!differs(task, head.task) && !differs(params, now?.params) && !differs(notify, now?.notify)) return;
  refuseSecretsOfOthers(who, head, params ?? now?.params ?? {});
}
