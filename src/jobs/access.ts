// Authorization. Users may access their own jobs, operators all jobs. For any other user a job does not exist (404).
import { Forbidden, NotFound } from '../domain/errors.ts';
import { type DueKey, parseExecutionId } from '../domain/executions/ids.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Principal } from '../domain/principal.ts';
import type { Context } from '../scheduling/context.ts';
import type { ReadOptions } from '../store/store.ts';

export const canAccess = (who: Principal, thing: { readonly userId: string }): boolean =>
  who.operator || thing.userId === who.userId;

export async function requireJob(
  { store }: Context,
  who: Principal,
  jobId: string,
  options: ReadOptions = { consistent: true },
): Promise<Head> {
  const head = await store.readHead(jobId, options);
  if (!head || !canAccess(who, head)) throw new NotFound('job', jobId);
  return head;
}

/** The head of an execution's job. It does not check that the execution exists. */
export async function requireExecution(
  { store }: Context,
  who: Principal,
  id: string,
): Promise<{ head: Head; due: DueKey }> {
  const key = parseExecutionId(id);
  const head = key && (await store.readHead(key.jobId, { consistent: true }));
  if (!key || !head || !canAccess(who, head)) throw new NotFound('execution', id);
  return { head, due: key.due };
}

/** The user whose jobs are listed or changed: `owner`, by default the caller. Users may name only themselves. */
export function requireOwner(who: Principal, owner: string = who.userId): string {
  if (owner !== who.userId && !who.operator)
    throw new Forbidden(
      `owner must be ${JSON.stringify(who.userId)}, the user of this token: only operators can name another user`,
    );
  return owner;
}

export function requireOperator(who: Principal, resource: string): void {
  if (!who.operator)
    throw new Forbidden(`${resource} is for operators only, and the user of this token is not an operator`);
}
