// The subject of an explanation, and the words that all explanations share.

import type { DueKey } from '../../domain/executions/ids.ts';
import { executionId } from '../../domain/executions/ids.ts';
import type { RunError } from '../../domain/executions/row.ts';
import type { ChangeView } from '../../domain/jobs/change.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { lengthText } from '../../domain/length-text.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import type { Evidence, ExplanationView, Verdict } from '../../domain/views/explanation.ts';
import type { Context } from '../../scheduling/context.ts';
import { liveSince } from '../list-running.ts';

/** An occurrence is meant by a time that is at most this far away from it. */
export const TOLERANCE_MS = 60_000;

/** The question, and what every answer needs. */
export interface Case {
  readonly context: Context;
  readonly who: Principal;
  readonly head: Head;
  /** The time asked for. */
  readonly at: number;
  readonly now: number;
  /** The last changes of the job, newest first. */
  readonly changes: readonly ChangeView[];
  /** Whether there are changes before these. */
  readonly hasOlderChanges: boolean;
  /** The schedule that was in force at `at`. */
  readonly schedule: Schedule;
}

/** An explanation without the fields that are the same for all. */
export interface Answer extends Pick<ExplanationView, 'because' | 'evidence'> {
  readonly verdict: Verdict;
}

export const answer = (verdict: Verdict, because: string, ...evidence: Evidence[]): Answer => ({
  verdict,
  because,
  evidence,
});

export const iso = (time: number): string => new Date(time).toISOString();

export const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '');

/** An error as the end of a clause. Its message may have lines. */
export const errorText = ({ name, message }: RunError): string =>
  withoutStop(`${name}: ${message.replace(/\s+/g, ' ').trim()}`);

/** `4 ms after` or `on time`, for a start. */
export const latenessText = (ms: number): string => (ms <= 0 ? 'on time' : `${lengthText(ms)} late`);

export const jobEvidence = ({ head }: Case, what: string, at: number): Evidence => ({
  what,
  at: iso(at),
  href: `/jobs/${head.jobId}`,
});

export const executionEvidence = (jobId: string, due: DueKey, what: string, at: number): Evidence => ({
  what,
  at: iso(at),
  href: `/executions/${executionId(jobId, due)}`,
});

export const changeEvidence = ({ head }: Case, change: ChangeView): Evidence => ({
  what: `${change.what} by ${change.by}${change.note === undefined ? '' : `: ${change.note}`}`,
  at: change.at,
  href: `/jobs/${head.jobId}/changes`,
});

/** `ann paused the job at 2026-… ("note")`. */
export const changeText = (change: ChangeView, verb: string): string =>
  `${change.by} ${verb} at ${change.at}${change.note === undefined ? '' : ` (${JSON.stringify(change.note)})`}`;

/** Workers are listed for operators only. */
export const workerEvidence = ({ who }: Case, what: string, at: number): Evidence => ({
  what,
  at: iso(at),
  ...(who.operator && { href: '/workers' }),
});

/** The answer for a time at which the job did not exist. Undefined if it did. */
export const beforeCreation = (asked: Case, time: number): Answer | undefined => {
  const { createdAt } = asked.head;
  if (time >= createdAt) return undefined;
  const because = `The job was created at ${iso(createdAt)}, after ${iso(time)}.`;
  return answer('beforeStart', because, jobEvidence(asked, 'job created', createdAt));
};

/** Whether a worker is alive. About 1 RRU: the scan ends at the first one. */
export const hasLiveWorker = async ({ context }: Case): Promise<boolean> =>
  (await context.store.listWorkers(liveSince(context), 1)).length > 0;

/** The answer for an execution that no worker can run at present. */
export const noWorker = (asked: Case, because: string, ...evidence: Evidence[]): Answer =>
  answer(
    'noWorker',
    because,
    ...evidence,
    workerEvidence(asked, 'no worker has sent a heartbeat since', liveSince(asked.context)),
  );
