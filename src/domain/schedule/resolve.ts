// Validates the schedule of a request and converts it to the stored form.
import { InvalidInput } from '../errors.ts';
import { parse } from '../validation/validation.ts';
import { instantMs, isoUtc } from './instant.ts';
import { normalizeSchedule } from './normalize.ts';
import { type Schedule, type ScheduleInput, scheduleSchema } from './schedule-schema.ts';

/** A job without a schedule runs once, now. Throws InvalidInput if the schedule is not valid. */
export function resolveSchedule(input: ScheduleInput | undefined, now: number): Schedule {
  if (input === undefined) return normalized(input, now);
  const { value, errors } = parse(scheduleSchema, input, ['schedule']);
  if (errors) throw new InvalidInput(errors);
  return normalized(value, now);
}

const normalized = (input: ScheduleInput | undefined, now: number): Schedule =>
  input === undefined ? { at: isoUtc(now) } : normalizeSchedule(input, now);

/**
 * The schedule of a request that was accepted at `acceptedAt` and is carried out at `now`. A one-time job that came due in
 * between runs now, late. A rate without `startAt` begins now, so that its first run is not lost. Its fields were checked when it
 * was accepted, by another version perhaps, whose further fields are left out.
 */
export function resolveAccepted(input: ScheduleInput | undefined, acceptedAt: number, now: number): Schedule {
  const schedule = normalized(input, acceptedAt);
  if ('at' in schedule) {
    return instantMs(schedule.at) >= now ? schedule : { ...schedule, at: isoUtc(now) };
  }
  if ('every' in schedule && input?.startAt === undefined) return { ...schedule, startAt: isoUtc(now) };
  return schedule;
}
