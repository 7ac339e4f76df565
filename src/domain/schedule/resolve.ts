// A schedule as given to the one that is stored: checked, and free of anything that depends on when it is read.
import { InvalidInput } from '../errors.ts';
import { parse } from '../validation/validation.ts';
import { fromAws } from './aws.ts';
import { parseCron } from './cron.ts';
import { durationMs } from './duration.ts';
import { END_OF_TIME, instantMs, isoUtc, resolveInstant } from './instant.ts';
import { quote, refuse } from './refuse.ts';
import { type Schedule, type ScheduleInput, scheduleSchema } from './schema.ts';
import { resolveTimezone } from './timezone.ts';

const MIN_RATE = 1000;

/** Whether it will ever fire is not asked here. */
export function resolveSchedule(input: ScheduleInput | undefined, now: number): Schedule {
  if (input === undefined) return { at: isoUtc(now) };
  const given = fromAws(checked(input));
  const timezone = given.timezone === undefined ? undefined : resolveTimezone(given.timezone);
  if (given.at !== undefined) {
    const path = input.at === undefined ? 'schedule.cron' : 'schedule.at';
    return { at: resolveInstant(given.at, timezone, path), ...(timezone && { timezone }) };
  }
  if (given.in !== undefined) {
    const at = now + durationMs(given.in, 'schedule.in');
    if (at >= END_OF_TIME) refuse('schedule.in', `${quote(given.in)} ends after the year 2199`);
    return { in: given.in, at: isoUtc(at) };
  }
  const times = windowOf(given, timezone);
  const common = {
    ...times,
    ...(given.jitterSeconds !== undefined && { jitterSeconds: given.jitterSeconds }),
  };
  if (given.every !== undefined) {
    if (durationMs(given.every, 'schedule.every') < MIN_RATE) {
      refuse('schedule.every', `${quote(given.every)} is too short: the shortest is PT1S`);
    }
    return {
      every: given.every,
      ...common,
      startAt: times.startAt ?? isoUtc(now),
      ...(timezone && { timezone }),
    };
  }
  const local = { timezone: timezone ?? 'UTC', ...common, ...(given.dst && { dst: given.dst }) };
  if (given.calendar !== undefined) return { calendar: given.calendar, ...local };
  const cron = given.cron ?? '';
  parseCron(cron);
  return { cron, ...local };
}

/**
 * The schedule of a request that was accepted earlier and is carried out now. What has come due meanwhile runs now, late,
 * rather than never; a rate without an anchor begins now, so that its first run is not lost.
 */
export function resolveAccepted(input: ScheduleInput | undefined, acceptedAt: number, now: number): Schedule {
  const schedule = resolveSchedule(input, acceptedAt);
  if ('at' in schedule) {
    return instantMs(schedule.at) >= now ? schedule : { ...schedule, at: isoUtc(now) };
  }
  if ('every' in schedule && input?.startAt === undefined) return { ...schedule, startAt: isoUtc(now) };
  return schedule;
}

/** Types do not reach over the wire, and two kinds at once are a matter of the schema. */
function checked(input: ScheduleInput): ScheduleInput {
  const { value, errors } = parse(scheduleSchema, input, ['schedule']);
  if (errors) throw new InvalidInput(errors);
  return value;
}

function windowOf(
  given: ScheduleInput,
  timezone: string | undefined,
): Pick<ScheduleInput, 'startAt' | 'endAt'> {
  const startAt = given.startAt && resolveInstant(given.startAt, timezone, 'schedule.startAt');
  const endAt = given.endAt && resolveInstant(given.endAt, timezone, 'schedule.endAt');
  if (startAt !== undefined && endAt !== undefined && instantMs(endAt) < instantMs(startAt)) {
    refuse('schedule.endAt', `${quote(endAt)} is before startAt, ${quote(startAt)}`);
  }
  return { ...(startAt !== undefined && { startAt }), ...(endAt !== undefined && { endAt }) };
}
