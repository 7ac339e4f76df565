// Misfire: what it means that an occurrence is claimed late.
import { type DueKey, dueAtOf, dueKey } from '../domain/ids.ts';
import type { Head } from '../domain/job.ts';
import { fireAt, isRecurring, latestOccurrence } from '../domain/schedule/occurrences.ts';
import type { Message } from '../queue/queue.ts';
import { AGAIN, type Claim, DONE } from './answers.ts';
import type { Context } from './context.ts';
import { laterDue, note } from './note.ts';
import { newRow } from './rows.ts';

const STOOD_FOR = 'misfire: one run stood for all that were missed';

export type Misfire =
  | {
      readonly kind: 'none';
      /** Late, and one run stands for all up to here. */
      readonly coveredUntil?: string;
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
  const { due } = message;
  const now = clock.now();
  const late = now - message.fireAt;
  const covered = head.coveredUntil !== undefined && due <= head.coveredUntil;
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
  const missed = dueKey(latestMissed(head, dueAtOf(due), missedBefore(context)));
  return { kind: 'none', coveredUntil: covering(context, head, missed) };
}

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

/** Covered until `due`, or until later if that was so already. */
export const covering = (context: Context, head: Head, due: DueKey): DueKey =>
  isCoverAhead(context, head) ? due : laterDue(head.coveredUntil, due);

/**
 * What fires later than this is in time by some clock and is not covered. Two machines may differ by clockSkewMs, and
 * the claim of a covered occurrence has to find it late by more than that.
 */
export const missedBefore = ({ clock, settings }: Context): number => clock.now() - 2 * settings.clockSkewMs;

/** The latest occurrence that fired before `now`; one that jitter still keeps back is not missed. */
function latestMissed(head: Head, due: number, now: number): number {
  let last = latestOccurrence(head.schedule, due - 1, now);
  while (last !== undefined && last > due && fireAt(head.schedule, head.jobId, last) > now)
    last = latestOccurrence(head.schedule, due - 1, last - 1);
  return last ?? due;
}

/** The record of one that does not run: the head has decided it already (covered), or decides it by a note now. */
export async function skipLate(
  context: Context,
  head: Head,
  message: Message,
  { kind, reason }: Exclude<Misfire, { kind: 'none' }>,
): Promise<Claim> {
  const { due, revision } = message;
  if (kind === 'skip')
    return (await note(context, head, { due, status: 'SKIPPED', reason, revision })) ? DONE : AGAIN;
  const row = newRow(head, due, revision, 'SKIPPED');
  await context.store.insertRow({ ...row, reason, finishedAt: context.clock.now() });
  return DONE;
}
