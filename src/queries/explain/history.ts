// The past of a job from the records of its changes: its schedule at a time, its pauses, and the change that withdrew an
// occurrence.
import type { ChangeView } from '../../domain/jobs/change.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { isPause, pausesOf } from '../../domain/jobs/pauses.ts';
import { latestOccurrence, unlessEnded } from '../../domain/schedule/occurrences.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import { SearchBudget } from '../../domain/schedule/search-budget.ts';

/** `changes` are newest first. */
export function scheduleAt(present: Schedule, changes: readonly ChangeView[], at: number): Schedule {
  let schedule = present;
  for (const change of changes) {
    if (Date.parse(change.at) <= at) break;
    // a record has the resolved schedule of the head
    schedule = (change.before?.schedule as Schedule | undefined) ?? schedule;
  }
  return schedule;
}

/** The latest time up to now at which the job was due by the schedule of then. `changes` are newest first. */
export function latestDue(
  { schedule: present, createdAt }: Head,
  changes: readonly ChangeView[],
  now: number,
): number | undefined {
  let [schedule, until] = [present, now];
  for (const { at, before } of changes) {
    if (before?.schedule === undefined) continue;
    const begin = Date.parse(at);
    const due = latest(schedule, begin - 1, until);
    if (due !== undefined) return due;
    [schedule, until] = [before.schedule as Schedule, begin - 1];
  }
  return latest(schedule, createdAt - 1, until);
}

/** Undefined also if the search ends by its budget. The question is about the present then. */
const latest = (schedule: Schedule, after: number, until: number): number | undefined =>
  unlessEnded(
    () => latestOccurrence(schedule, after, until, new SearchBudget()),
    () => undefined,
  );

export const isScheduleEdit = ({ what, before, after }: ChangeView): boolean =>
  what === 'edited' && before?.schedule !== undefined && after?.schedule !== undefined;

/** The pause that an occurrence fell into, with the record of its begin. */
export function pauseAround(
  changes: readonly ChangeView[],
  due: number,
  fireAt: number,
): { readonly change: ChangeView; readonly until: number } | undefined {
  const pause = pausesOf(changes).find(({ from, to }) => fireAt >= from && due < to);
  const change = pause && changes.find((one) => Date.parse(one.at) === pause.from && isPause(one));
  return change && { change, until: pause.to };
}

/** The first change at or after `due` that withdraws all occurrences that have not started. */
export const withdrawalAfter = (changes: readonly ChangeView[], due: number): ChangeView | undefined =>
  changes.findLast(
    (change) =>
      Date.parse(change.at) >= due &&
      (change.what === 'cancelled' || isPause(change) || isScheduleEdit(change)),
  );

/** The last change up to `due` that planned occurrences and sent those of the next minutes itself. */
export const planBefore = (changes: readonly ChangeView[], due: number): ChangeView | undefined =>
  changes.find(
    (change) =>
      Date.parse(change.at) <= due &&
      (change.what === 'created' ||
        change.what === 'resumed' ||
        change.after?.pausedUntil !== undefined ||
        isScheduleEdit(change)),
  );
