// The occurrences of a schedule in a range of time.
import { InvalidInput } from '../domain/errors.ts';
import { occurrencesAfter } from '../domain/schedule/occurrences.ts';
import { resolveSchedule } from '../domain/schedule/resolve.ts';
import { type ScheduleInput, scheduleSchema } from '../domain/schedule/schedule-schema.ts';
import { parse } from '../domain/validation/validation.ts';
import { type Instant, timeOf } from './instant.ts';

export interface OccurrencesOptions {
  /** The first due time, inclusive. Relative schedules such as `in`, and `every` without `startAt`, count from it. */
  readonly from: Instant;
  /** The end of the range, exclusive. */
  readonly to: Instant;
}

/** More occurrences than this are refused, because a forgotten `to` would fill the memory. */
const MAX_OCCURRENCES = 1_000_000;

/** The due times of a schedule with `from` ≤ due < `to`, without jitter. A text is a cron pattern. */
export function occurrences(schedule: ScheduleInput | string, { from, to }: OccurrencesOptions): Date[] {
  const [start, end] = [timeOf(from, 'from'), timeOf(to, 'to')];
  const { value, errors } = parse(
    scheduleSchema,
    typeof schedule === 'string' ? { cron: schedule } : schedule,
  );
  if (errors)
    throw new InvalidInput(
      errors.map((e) => ({ ...e, path: ['schedule', e.path].filter(Boolean).join('.') })),
    );
  const found: Date[] = [];
  for (const due of occurrencesAfter(resolveSchedule(value, start), start - 1)) {
    if (due >= end) break;
    if (found.length === MAX_OCCURRENCES)
      throw new RangeError(`the schedule has more than ${MAX_OCCURRENCES} occurrences in the range`);
    found.push(new Date(due));
  }
  return found;
}
