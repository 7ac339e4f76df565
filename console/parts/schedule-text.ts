// A schedule in words.
import type { Job } from '../../src/client/types.ts';
import { describeSchedule } from '../../src/domain/schedule/describe.ts';
import type { Schedule } from '../../src/domain/schedule/schedule-schema.ts';

const known = new WeakMap<object, string>();

/** A schedule of a newer server that this page cannot describe is shown as JSON. */
export function scheduleText(schedule: Job['schedule']): string {
  const text = known.get(schedule) ?? describe(schedule);
  known.set(schedule, text);
  return text;
}

function describe(schedule: Job['schedule']): string {
  try {
    // The server has validated it, so exactly one kind of schedule is set.
    return describeSchedule(schedule as Schedule);
  } catch {
    return JSON.stringify(schedule);
  }
}
