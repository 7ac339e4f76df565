// What a schedule will do, before a job has it: its next times, a sentence, and warnings.
import { describeSchedule } from './describe.ts';
import { isoUtc } from './instant.ts';
import { occurrencesAfter } from './occurrences.ts';
import { resolveSchedule } from './resolve.ts';
import type { ScheduleInput } from './schema.ts';
import { type ScheduleWarning, scheduleWarnings } from './warnings.ts';

export interface Preview {
  readonly fireTimes: readonly string[];
  readonly description: string;
  readonly warnings: readonly ScheduleWarning[];
}

/** The first `count` times; later than `after` if given, else from now on. */
export function previewSchedule(
  input: ScheduleInput,
  { count, after, now }: { count: number; after?: number; now: number },
): Preview {
  const schedule = resolveSchedule(input, now);
  const fireTimes: string[] = [];
  for (const due of occurrencesAfter(schedule, after ?? now - 1)) {
    fireTimes.push(isoUtc(due));
    if (fireTimes.length === count) break;
  }
  return {
    fireTimes,
    description: describeSchedule(schedule),
    warnings: scheduleWarnings(schedule, now),
  };
}
