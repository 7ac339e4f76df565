// The runs of a schedule as a picture: a year by days. A schedule with too many runs shows a week by hours, or an hour by minutes.
import { DAY, HOUR, MINUTE } from '../../../../src/domain/schedule/duration.ts';
import { offsetText } from '../../../../src/domain/schedule/instant.ts';
import { nextOccurrence, occurrencesAfter } from '../../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../../src/domain/schedule/schedule-schema.ts';
import { clockChangesFrom, offsetPeriodAt } from '../../../../src/domain/schedule/zones.ts';
import type { CalendarInput } from '../../../marks/calendar-geometry.ts';
import { countsOf, endOf, type GridSpan } from '../../../marks/heat-grid-geometry.ts';

/** More occurrences than this are not counted in one picture. */
export const MAX_COUNTED = 20_000;
const YEAR_DAYS = 366;

export type PlanPicture =
  | { readonly kind: 'year'; readonly calendar: CalendarInput; readonly total: number }
  | {
      readonly kind: 'week' | 'hour';
      readonly span: GridSpan;
      readonly counts: readonly number[];
      readonly total: number;
    };

/** The zone whose days are shown. */
export const zoneOf = (schedule: Schedule): string => schedule.timezone ?? 'UTC';

/**
 * Yields undefined after each `sliceSize` occurrences, so that the caller can let the browser draw, and the picture at the end. A
 * keystroke abandons the rest.
 */
export function* planPicture(
  schedule: Schedule,
  now: number,
  sliceSize = 1000,
): Generator<undefined, PlanPicture, undefined> {
  if (isAbove(schedule, now, HOUR, MAX_COUNTED / (7 * 24))) return grid(schedule, hourFrom(now), 'hour');
  if (!isAbove(schedule, now, 7 * DAY, MAX_COUNTED / 52)) {
    const year = yield* yearPicture(schedule, now, sliceSize);
    if (year) return year;
  }
  // The week of the first run, because this one may have none.
  const first = nextOccurrence(schedule, now - 1) ?? now;
  return grid(schedule, weekFrom(zoneOf(schedule), first), 'week');
}

/** Whether more than `most` occurrences follow within `ms`. */
function isAbove(schedule: Schedule, now: number, ms: number, most: number): boolean {
  let count = 0;
  for (const due of occurrencesAfter(schedule, now - 1)) {
    if (due >= now + ms) return false;
    if (++count > most) return true;
  }
  return false;
}

const dayNumber = (zone: string, instant: number): number =>
  Math.floor((instant + offsetPeriodAt(zone, instant).offset) / DAY);

function* yearPicture(
  schedule: Schedule,
  now: number,
  sliceSize: number,
): Generator<undefined, PlanPicture | undefined, undefined> {
  const zone = zoneOf(schedule);
  const today = dayNumber(zone, now);
  const to = today + YEAR_DAYS;
  const days = new Map<number, { planned: number }>();
  let total = 0;
  for (const due of occurrencesAfter(schedule, now - 1)) {
    const day = dayNumber(zone, due);
    if (day >= to) break;
    if (++total > MAX_COUNTED) return undefined;
    days.set(day, { planned: (days.get(day)?.planned ?? 0) + 1 });
    if (total % sliceSize === 0) yield undefined;
  }
  const clockChanges = clockChangesOf(zone, now, now + YEAR_DAYS * DAY);
  return { kind: 'year', calendar: { from: today, to, today, days, clockChanges }, total };
}

/** The clock changes, by the local date: "clocks go forward 1 h at 02:00 (+01:00 → +02:00)". */
function clockChangesOf(zone: string, from: number, to: number): Map<number, string> {
  return new Map(
    [...clockChangesFrom(zone, from, to)].map(({ start, offset, before }) => {
      const minutes = Math.abs(offset - before) / MINUTE;
      const size = minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
      const local = new Date(start + before).toISOString().slice(11, 16);
      const direction = offset > before ? 'forward' : 'back';
      const offsets = `${offsetText(before)} → ${offsetText(offset)}`;
      return [Math.floor((start + before) / DAY), `clocks go ${direction} ${size} at ${local} (${offsets})`];
    }),
  );
}

const hourFrom = (now: number): GridSpan => ({
  from: Math.ceil(now / MINUTE) * MINUTE,
  rows: 6,
  columns: 10,
  cellMs: MINUTE,
});

/** Seven rows of 24 hours from the last local midnight on. */
const weekFrom = (zone: string, now: number): GridSpan => ({
  from: dayNumber(zone, now) * DAY - offsetPeriodAt(zone, now).offset,
  rows: 7,
  columns: 24,
  cellMs: HOUR,
});

function grid(schedule: Schedule, span: GridSpan, kind: 'week' | 'hour'): PlanPicture {
  const counts = countsOf(span, until(schedule, span.from, endOf(span)));
  return { kind, span, counts, total: counts.reduce((sum, count) => sum + count, 0) };
}

function* until(schedule: Schedule, from: number, to: number): Generator<number> {
  let count = 0;
  for (const due of occurrencesAfter(schedule, from - 1)) {
    if (due >= to || ++count > MAX_COUNTED) return;
    yield due;
  }
}
