// Misfire: what it means that an occurrence is claimed late.
import { dueAtOf, dueKey } from '../domain/ids.ts';
import type { Head } from '../domain/job.ts';
import { fireAt, isRecurring, latestOccurrence } from '../domain/schedule/occurrences.ts';
import type { Message } from '../queue/queue.ts';
import { AGAIN, type Claim, DONE } from './answers.ts';
import type { Context } from './context.ts';
import { note } from './note.ts';
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
export function misfireOf({ clock }: Context, head: Head, message: Message): Misfire {
  const { due } = message;
  if (head.coveredUntil !== undefined && due <= head.coveredUntil) {
    return { kind: 'covered', reason: STOOD_FOR };
  }
  const now = clock.now();
  const late = now - message.fireAt;
  if (!isRecurring(head.schedule) || late <= head.misfire.graceSeconds * 1000) return { kind: 'none' };
  if (head.misfire.policy === 'skip') {
    return {
      kind: 'skip',
      reason: `misfire: ${Math.round(late / 1000)} s late, ${head.misfire.graceSeconds} s allowed`,
    };
  }
  if (head.misfire.policy === 'runAll') return { kind: 'none', mustRun: true };
  return {
    kind: 'none',
    coveredUntil: dueKey(latestMissed(head, dueAtOf(due), now)),
  };
}

/** The latest occurrence whose time has come; one that jitter still keeps back is not missed. */
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
