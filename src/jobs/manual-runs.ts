// Manual runs: run-now and retry. Backfill is a background operation. Revision, pause and misfire do not apply to them. The
// order of writes is entry, then row, then message. A row without its entry would stay open forever after a crash
// (docs/protocol.md#runs-by-hand).

import { ownerHash } from '../domain/digest.ts';
import { Conflict, InvalidInput, NotFound } from '../domain/errors.ts';
import { type DueKey, MANUAL, manualKey } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Principal } from '../domain/principal.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, withOwner } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';
import { keepJobFor } from '../scheduling/records/keep-job.ts';
import { newRow, writeRow } from '../scheduling/records/write-row.ts';
import { writerDeadline } from '../scheduling/records/writer-deadline.ts';
import { requireExecution, requireJob } from './access.ts';
import { refuseCancelled } from './job-state.ts';
import { refuseSecretsOfOthers } from './secrets-of-others.ts';

export const putEntries = ({ store }: Context, jobId: string, dues: readonly DueKey[], at: number) =>
  store.putEntries(dues.map((due) => ({ at, jobId, revision: MANUAL, due, kind: 'byHand' })));

const putEntry = (context: Context, jobId: string, due: DueKey, at: number) =>
  /* [rule by-hand-entry] */ putEntries(context, jobId, [due], at);

export const sendNow = (
  { queue }: Context,
  { jobId, userId }: { readonly jobId: string; readonly userId?: string },
  dues: readonly DueKey[],
  now: number,
) => {
  const owner = userId === undefined ? undefined : ownerHash(userId);
  return queue.send(
    dues.map((due) => ({ jobId, due, revision: MANUAL, fireAt: now, enqueuedAt: now, owner })),
  );
};

/** The limit of params that are stored in the row, which is written up to three times per attempt. */
const MAX_RUN_PARAMS_BYTES = 32_768;

export interface RunOptions {
  /** The params of this run and its retries. Undefined if the job's own params apply. */
  readonly params?: Row['params'];
  /** Called with the job's task before the first write. Throws if the params are not valid. */
  checkParams?(task: string, params: NonNullable<Row['params']>): void;
  /** Checks the limits of the job's owner before the first write. Throws QuotaExceeded. */
  admit?(head: Head): Promise<void>;
}

/** Counts starts of an owner before the first write. Throws QuotaExceeded. */
export type AdmitStarts = (userId: string, count: number) => Promise<void>;

export async function runNow(
  context: Context,
  who: Principal,
  jobId: string,
  { params, checkParams, admit }: RunOptions = {},
): Promise<ExecutionView> {
  const { clock, random } = context;
  const inTime = writerDeadline(context);
  const head = await requireJob(context, who, jobId);
  refuseCancelled(head);
  if (params) {
    const size = Buffer.byteLength(JSON.stringify(params));
    if (size > MAX_RUN_PARAMS_BYTES) {
      const message = `must have at most ${MAX_RUN_PARAMS_BYTES} bytes of JSON for a single run, got ${size}`;
      throw new InvalidInput([{ path: 'params', message }]);
    }
    refuseSecretsOfOthers(who, head, params);
    checkParams?.(head.task, params);
  }
  await admit?.(head);
  const now = clock.now();
  const due = manualKey(now, random.id(6));
  await keepJobFor(context, head, now);
  await putEntry(context, jobId, due, now);
  inTime();
  const row: Row = { ...newRow(head, due, MANUAL, 'QUEUED'), enqueuedAt: now, ...(params && { params }) };
  await writeRow(context, undefined, row);
  await sendNow(context, head, [due], now);
  return withOwner(who, executionOfRow(row), row.userId);
}

/** The lateness of an execution stays that of its first start. If it never started, it fires now. */
const latenessOf = ({ startedAt, firstStartedAt = startedAt, fireAt }: Row, now: number): Partial<Row> =>
  firstStartedAt === undefined
    ? { fireAt: now }
    : { firstStartedAt, ...(fireAt !== undefined && { fireAt }) };

const RETRYABLE = ['FAILED', 'CANCELLED', 'SKIPPED'];

/** Runs a failed, cancelled or skipped execution again, with fresh attempts. */
export async function retryExecution(
  context: Context,
  who: Principal,
  id: string,
  admit?: AdmitStarts,
): Promise<ExecutionView> {
  const { store, clock } = context;
  const inTime = writerDeadline(context);
  const { head, due } = await requireExecution(context, who, id);
  const { jobId } = head;
  refuseCancelled(head);
  await admit?.(head.userId, 1);
  const now = clock.now();
  await keepJobFor(context, head, now);
  await putEntry(context, jobId, due, now);
  const seen = await store.readRow(jobId, due, { consistent: true });
  if (!seen) throw new NotFound('execution', id);
  if (!RETRYABLE.includes(seen.status)) {
    throw new Conflict(
      `execution ${id} is ${seen.status.toLowerCase()}; only failed, cancelled and skipped executions can be retried`,
    );
  }
  // the job may have another task since the run that had these params
  if (seen.params) refuseSecretsOfOthers(who, head, seen.params);
  inTime();
  const row: Row = {
    ...newRow(head, due, MANUAL, 'QUEUED'),
    // no claim and no end of before can be taken for one of this retry
    number: seen.number + 1,
    enqueuedAt: now,
    trigger: 'redrive',
    ...latenessOf(seen, now),
    ...(seen.params && { params: seen.params }),
    ...(seen.once && { once: true as const }),
  };
  if (!(await writeRow(context, { status: seen.status, number: seen.number }, row)))
    throw new Conflict(`execution ${id} was changed by another request; read it again`);
  await sendNow(context, head, [due], now);
  return withOwner(who, executionOfRow(row), row.userId);
}
