// The local times that a cron pattern matches, forwards and backwards, without any timezone. A local time is a number, as if
// the timezone were UTC. docs/decisions/0005 says why no library does this.
import { type Cron, isEitherDay, isEvery } from './cron.ts';
import { FIELDS, valuesOf } from './cron-field.ts';
import { DAY } from './duration.ts';

/** Local times. All days that have any have the same times of day. */
export interface LocalTimes {
  /** The first time at or after `local`. */
  next(local: number): number | undefined;
  /** The last time at or before `local`. */
  previous(local: number): number | undefined;
}

export interface WallClock extends LocalTimes {
  /** True if the pattern runs in every hour, and at the same minutes after a clock change by `shift`. */
  isUnaffectedBy(shift: number): boolean;
}

export function wallClockOf(cron: Cron): WallClock {
  const seconds = valuesOf(FIELDS.second, cron.second);
  const minutes = valuesOf(FIELDS.minute, cron.minute);
  const hours = valuesOf(FIELDS.hour, cron.hour);
  const months = new Set(valuesOf(FIELDS.month, cron.month));
  const years = isEvery(cron.year) ? undefined : new Set(valuesOf(FIELDS.year, cron.year));
  const daysIn = dayMatcher(cron);
  const time = (h = 0, m = 0, s = 0): number => ((h * 60 + m) * 60 + s) * 1000;
  const firstTime = time(hours[0], minutes[0], seconds[0]);
  const lastTime = time(hours.at(-1), minutes.at(-1), seconds.at(-1));

  /** The first matching time of day at or after `from` (direction 1), or the last at or before it (direction -1). */
  function timeFrom(from: number, direction: 1 | -1): number | undefined {
    const within = (values: number[], value: number) =>
      direction === 1 ? values.find((v) => v >= value) : values.findLast((v) => v <= value);
    const edge = (values: number[]) => (direction === 1 ? values[0] : values.at(-1));
    const [h, m, s] = [
      Math.floor(from / 3_600_000),
      Math.floor(from / 60_000) % 60,
      Math.floor(from / 1000) % 60,
    ];
    const hour = within(hours, h);
    if (hour === undefined) return undefined;
    if (hour !== h) return time(hour, edge(minutes), edge(seconds));
    const minute = within(minutes, m);
    if (minute !== undefined) {
      if (minute !== m) return time(hour, minute, edge(seconds));
      const second = within(seconds, s);
      if (second !== undefined) return time(hour, minute, second);
      const otherMinute = within(minutes, m + direction);
      if (otherMinute !== undefined) return time(hour, otherMinute, edge(seconds));
    }
    const otherHour = within(hours, h + direction);
    return otherHour === undefined ? undefined : time(otherHour, edge(minutes), edge(seconds));
  }

  /** The midnight of the first matching day at or after `midnight` (direction 1), or the last at or before it (-1). */
  function dayFrom(midnight: number, direction: 1 | -1): number | undefined {
    const start = new Date(midnight);
    let [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth() + 1, start.getUTCDate()];
    // West of Greenwich, the first instant is on the last day of 1969.
    if (direction === 1 && year < FIELDS.year.from) [year, month, day] = [FIELDS.year.from, 1, 1];
    while (year >= FIELDS.year.from && year <= FIELDS.year.to) {
      if (years && !years.has(year)) {
        year += direction;
        month = direction === 1 ? 1 : 12;
      } else {
        if (months.has(month)) {
          const mask = daysIn(year, month);
          for (; day >= 1 && day <= 31; day += direction) {
            if (mask & (1 << day)) return Date.UTC(year, month - 1, day);
          }
        }
        month += direction;
        if (month < 1 || month > 12) {
          year += direction;
          month = direction === 1 ? 1 : 12;
        }
      }
      day = direction === 1 ? 1 : 31;
    }
    return undefined;
  }

  return {
    next(local) {
      const from = Math.ceil(local / 1000) * 1000;
      const midnight = Math.floor(from / DAY) * DAY;
      const today = dayFrom(midnight, 1);
      if (today !== midnight) return today === undefined ? undefined : today + firstTime;
      const later = timeFrom(from - midnight, 1);
      if (later !== undefined) return midnight + later;
      const day = dayFrom(midnight + DAY, 1);
      return day === undefined ? undefined : day + firstTime;
    },
    previous(local) {
      const midnight = Math.floor(local / DAY) * DAY;
      const today = dayFrom(midnight, -1);
      if (today !== midnight) return today === undefined ? undefined : today + lastTime;
      const earlier = timeFrom(local - midnight, -1);
      if (earlier !== undefined) return midnight + earlier;
      const day = dayFrom(midnight - DAY, -1);
      return day === undefined ? undefined : day + lastTime;
    },
    isUnaffectedBy: (shift) =>
      hours.length === 24 &&
      minutes.every((minute) => minutes.includes((minute + Math.abs(shift) / 60_000) % 60)),
  };
}

/** The matching days of a month as a bit mask: bit n is day n. */
export function dayMatcher(cron: Cron): (year: number, month: number) => number {
  const plainDays = valuesOf(FIELDS.day, cron.day).reduce((mask, day) => mask | (1 << day), 0);
  const plainWeekdays = new Set(valuesOf(FIELDS.weekday, cron.weekday));
  const either = isEitherDay(cron);

  const matching = (year: number, month: number): number => {
    const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
    const firstWeekday = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
    const weekdayOf = (day: number) => (firstWeekday + day - 1) % 7;
    const exists = 2 ** (length + 1) - 2;

    let days = plainDays;
    for (const term of cron.day) {
      if (term.kind === 'lastDay' && (term.before ?? 0) < length) days |= 1 << (length - (term.before ?? 0));
      if (term.kind === 'lastWeekday') days |= 1 << nearestWeekday(length, length, weekdayOf);
      if (term.kind === 'nearestWeekday' && term.day <= length) {
        days |= 1 << nearestWeekday(term.day, length, weekdayOf);
      }
    }

    let weekdays = 0;
    for (let day = 1; day <= length; day++) {
      if (plainWeekdays.has(weekdayOf(day))) weekdays |= 1 << day;
    }
    for (const term of cron.weekday) {
      if (term.kind !== 'nth' && term.kind !== 'last') continue;
      const first = 1 + ((term.weekday - firstWeekday + 7) % 7);
      const day =
        term.kind === 'nth' ? first + 7 * (term.nth - 1) : first + 7 * Math.floor((length - first) / 7);
      if (day <= length) weekdays |= 1 << day;
    }

    return (either ? days | weekdays : days & weekdays) & exists;
  };

  // Searches ask for the same month many times.
  let known = { year: 0, month: 0, mask: 0 };
  return (year, month) => {
    if (known.month !== month || known.year !== year) known = { year, month, mask: matching(year, month) };
    return known.mask;
  };
}

/** The day from Monday to Friday that is nearest to `day` in the same month. */
function nearestWeekday(day: number, length: number, weekdayOf: (day: number) => number): number {
  const weekday = weekdayOf(day);
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}
