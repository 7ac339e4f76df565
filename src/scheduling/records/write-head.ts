// Compare-and-set on a job's head, which is where everything about an execution without a row is decided.
import { type Head, type HeadChange, mayBecome } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { confirmWrite } from './confirm-write.ts';

/**
 * Writes the head where its stamp is `seen.stamp`. A refused or failed write whose stamp, or whose new token, revision
 * or version and time, is found in the head was our own success: the response got lost.
 */
export async function writeHead({ store }: Context, seen: Head, change: HeadChange): Promise<boolean> {
  if (change.status && !mayBecome(seen.status, change.status))
    throw new Error(`${seen.jobId}: the status ${change.status} cannot follow ${seen.status}`);
  return confirmWrite(
    () => store.updateHead(seen, change),
    async () => isResultOf(change, seen, await store.readHead(seen.jobId, { consistent: true })),
  );
}

function isResultOf(change: HeadChange, seen: Head, head: Head | undefined): boolean {
  if (head?.stamp === change.stamp) return true;
  // a write that keeps the token (a cancel request) or the revision says nothing by it
  const { hold, revision } = change;
  if (hold && hold.token !== seen.hold?.token && hold.token === head?.hold?.token) return true;
  if (revision && revision !== seen.revision && revision === head?.revision) return true;
  // the record of a person's change keeps this version and time for it alone
  const { version, updatedAt } = change;
  const isChange = version !== undefined && change.changedAt === undefined && head?.changedAt === undefined;
  return isChange && version === head?.version && updatedAt === head.updatedAt;
}
