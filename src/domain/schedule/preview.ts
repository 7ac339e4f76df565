// The preview of a schedule: its next times, an English description, and warnings.
import { describeSchedule } from './describe.ts';
import { isoUtc } from './instant.ts';
import { occurrencesAfter } from './occurrences.ts';
import type { Schedule } from './schedule-schema.ts';
import { type ScheduleWarning, scheduleWarnings } from './warnings.ts';

export interface Preview {
  readonly fireTimes: readonly string[];
  readonly description: string;
  readonly warnings: readonly ScheduleWarning[];
}

export interface PreviewOptions {
  readonly count: number;
  readonly after?: number;
  readonly now: number;
}

/** The first `count` times later than `after`. If `after` is undefined, the times from `now` on. */
export function previewSchedule(schedule: Schedule, { count, after, now }: PreviewOptions): Preview {
  const fireTimes: string[] = [];
  for (const due of occurrencesAfter(schedule, after ?? now - 1)) {
    fireTimes.push(isoUtc(due));
    if (fireTimes.length === count) break;
  }
  return { fireTimes, description: describeSchedule(schedule), warnings: scheduleWarnings(schedule, now) };
}
