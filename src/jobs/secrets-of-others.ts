// A job runs with its owner's secrets. Operators may change every job, but not where its secrets go: a change of what runs, or
// of who is told of the result, is refused while the params refer to secrets.

import { fingerprint } from '../domain/digest.ts';
import { Forbidden } from '../domain/errors.ts';
import type { Definition, Head } from '../domain/jobs/job.ts';
import type { JobPatch } from '../domain/jobs/job-spec.ts';
import type { Principal } from '../domain/principal.ts';
import { refersToSecrets } from '../tasks/secrets/secrets.ts';

/** `params`: what would run. */
export function refuseSecretsOfOthers(who: Principal, { jobId, userId }: Head, params: unknown): void {
  if (who.userId === userId || !refersToSecrets(params)) return;
  throw new Forbidden(
    `only ${userId}, whose job ${jobId} is, may refer to secrets in such a change: it could send them elsewhere. Leave the references ("$secret") out of params, or ask the owner`,
  );
}

/** The same for an edit; `now` is the definition that it changes. An edit that leaves all three as they are may pass. */
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
