// Occurrences against a walk over every minute, around the changes of clocks of many zones.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  latestOccurrence,
  nextOccurrence,
  occurrencesAfter,
} from '../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import { asUtc, dueByWalking, type Face, matchesDay, type Rule } from './oracle.ts';
import { dayField, field, timeFields, weekdayField } from './patterns.ts';
import { windows } from './windows.ts';

/** Half of the schedules choose nothing, so that the rule of their pattern counts. */
const choice: fc.Arbitrary<Partial<Rule>> = fc.oneof(
  fc.constant({}),
  fc.record(
    { gap: fc.constantFrom('skip', 'after'), overlap: fc.constantFrom('once', 'twice') },
    { requiredKeys: [] },
  ),
);

const pattern = fc
  .tuple(timeFields, dayField, field(1, 12), weekdayField)
  // Most windows are three days: dates that never match there would test nothing
  .chain(([[minute, hour], day, month, weekday]) =>
    fc.constantFrom(
      `${minute} ${hour} * * *`,
      `${minute} ${hour} * * *`,
      `${minute} ${hour} ${day} ${month} ${weekday}`,
    ),
  );

const scheduleOf = (cron: string, timezone: string, dst: Partial<Rule>): Schedule => ({
  cron,
  timezone,
  dst,
});

const edges = (faces: readonly Face[]): [number, number] => [
  faces[0]?.instant ?? 0,
  faces.at(-1)?.instant ?? 0,
];

function dueByAsking(schedule: Schedule, from: number, to: number): number[] {
  const due: number[] = [];
  for (const instant of occurrencesAfter(schedule, from)) {
    if (instant > to) break;
    due.push(instant);
  }
  return due;
}

/** Shows the first difference only: the lists are long. */
function expectSame(asked: number[], walked: number[]): void {
  const at = asked.findIndex((due, i) => due !== walked[i]);
  const from = at < 0 ? Math.min(asked.length, walked.length) : at;
  const text = (due: number[]) => due.slice(from, from + 2).map((instant) => new Date(instant).toISOString());
  expect(text(asked)).toEqual(text(walked));
}

describe.each(windows)('$zone ($what)', ({ zone, what, faces }) => {
  const [from, to] = edges(faces);

  test('is a window in which clocks do what it says', () => {
    const steps = new Set(faces.slice(1).map((face, i) => asUtc(face) - asUtc(faces[i] ?? face)));
    const jumps = /forward|back|left out/.test(what);
    expect(steps.size).toBe(jumps ? 2 : 1);
  });

  test('is due exactly when a walk over every minute says so', () => {
    fc.assert(
      fc.property(pattern, choice, (cron, dst) => {
        expectSame(dueByAsking(scheduleOf(cron, zone, dst), from, to), dueByWalking(faces, cron, dst));
      }),
      { numRuns: 120 },
    );
  });

  test('the next and the latest occurrence from any instant are the neighbours in that walk', () => {
    const instant = fc.integer({ min: from, max: to });
    fc.assert(
      fc.property(pattern, choice, instant, instant, (cron, dst, a, b) => {
        const schedule = scheduleOf(cron, zone, dst);
        const walked = dueByWalking(faces, cron, dst);
        const [after, until] = [Math.min(a, b), Math.max(a, b)];
        const next = nextOccurrence(schedule, after);
        expect(next !== undefined && next <= to ? next : undefined).toBe(walked.find((due) => due > after));
        expect(latestOccurrence(schedule, after, until)).toBe(
          walked.findLast((due) => due > after && due <= until),
        );
      }),
      { numRuns: 120 },
    );
  });
});

test('dates match exactly those of a walk over five years, leap day included', () => {
  const days = Array.from({ length: 5 * 366 }, (_, i) => Date.UTC(2026, 0, 1) + i * 86_400_000);
  const [from, to] = [(days[0] ?? 0) - 1, days.at(-1) ?? 0];
  fc.assert(
    fc.property(dayField, field(1, 12), weekdayField, (day, month, weekday) => {
      const months = monthsOf(month);
      const walked = days.filter((instant) => {
        const d = new Date(instant);
        return (
          months.has(d.getUTCMonth() + 1) &&
          matchesDay(day, weekday, d.getUTCFullYear(), d.getUTCMonth() + 1, d.getUTCDate())
        );
      });
      const schedule = scheduleOf(`0 0 ${day} ${month} ${weekday}`, 'UTC', {});
      expectSame(dueByAsking(schedule, from, to), walked);
      expect(latestOccurrence(schedule, from, to)).toBe(walked.at(-1));
    }),
    { numRuns: 400 },
  );
});

/** By the day matcher's own grammar: a month is tried as if it were a day of January. */
function monthsOf(text: string): Set<number> {
  const months = new Set<number>();
  for (let month = 1; month <= 12; month++) {
    const asDay = text.split(',').map((part) => part.replace(/^\*\//, '1-12/').replace(/^(\d+)\//, '$1-12/'));
    if (matchesDay(asDay.join(','), '*', 2027, 1, month)) months.add(month);
  }
  return months;
}

test('seconds are due exactly as minutes are, one unit down', () => {
  fc.assert(
    fc.property(field(0, 59), field(0, 23), fc.integer({ min: 0, max: 59 }), (second, minute, hourMinute) => {
      // A minute pattern walked over hours is a second pattern walked over minutes
      const start = Date.UTC(2027, 5, 1, 12);
      const schedule = scheduleOf(`${second} ${minute} 12 * * *`, 'UTC', {});
      const from = start + hourMinute * 60_000;
      const faces = Array.from({ length: 3600 }, (_, i) => ({
        instant: start + i * 1000,
        year: 2027,
        month: 6,
        day: 1,
        hour: Math.floor(i / 60),
        minute: i % 60,
      })).filter((face) => face.hour <= 23);
      const walked = dueByWalking(faces, `${second} ${minute} * * *`, { gap: 'skip', overlap: 'twice' });
      expect(dueByAsking(schedule, from, start + 24 * 60_000 - 1)).toEqual(
        walked.filter((due) => due > from),
      );
    }),
    { numRuns: 100 },
  );
});
