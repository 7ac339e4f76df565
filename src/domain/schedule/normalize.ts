// The stored form of a schedule: relative times are instants, timezones and offsets are explicit. Nothing in it depends on when
// it is read. This file runs in a browser, so it has no zod: `resolve.ts` checks the shape of a request first.
import { fromAws } from './aws.ts';
import { parseCron } from './cron.ts';
import { durationMs, SECOND } from './duration.ts';
import type { Exclusion } from './exclusions.ts';
import { END_OF_TIME, instantMs, isoUtc, resolveInstant } from './instant.ts';
import { normalizeExcept } from './normalize-except.ts';
import { quote, refuse } from './refuse.ts';
import type { Schedule, ScheduleInput } from './schedule-schema.ts';
import { resolveTimezone } from './timezone.ts';

const MIN_RATE_MS = 1000;

/** `input` must be valid by `scheduleSchema`. A schedule without any occurrence is not an error here. */
export function normalizeSchedule(input: ScheduleInput, now: number): Schedule {
  const given = fromAws(input);
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
  const except = given.except && normalizeExcept(given.except, timezone);
  const common = {
    ...times,
    ...(except && except.length > 0 && { except }),
    ...(given.jitterSeconds !== undefined && { jitterSeconds: given.jitterSeconds }),
  };
  if (given.every !== undefined) {
    if (durationMs(given.every, 'schedule.every') < MIN_RATE_MS) {
      refuse('schedule.every', `${quote(given.every)} is too short: the shortest is PT1S`);
    }
    if (except) refuseFractions(given.every, except);
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

/** A pattern excludes seconds, so the search counts in seconds. */
function refuseFractions(every: string, except: readonly Exclusion[]): void {
  const index = except.findIndex((exclusion) => typeof exclusion === 'object' && 'cron' in exclusion);
  if (index < 0 || durationMs(every, 'schedule.every') % SECOND === 0) return;
  refuse(
    `schedule.except[${index}].cron`,
    `a pattern cannot exclude times of the rate ${quote(every)}: it must be in whole seconds`,
  );
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
