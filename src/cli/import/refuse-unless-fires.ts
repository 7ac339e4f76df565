// A schedule that never fires would make the whole jobs file wrong, so it is refused at the import.
import { InvalidInput } from '../../domain/errors.ts';
import { nextOccurrence } from '../../domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../domain/schedule/resolve.ts';
import type { ScheduleInput } from '../../domain/schedule/schedule-schema.ts';
import { Refused } from './fields.ts';

export function refuseUnlessFires(schedule: ScheduleInput, now: number): void {
  try {
    if (nextOccurrence(resolveSchedule(schedule, now), now - 1) === undefined)
      throw new Refused('it has no run from now on');
  } catch (error) {
    if (error instanceof InvalidInput) throw new Refused(error.message);
    throw error;
  }
}
