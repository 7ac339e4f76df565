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

export const previewSchedule = (schedule: Schedule, options: PreviewOptions): Preview =>
  previewWith(schedule, options.now, [...previewedTimes(schedule, options)]);

export const previewWith = (schedule: Schedule, now: number, fireTimes: readonly string[]): Preview => ({
  fireTimes,
  description: describeSchedule(schedule),
  warnings: scheduleWarnings(schedule, now),
});

/** The first `count` times later than `after`. If `after` is undefined, the times from `now` on. */
export function* previewedTimes(
  schedule: Schedule,
  { count, after, now }: PreviewOptions,
): Generator<string, void, void> {
  let left = count;
  for (const due of occurrencesAfter(schedule, after ?? now - 1)) {
    yield isoUtc(due);
    if (--left === 0) return;
  }
}
