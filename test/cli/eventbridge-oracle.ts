// The fire times of EventBridge's cron(…) and rate(…) by its documentation, computed in the simplest way: every minute is
// compared with the pattern. A local time that clocks skip has no minute. Of a local time that occurs twice, the first counts.
// It shares no code with the search of src/domain/schedule.

const MINUTE = 60_000;
const NAMES = {
  month: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  weekday: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

interface Local {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

function localTimes(timezone: string): (instant: number) => Local {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    hourCycle: 'h23',
  });
  return (instant) => {
    const parts = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    return { year, month, day, hour, minute };
  };
}

/** Whether a value is in a field of numbers, names, ranges (which may wrap around), steps and lists. */
function isIn(
  field: string,
  value: number,
  min: number,
  max: number,
  names: readonly string[] = [],
): boolean {
  const numberOf = (text: string) => (names.includes(text) ? names.indexOf(text) + 1 : Number(text));
  return field.split(',').some((part) => {
    const [range = '', step] = part.split('/');
    if (range === '*' || range === '?') return step === undefined || (value - min) % Number(step) === 0;
    const [from = 0, to] = range.split('-').map(numberOf);
    const end = to ?? (step === undefined ? from : max);
    const isInside = from <= end ? value >= from && value <= end : value >= from || value <= end;
    return isInside && (step === undefined || (value - from) % Number(step) === 0);
  });
}

const weekdayOf = ({ year, month, day }: Omit<Local, 'hour' | 'minute'>): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1;
const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

function dayMatches(field: string, local: Local): boolean {
  const last = daysIn(local.year, local.month);
  if (field === 'L') return local.day === last;
  const [, near] = /^(\d+)W$/.exec(field) ?? [];
  if (near === undefined) return isIn(field, local.day, 1, 31);
  const candidates = [0, -1, 1, -2, 2]
    .map((shift) => Number(near) + shift)
    .filter((day) => day >= 1 && day <= last);
  const nearest = candidates.find((day) => ![1, 7].includes(weekdayOf({ ...local, day })));
  return local.day === nearest;
}

function weekdayMatches(field: string, local: Local): boolean {
  const weekday = weekdayOf(local);
  const [, lastOf] = /^(\w+)L$/.exec(field) ?? [];
  if (lastOf !== undefined)
    return isIn(lastOf, weekday, 1, 7, NAMES.weekday) && local.day + 7 > daysIn(local.year, local.month);
  const [, nthOf, nth] = /^(\w+)#(\d)$/.exec(field) ?? [];
  if (nthOf !== undefined)
    return isIn(nthOf, weekday, 1, 7, NAMES.weekday) && Math.ceil(local.day / 7) === Number(nth);
  return isIn(field, weekday, 1, 7, NAMES.weekday);
}

/** The next fire times after `from`. Searches four years and a day. */
export function eventBridgeTimes(
  expression: string,
  timezone: string,
  from: number,
  count: number,
): number[] {
  const [minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = expression
    .slice(5, -1)
    .split(' ');
  const local = localTimes(timezone);
  const found: number[] = [];
  const seen = new Set<string>();
  // the first of two equal local times may be before `from`
  for (let at = Math.floor(from / MINUTE) * MINUTE - 180 * MINUTE; found.length < count; at += MINUTE) {
    if (at > from + 1462 * 1440 * MINUTE) break;
    const now = local(at);
    const isDay =
      isIn(year, now.year, 1970, 2199) &&
      isIn(month, now.month, 1, 12, NAMES.month) &&
      dayMatches(day, now) &&
      weekdayMatches(weekday, now);
    if (!isDay) {
      // the rest of the hour is on the same day
      at += (59 - now.minute) * MINUTE;
      continue;
    }
    if (!isIn(hour, now.hour, 0, 23)) {
      // clocks change at quarters of an hour only
      at += (14 - (now.minute % 15)) * MINUTE;
      continue;
    }
    if (!isIn(minute, now.minute, 0, 59)) continue;
    const text = JSON.stringify(now);
    if (!seen.has(text) && at > from) found.push(at);
    seen.add(text);
  }
  return found;
}
