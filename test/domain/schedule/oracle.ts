// Brute force: walks every minute of a window, reads the clock through Intl, and matches the text of a pattern.
// Shares no code with what it checks.

export interface Face {
  readonly instant: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

export interface Rule {
  readonly gap: 'skip' | 'after';
  readonly overlap: 'once' | 'twice';
}

const MINUTE = 60_000;

/** What the clocks of a zone show in each minute of a window. */
export function clockFaces(zone: string, from: string, days: number): Face[] {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const start = Date.parse(from);
  return Array.from({ length: days * 1440 }, (_, i) => {
    const instant = start + i * MINUTE;
    const parts = new Map(format.formatToParts(instant).map((part) => [part.type, Number(part.value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? Number.NaN;
    return {
      instant,
      year: part('year'),
      month: part('month'),
      day: part('day'),
      hour: part('hour'),
      minute: part('minute'),
    };
  });
}

/** The due instants of a pattern of five fields, later than the window's first minute. */
export function dueByWalking(faces: readonly Face[], pattern: string, chosen: Partial<Rule> = {}): number[] {
  const matches = matcher(pattern);
  const fixed = /^[^* ]+ [^* ]+ /.test(pattern);
  const gap = chosen.gap ?? (fixed ? 'afterUnlessWholeDate' : 'skip');
  const overlap = chosen.overlap ?? (fixed ? 'once' : 'twice');
  const shown = new Set<number>();
  const due: number[] = [];
  let before: number | undefined;
  for (const face of faces) {
    const now = asUtc(face);
    let runs = matches(face) && !(overlap === 'once' && shown.has(now));
    if (before !== undefined && now > before + MINUTE && gap !== 'skip') {
      for (let missing = before + MINUTE; missing < now; missing += MINUTE) {
        const lost = fromUtc(missing);
        runs ||= matches(lost) && (gap === 'after' || !isLeftOut(missing, before, now));
      }
    }
    if (runs && before !== undefined) due.push(face.instant);
    shown.add(now);
    before = now;
  }
  return due;
}

/** The whole date of `lost` lies between what clocks showed before and after. */
const isLeftOut = (lost: number, before: number, after: number): boolean => {
  const midnight = Date.parse(`${new Date(lost).toISOString().slice(0, 10)}T00:00:00Z`);
  return before < midnight && after >= midnight + 1440 * MINUTE;
};

export const asUtc = (f: Face): number => Date.UTC(f.year, f.month - 1, f.day, f.hour, f.minute);

export function fromUtc(instant: number): Face {
  const d = new Date(instant);
  return {
    instant,
    year: d.getUTCFullYear(),
    month: d.getUTCMonth() + 1,
    day: d.getUTCDate(),
    hour: d.getUTCHours(),
    minute: d.getUTCMinutes(),
  };
}

/** Tries every value of each field once, so that the walk is quick. */
export function matcher(pattern: string): (face: Face) => boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = pattern.split(' ');
  const all = (text: string, low: number, high: number) =>
    Array.from({ length: high + 1 }, (_, value) => value >= low && matchesField(text, value, low, high));
  const [minutes, hours, months] = [all(minute, 0, 59), all(hour, 0, 23), all(month, 1, 12)];
  const dates = new Map<number, boolean>();
  return (face) => {
    if (!minutes[face.minute] || !hours[face.hour] || !months[face.month]) return false;
    const date = (face.year * 100 + face.month) * 100 + face.day;
    const known = dates.get(date) ?? matchesDay(day, weekday, face.year, face.month, face.day);
    dates.set(date, known);
    return known;
  };
}

/** The day fields of cron: both must match when one is `*` or `*`/1, either when both are restricted. */
export function matchesDay(day: string, weekday: string, year: number, month: number, date: number): boolean {
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const weekdayOn = (d: number) => new Date(Date.UTC(year, month - 1, d)).getUTCDay();
  const isWorkday = (d: number) => d >= 1 && d <= length && weekdayOn(d) !== 0 && weekdayOn(d) !== 6;
  /** The workday of this month that is nearest: the day itself, or one or two days away. */
  const nearest = (d: number) => [d, d - 1, d + 1, d + 2, d - 2].find((candidate) => isWorkday(candidate));

  const byDay = day.split(',').some((part) => {
    if (part === 'L') return date === length;
    if (part.startsWith('L-')) return date === length - Number(part.slice(2));
    if (part === 'LW') return date === nearest(length);
    if (part.endsWith('W'))
      return Number.parseInt(part, 10) <= length && date === nearest(Number.parseInt(part, 10));
    return matchesField(part, date, 1, 31);
  });
  const byWeekday = weekday.split(',').some((part) => {
    const today = weekdayOn(date);
    const [name = '', nth] = part.split('#');
    if (nth) return Number(name) % 7 === today && Math.ceil(date / 7) === Number(nth);
    if (part.endsWith('L')) return Number.parseInt(part, 10) % 7 === today && date + 7 > length;
    return (
      matchesField(part, today, 0, 6) || (today === 0 && /^7$|-7/.test(part) && matchesField(part, 7, 0, 7))
    );
  });
  return isStar(day) || isStar(weekday) ? byDay && byWeekday : byDay || byWeekday;
}

const isStar = (text: string): boolean => text.split(',').some((part) => part === '*' || part === '*/1');

function matchesField(text: string, value: number, low: number, high: number): boolean {
  return text.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from = '', to] = range.split('-');
    const first = range === '*' ? low : Number(from);
    const last = range === '*' ? high : to !== undefined ? Number(to) : part.includes('/') ? high : first;
    return value >= first && value <= last && (value - first) % Number(step) === 0;
  });
}
