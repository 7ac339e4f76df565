// Finds the job of a name: its pointer, and the heads that the pointer names.

import { NotFound } from '../../domain/errors.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { type JobName, type NamePointer, nameText } from '../../domain/jobs/job-name.ts';
import type { Context } from '../../scheduling/context.ts';

export interface Found {
  readonly pointer: NamePointer | undefined;
  /** The job of the name. Until the head of a replacement is written, it is the job before. Undefined if there is none. */
  readonly head: Head | undefined;
  /** The id of the pointer that has no head yet. The next create uses it. */
  readonly reserved: string | undefined;
  /** A job that was replaced and still has to be cancelled. */
  readonly leftover: Head | undefined;
}

/** An active or paused job. Any other has ended and starts no occurrence. */
export const isLive = ({ status }: Head): boolean => status === 'active' || status === 'paused';

/** Consistent: 1 RRU for the pointer and 1 RRU for each head. */
export async function findNamed(
  { store }: Context,
  userId: string,
  { namespace, name }: JobName,
): Promise<Found> {
  const pointer = await store.readName(userId, namespace, name);
  if (!pointer) return { pointer, head: undefined, reserved: undefined, leftover: undefined };
  const { jobId, previous } = pointer;
  const ids = previous === undefined ? [jobId] : [jobId, previous];
  const heads = new Map((await store.readHeads(ids, { consistent: true })).map((head) => [head.jobId, head]));
  const [own, before] = [heads.get(jobId), heads.get(previous ?? '')];
  const isLeft = before !== undefined && isLive(before);
  return {
    pointer,
    head: own ?? before,
    reserved: own ? undefined : jobId,
    leftover: own && isLeft ? before : undefined,
  };
}

/** The head of the name's job. A cancelled job has given up its name. */
export async function requireNamed(context: Context, userId: string, name: JobName): Promise<Head> {
  const { head } = await findNamed(context, userId, name);
  if (!head || head.status === 'cancelled') throw new NotFound('job', nameText(name));
  return head;
}
