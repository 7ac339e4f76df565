// A user's own job, or nothing: another's answers as if it were not there.
import { NotFound } from '../domain/errors.ts';
import type { Head } from '../domain/job.ts';
import type { ReadOptions } from '../store/store.ts';
import type { Context } from './context.ts';

export async function ownedHead(
  { store }: Context,
  userId: string,
  jobId: string,
  options: ReadOptions = { consistent: true },
): Promise<Head> {
  const head = await store.readHead(jobId, options);
  if (head?.userId !== userId) throw new NotFound('job', jobId);
  return head;
}
