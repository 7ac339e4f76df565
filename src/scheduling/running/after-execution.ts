// The steps after the end of an execution: a one-time job is completed, and the next execution in line is woken.
import { RETRY_NOW, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import { isTerminal, type Row, type TerminalStatus } from '../../domain/executions/row.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { standInLine, wakeNext } from '../claiming/line.ts';
import type { Context } from '../context.ts';
import { keepJobFor } from '../records/keep-job.ts';
import { writeHead } from '../records/write-head.ts';

/** A shorter run wakes no execution, unless its job's executions stand in line: those that wait for it ask again by then. */
const SHORT_RUN_MS = 1_000;

/** `head` is the job as the worker or the request has read it. */
export async function afterExecution(context: Context, head: Head, row: Row): Promise<void> {
  if (!isTerminal(row.status)) return;
  await keepJobFor(context, head, row.finishedAt ?? 0);
  if (row.once) await completeOneTimeJob(context, head, row.revision, row.status);
  if (head.overlap === 'allow') return;
  const { startedAt = 0, finishedAt = 0 } = row;
  const isShort = startedAt === 0 || finishedAt - startedAt < SHORT_RUN_MS;
  if (!isShort || standInLine(head)) await wakeNext(context, head, row.due);
}

/** If the conflicts go on for longer, settle completes the job. */
const COMPLETE_RETRY = { maxRounds: 10, pauseMs: 0 };

/**
 * Completes a one-time job after its own occurrence, while the head has the revision that planned it. Else an edit during the
 * run, or a run-now, would swallow the new occurrence. Settle calls it too.
 */
export async function completeOneTimeJob(
  context: Context,
  seen: Head,
  revision: string,
  end: TerminalStatus,
): Promise<void> {
  let current: Head | undefined = seen;
  await retryConflicts(context, COMPLETE_RETRY, async () => {
    const head = current;
    if (!head) return;
    if (head.status !== 'active' || /* [rule once-revision] */ head.revision !== revision) return;
    const status = end === 'FAILED' ? 'failed' : 'completed';
    const change = {
      status,
      version: head.version + 1,
      updatedAt: context.clock.now(),
      changedAt: head.updatedAt, // not a person's change, so it has no record
    } as const;
    if (await writeHead(context, head, change)) return;
    current = await context.store.readHead(head.jobId, { consistent: true });
    return RETRY_NOW;
  });
}
