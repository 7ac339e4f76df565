// Plans the occurrences of a new revision of a job, for create, edit, pause with an end, and resume.
import { NeverFires } from '../../domain/errors.ts';
import { type Entry, minuteOf } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import type { Context } from '../context.ts';
import { searchesOf } from '../searches.ts';
import { planUntil, regularEntry, regularMessage, searchEntry, writerHorizon } from './plan.ts';

/** Writes the entries of a new revision. The caller calls the result after the write of the head, to send the messages. */
export async function plan(
  context: Context,
  head: Planning,
  t0: number,
  options?: PlanOptions,
): Promise<() => Promise<void>> {
  const { entries, send } = await planned(context, head, t0, options);
  await context.store.putEntries(entries);
  return send;
}

export interface PlanOptions {
  /** Whether a schedule is refused (422) if the search for its first occurrence ends by its budget. Default: true. */
  readonly refuseSearch?: boolean;
}

type Planning = Pick<Head, 'jobId' | 'userId' | 'limit' | 'revision' | 'schedule' | 'pausedUntil'>;

/**
 * The entries of a new revision, from t0 to the first one beyond the writer's horizon, and the function that sends the messages.
 * It writes nothing. If the schedule has no occurrence, it throws NeverFires (422). If the search ends by its budget, dispatch
 * goes on with it.
 */
export async function planned(
  context: Context,
  head: Planning,
  t0: number,
  { refuseSearch = true }: PlanOptions = {},
): Promise<{ entries: Entry[]; send: () => Promise<void> }> {
  const { queue, clock, settings } = context;
  const searches = searchesOf(context);
  const from = Math.max(t0, head.pausedUntil ?? 0);
  const horizon = writerHorizon(settings, t0);
  const inside: number[] = [];
  let found = await planUntil(searches, head.schedule, from - 1, horizon);
  inside.push(...found.inside);
  while (found.ended && !searches.isSpent) {
    found = await planUntil(searches, head.schedule, found.ended.searchedUntil, horizon);
    inside.push(...found.inside);
  }
  const { beyond, ended } = found;
  if (inside.length === 0 && beyond === undefined) {
    if (ended && refuseSearch) throw ended;
    if (!ended) throw from === t0 ? neverFires(head.schedule, t0) : neverResumes(head.schedule, from);
  }
  const dues = beyond === undefined ? inside : [...inside, beyond];
  const search = ended && searchEntry(head, ended.searchedUntil, minuteOf(horizon) + 1);
  return {
    entries: [...dues.map((due) => regularEntry(head, due)), ...(search ? [search] : [])],
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
