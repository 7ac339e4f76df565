// The compare-and-set on a job's head. Every decision about an execution without a row is such a write.
import { type Head, type HeadChange, mayBecome } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { confirmWrite } from './confirm-write.ts';

/** Writes the head on condition of its stamp. False if another process has written it since `seen` was read. */
export async function writeHead({ store }: Context, seen: Head, change: HeadChange): Promise<boolean> {
  if (change.status && !mayBecome(seen.status, change.status))
    throw new Error(`${seen.jobId}: the status ${change.status} cannot follow ${seen.status}`);
  return confirmWrite(
    () => store.updateHead(seen, change),
    async () => isResultOf(change, seen, await store.readHead(seen.jobId, { consistent: true })),
  );
}

/** Whether the head shows that a write took effect whose response was lost. */
function isResultOf(change: HeadChange, seen: Head, head: Head | undefined): boolean {
  if (head?.stamp === change.stamp) return true;
  // an unchanged token or revision proves nothing: a cancel request keeps the token
  const { hold, revision } = change;
  if (hold && hold.token !== seen.hold?.token && hold.token === head?.hold?.token) return true;
  if (revision && revision !== seen.revision && revision === head?.revision) return true;
  // the record of a person's change reserves this version and time for one writer
  const { version, updatedAt } = change;
  const isChange = version !== undefined && change.changedAt === undefined && head?.changedAt === undefined;
  return isChange && version === head?.version && updatedAt === head.updatedAt;
}
