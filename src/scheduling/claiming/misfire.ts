// The misfire policy of an occurrence that is claimed late (docs/protocol.md#misfire).
import { type DueKey, dueAtOf, dueKey } from '../../domain/executions/ids.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { fireAt, isRecurring } from '../../domain/schedule/occurrences.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { laterDue, recordDecision } from '../records/record-decision.ts';
import { insertRow, newRow } from '../records/write-row.ts';
import { type Claim, DROP, RETRY } from './claim-result.ts';

/** How reasons of the misfire policy begin. */
export const MISFIRE = 'misfire: ';
export const COVERED_REASON = `${MISFIRE}one run stood for all that were missed`;

export type Misfire =
  | {
      readonly kind: 'none';
      /** The occurrence is missed, and its run stands for all that fired up to here. Undefined if it stands for none. */
      readonly coveredUntil?: DueKey;
      /** The occurrence is missed, and runs nevertheless. */
      readonly mustRun?: boolean;
      readonly reason?: undefined;
    }
  | {
      readonly kind: 'covered' | 'skip';
      readonly reason: string;
      readonly coveredUntil?: undefined;
      readonly mustRun?: undefined;
    };

/** The misfire of a first claim. One-time jobs always run. */
export function misfireOf(context: Context, head: Head, message: Message): Misfire {
  const { clock, settings } = context;
  const late = clock.now() - message.fireAt;
  const covered =
    head.coveredUntil !== undefined && fireTimeOf(head, message.due) <= dueAtOf(head.coveredUntil);
  // an occurrence in time can be covered only by a wrong clock, and runs
  if (covered && late > settings.clockSkewMs && !isCoverInFuture(context, head))
    return { kind: 'covered', reason: COVERED_REASON };
  if (!isRecurring(head.schedule) || late <= head.misfire.graceSeconds * 1000) return { kind: 'none' };
  if (head.misfire.policy === 'skip') {
    return {
      kind: 'skip',
      reason: `${MISFIRE}${Math.round(late / 1000)} s late, ${head.misfire.graceSeconds} s allowed${limitText(head)}`,
    };
  }
  if (head.misfire.policy === 'runAll') return { kind: 'none', mustRun: true };
  const missed = Math.max(fireTimeOf(head, message.due), missedBefore(context));
  return { kind: 'none', coveredUntil: coverUntil(context, head, dueKey(missed)) };
}

/** A job with a concurrency limit may be late because it waited for a slot of its key. */
const limitText = ({ limit }: Head): string =>
  limit ? `; at most ${limit.concurrent} executions with key ${JSON.stringify(limit.key)} run at once` : '';

/** The fire time of an occurrence. The `fireAt` of a message that was sent again may be later. */
export const fireTimeOf = (head: Head, due: DueKey): number =>
  fireAt(head.schedule, head.jobId, dueAtOf(due));

/** Whether the occurrence is so late that its misfire policy decides. */
export function isLate(context: Context, head: Head, message: Message): boolean {
  const { kind, coveredUntil, mustRun } = misfireOf(context, head, message);
  return kind !== 'none' || coveredUntil !== undefined || mustRun === true;
}

/** Whether `coveredUntil` is in the future. A wrong clock has written it, so it covers nothing. The next claim removes it. */
export const isCoverInFuture = ({ clock }: Context, { coveredUntil }: Head): boolean =>
  coveredUntil !== undefined && dueAtOf(coveredUntil) > clock.now();

/** The later of `time` and the head's `coveredUntil`, unless a wrong clock has written that. */
export const coverUntil = (context: Context, head: Head, time: DueKey): DueKey =>
  isCoverInFuture(context, head) ? time : laterDue(head.coveredUntil, time);

/**
 * An occurrence that fires after this is in time by some machine's clock, and is not covered. Two machines may differ by
 * clockSkewMs, and the claim of a covered occurrence must find it late by more than that.
 */
export const missedBefore = ({ clock, settings }: Context): number => clock.now() - 2 * settings.clockSkewMs;

/** Records an occurrence that does not run. `covered` is already decided in the head. `skip` is decided by a note. */
export async function skipMissed(
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
