// Plans the occurrences of a new revision of a job, for create, edit, pause with an end, and resume.
import { NeverFires } from '../../domain/errors.ts';
import type { Entry } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import type { Context } from '../context.ts';
import { occurrencesUntil, regularEntry, regularMessage, writerHorizon } from './plan.ts';

/** Writes the entries of a new revision. The caller calls the result after the write of the head, to send the messages. */
export async function plan(context: Context, head: Planning, t0: number): Promise<() => Promise<void>> {
  const { entries, send } = planned(context, head, t0);
  await context.store.putEntries(entries);
  return send;
}

type Planning = Pick<Head, 'jobId' | 'userId' | 'limit' | 'revision' | 'schedule' | 'pausedUntil'>;

/**
 * The entries of a new revision, from t0 to the first one beyond the writer's horizon, and the function that sends the messages.
 * It writes nothing. If the schedule has no occurrence, it throws NeverFires (422).
 */
export function planned(
  { queue, clock, settings }: Context,
  head: Planning,
  t0: number,
): { entries: Entry[]; send: () => Promise<void> } {
  const from = Math.max(t0, head.pausedUntil ?? 0);
  const { inside, beyond } = occurrencesUntil(head.schedule, from - 1, writerHorizon(settings, t0));
  if (inside.length === 0 && beyond === undefined)
    throw from === t0 ? neverFires(head.schedule, t0) : neverResumes(head.schedule, from);
  const dues = beyond === undefined ? inside : [...inside, beyond];
  return {
    entries: dues.map((due) => regularEntry(head, due)),
    send: () => queue.send(inside.map((due) => regularMessage(head, due, clock.now()))),
  };
}

export const neverFires = (schedule: Schedule, t0: number): NeverFires =>
  new NeverFires(
    'at' in schedule
      ? `schedule.at is ${schedule.at}, which is past (it is ${new Date(t0).toISOString()}); leave the schedule out to run now`
      : `the schedule ${JSON.stringify(schedule)} has no occurrence after ${new Date(t0).toISOString()}`,
  );

const neverResumes = (schedule: Schedule, until: number): NeverFires =>
  new NeverFires(
    `the schedule ${JSON.stringify(schedule)} has no occurrence after ${new Date(until).toISOString()}, the end of the pause`,
  );

/**
 * A revision for one round of a compare-and-set. The entries of a lost round stay invalid, because the head has changed since
 * (for example by another pause or schedule).
 */
export const freshRevision = ({ random }: Context): string => random.id(12);
