// The write of a change of a job's head, conditional on its version.
import { type Head, type HeadChange, mayBecome } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { confirmWrite } from './confirm-write.ts';

/** False if another change was written since `seen` was read. Claims do not count: they leave the version as it is. */
export async function writeHead({ store }: Context, seen: Head, change: HeadChange): Promise<boolean> {
  if (change.status && !mayBecome(seen.status, change.status))
    throw new Error(`${seen.jobId}: the status ${change.status} cannot follow ${seen.status}`);
  return confirmWrite(
    () => store.updateHead(seen, change),
    async () => isResultOf(change, seen, await store.readHead(seen.jobId, { consistent: true })),
  );
}

/**
 * Whether the head shows that a write took effect whose response was lost. The record of a person's change reserves its version
 * and time for one writer. The end of a one-time job is the same, whoever writes it.
 */
const isResultOf = (change: HeadChange, seen: Head, head: Head | undefined): boolean =>
  head?.version === change.version &&
  head.updatedAt === change.updatedAt &&
  head.version !== seen.version &&
  (change.status === undefined || head.status === change.status);
