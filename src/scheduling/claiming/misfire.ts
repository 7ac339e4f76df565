// Misfire: what it means that an occurrence is claimed late.
import { type DueKey, dueAtOf, dueKey } from '../../domain/executions/ids.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { fireAt, isRecurring } from '../../domain/schedule/occurrences.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { laterDue, recordDecision } from '../records/record-decision.ts';
import { insertRow, newRow } from '../records/write-row.ts';
import { type Claim, DROP, RETRY } from './claim-result.ts';

const STOOD_FOR = 'misfire: one run stood for all that were missed';

export type Misfire =
  | {
      readonly kind: 'none';
      /** Late, and one run stands for all that fired up to here. */
      readonly coveredUntil?: DueKey;
      /** Late, and to be run all the same. */
      readonly mustRun?: boolean;
      readonly reason?: undefined;
    }
  | {
      readonly kind: 'covered' | 'skip';
      readonly reason: string;
      readonly coveredUntil?: undefined;
      readonly mustRun?: undefined;
    };

/** What a first claim that comes late means. One-time jobs always run. */
export function misfireOf(context: Context, head: Head, message: Message): Misfire {
  const { clock, settings } = context;
  const late = clock.now() - message.fireAt;
  const covered = head.coveredUntil !== undefined && firedAt(head, message.due) <= dueAtOf(head.coveredUntil);
  // an occurrence that was missed is late; one that is in time is covered only by a wrong clock
  if (covered && late > settings.clockSkewMs && !isCoverAhead(context, head))
    return { kind: 'covered', reason: STOOD_FOR };
  if (!isRecurring(head.schedule) || late <= head.misfire.graceSeconds * 1000) return { kind: 'none' };
  if (head.misfire.policy === 'skip') {
    return {
      kind: 'skip',
      reason: `misfire: ${Math.round(late / 1000)} s late, ${head.misfire.graceSeconds} s allowed`,
    };
  }
  if (head.misfire.policy === 'runAll') return { kind: 'none', mustRun: true };
  const missed = Math.max(firedAt(head, message.due), missedBefore(context));
  return { kind: 'none', coveredUntil: covering(context, head, dueKey(missed)) };
}

/** When an occurrence fires. A message that was sent again may name a later time. */
export const firedAt = (head: Head, due: DueKey): number => fireAt(head.schedule, head.jobId, dueAtOf(due));

/** So late that its misfire policy decides. */
export function isLate(context: Context, head: Head, message: Message): boolean {
  const { kind, coveredUntil, mustRun } = misfireOf(context, head, message);
  return kind !== 'none' || coveredUntil !== undefined || mustRun === true;
}

/**
 * `coveredUntil` is beyond the present: a wrong clock has written it, and it covers nothing. The next write of the head
 * removes it.
 */
export const isCoverAhead = ({ clock }: Context, { coveredUntil }: Head): boolean =>
  coveredUntil !== undefined && dueAtOf(coveredUntil) > clock.now();

/** Covered until `time`, or until later if that was so already. */
export const covering = (context: Context, head: Head, time: DueKey): DueKey =>
  isCoverAhead(context, head) ? time : laterDue(head.coveredUntil, time);

/**
 * What fires later than this is in time by some clock and is not covered. Two machines may differ by clockSkewMs, and
 * the claim of a covered occurrence has to find it late by more than that.
 */
export const missedBefore = ({ clock, settings }: Context): number => clock.now() - 2 * settings.clockSkewMs;

/** The record of one that does not run: the head has decided it already (covered), or decides it by a note now. */
export async function skipLate(
  context: Context,
  head: Head,
  message: Message,
  { kind, reason }: Exclude<Misfire, { kind: 'none' }>,
): Promise<Claim> {
  const { due, revision } = message;
  if (kind === 'skip')
    return (await recordDecision(context, head, { due, status: 'SKIPPED', reason, revision })) ? DROP : RETRY;
  const row = newRow(head, due, revision, 'SKIPPED');
  await insertRow(context, { ...row, reason, finishedAt: context.clock.now() });
  return DROP;
}
