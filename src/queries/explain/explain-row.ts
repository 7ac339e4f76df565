// The explanation of an execution that has a row.
import { dueAtOf, isManual } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import { isPause } from '../../domain/jobs/pauses.ts';
import { lengthText } from '../../domain/length-text.ts';
import { statusWord } from '../../domain/views/views.ts';
import { isLeaseOver } from '../../scheduling/claiming/decide-claim.ts';
import { COVERED_REASON, MISFIRE } from '../../scheduling/claiming/misfire.ts';
import {
  type Answer,
  answer,
  type Case,
  changeEvidence,
  changeText,
  errorText,
  executionEvidence,
  hasLiveWorker,
  iso,
  latenessText,
  noWorker,
  workerEvidence,
} from './case.ts';
import { withdrawalAfter } from './history.ts';

export async function explainRow(asked: Case, row: Row): Promise<Answer> {
  switch (row.status) {
    case 'SUCCEEDED':
    case 'FAILED':
      return explainEnd(row);
    case 'RUNNING':
      return explainRunning(asked, row);
    case 'RETRYING':
      return explainRetry(asked, row);
    case 'QUEUED':
      return explainWaiting(asked, row);
    case 'SKIPPED':
      return explainSkip(row);
    case 'CANCELLED':
      return explainCancel(asked, row);
  }
}

const evidenceOf = (row: Row, at = row.finishedAt ?? row.startedAt ?? row.enqueuedAt) =>
  executionEvidence(row.jobId, row.due, `execution ${statusWord(row.status)}`, at ?? dueAtOf(row.due));

const what = ({ due, revision }: Pick<Row, 'due' | 'revision'>): string =>
  due.includes('-')
    ? `The manual run of ${iso(dueAtOf(due))}`
    : `The execution due ${iso(dueAtOf(due))}${isManual({ revision }) ? ', run by hand,' : ''}`;

const attemptText = ({ attempt, maxAttempts }: Row): string => `attempt ${attempt} of ${maxAttempts}`;

function explainEnd(row: Row): Answer {
  const { startedAt, firstStartedAt = startedAt, finishedAt, error } = row;
  const late = firstStartedAt === undefined ? undefined : firstStartedAt - (row.fireAt ?? dueAtOf(row.due));
  const start = late === undefined ? 'was not started' : `started ${latenessText(late)}`;
  const took =
    startedAt === undefined || finishedAt === undefined ? '' : ` after ${lengthText(finishedAt - startedAt)}`;
  const end = error ? `failed${took} with ${errorText(error)}` : `${statusWord(row.status)}${took}`;
  return answer('ran', `${what(row)} ${start} and in ${attemptText(row)} ${end}.`, evidenceOf(row));
}

/** An execution whose row a worker has opened. */
async function explainRunning(asked: Case, row: Row): Promise<Answer> {
  const { context, now } = asked;
  const { startedAt = now, workerId = 'a worker', leaseUntil = now, attempt, maxAttempts } = row;
  const { settings, boot } = context;
  const evidence = executionEvidence(row.jobId, row.due, 'execution running', startedAt);
  if (!isLeaseOver({ now, clockSkewMs: settings.clockSkewMs, boot }, row)) {
    const stopping = row.cancelRequested ? ' and has been asked to stop' : '';
    const text = `${what(row)} runs since ${iso(startedAt)} (${lengthText(now - startedAt)}) on ${workerId}, in attempt ${attempt} of ${maxAttempts}${stopping}.`;
    return answer(
      'running',
      text,
      evidence,
      workerEvidence(asked, `the lease of worker ${workerId} ends`, leaseUntil),
    );
  }
  const lost = `${what(row)} ran on ${workerId}, whose lease ended at ${iso(leaseUntil)}`;
  const worker = workerEvidence(asked, `last heartbeat of ${workerId}`, leaseUntil - settings.leaseMs);
  if (!(await hasLiveWorker(asked)))
    return noWorker(asked, `${lost}, and no other worker is alive.`, evidence, worker);
  return answer('beingRecovered', `${lost}; another worker takes it over.`, evidence, worker);
}

function explainRetry({ now }: Case, row: Row): Answer {
  const { nextAttemptAt = now, error } = row;
  const failure = error
    ? `failed in ${attemptText(row)} with ${errorText(error)}`
    : `was interrupted after ${attemptText(row)}`;
  const next = nextAttemptAt > now ? `in ${lengthText(nextAttemptAt - now)}` : 'now';
  return answer(
    'retrying',
    `${what(row)} ${failure}; its next attempt starts ${next}, at ${iso(nextAttemptAt)}.`,
    evidenceOf(row, nextAttemptAt),
  );
}

async function explainWaiting(asked: Case, row: Row): Promise<Answer> {
  const { context, head, now } = asked;
  const since = row.enqueuedAt ?? row.fireAt ?? dueAtOf(row.due);
  const waits = `${what(row)} waits since ${iso(since)} (${lengthText(Math.max(0, now - since))})`;
  const evidence = evidenceOf(row, since);
  // the lock is never released: it says nothing if the execution that it names has ended
  const other =
    head.lock && head.overlap !== 'allow' && head.lock.due !== row.due
      ? await context.store.readRow(head.jobId, head.lock.due, { consistent: true })
      : undefined;
  if (other?.status === 'RUNNING' || other?.status === 'RETRYING')
    return answer(
      'waiting',
      `${waits} for the execution due ${iso(dueAtOf(other.due))}, which has not ended.`,
      evidence,
      executionEvidence(
        head.jobId,
        other.due,
        'execution that has the lock of the job',
        other.startedAt ?? now,
      ),
    );
  if (!(await hasLiveWorker(asked))) return noWorker(asked, `${waits}, and no worker is alive.`, evidence);
  return answer('waiting', `${waits} for ${limitText(asked)}.`, evidence);
}

/** The resource that an execution waits for, if no other execution of its job blocks it. */
export const limitText = ({ head: { limit } }: Case): string =>
  limit
    ? `a seat of the key ${JSON.stringify(limit.key)}, which ${limit.concurrent} executions may have at once, or for a free worker`
    : 'a free worker';

function explainSkip(row: Row): Answer {
  const { reason = '' } = row;
  const verdict = reason.startsWith(COVERED_REASON)
    ? 'coveredByRunOnce'
    : reason.startsWith(MISFIRE)
      ? 'skippedMisfire'
      : 'skippedOverlap';
  return answer(verdict, `${what(row)} was skipped: ${reason}.`, evidenceOf(row));
}

/** The reasons of executions that ended with a change of their job. */
const WITHDRAWN = /withdrawn|job was cancelled/;

/** A pause or an edit cancels an execution that waits. The change is the reason then. */
function explainCancel(asked: Case, row: Row): Answer {
  const { reason = 'cancelled', finishedAt = asked.now } = row;
  const { changes } = asked;
  const change = WITHDRAWN.test(reason) ? withdrawalAfter(changes, dueAtOf(row.due)) : undefined;
  if (!change || Date.parse(change.at) > finishedAt)
    return answer('cancelled', `${what(row)} ended at ${iso(finishedAt)}: ${reason}.`, evidenceOf(row));
  const { verdict, text } = withdrawalOf(change);
  const because = `${text}, which ended the execution due ${iso(dueAtOf(row.due))}: ${reason}.`;
  return answer(verdict, because, evidenceOf(row), changeEvidence(asked, change));
}

/** The verdict and the words of a change that withdraws occurrences. */
export function withdrawalOf(change: Case['changes'][number]): {
  verdict: 'cancelled' | 'paused' | 'edited';
  text: string;
} {
  if (change.what === 'cancelled')
    return { verdict: 'cancelled', text: changeText(change, 'cancelled the job') };
  if (isPause(change)) return { verdict: 'paused', text: changeText(change, 'paused the job') };
  return { verdict: 'edited', text: changeText(change, 'edited the schedule') };
}
