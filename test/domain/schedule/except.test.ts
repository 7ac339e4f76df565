// `except` against a walk over every minute: an occurrence is left exactly if nothing excludes what clocks show then.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Exclusion } from '../../../src/domain/schedule/exclusions.ts';
import {
  isOccurrence,
  latestOccurrence,
  nextOccurrence,
  occurrencesAfter,
} from '../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import { dueByWalking, type Face, matcher, type Rule } from './oracle.ts';
import { dayField, field, timeFields, weekdayField } from './patterns.ts';
import { windows } from './windows.ts';

const MINUTE = 60_000;

const dateOf = ({ year, month, day }: Face): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;

/** Whether an exclusion removes an instant of the minute that the face shows. */
type Excludes = (face: Face, instant: number) => boolean;

function excluder(exclusion: Exclusion): Excludes {
  if (typeof exclusion === 'string') return (face) => dateOf(face) === exclusion;
  if ('cron' in exclusion) {
    const fields = exclusion.cron.split(' ');
    // A field of seconds is a single value here.
    const second = fields.length === 6 ? Number(fields.shift()) : undefined;
    const matches = matcher(fields.join(' '));
    return (face, instant) =>
      (second === undefined || second === Math.floor((instant - face.instant) / 1000)) && matches(face);
  }
  const { from, to } = exclusion;
  if (from.length === 10) return (face) => dateOf(face) >= from && dateOf(face) <= to;
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return (_, instant) => instant >= first && instant <= last;
}

function exclusionIn(faces: readonly Face[]): fc.Arbitrary<Exclusion> {
  const dates = [...new Set(faces.map(dateOf))].sort();
  const date = fc.constantFrom(...dates);
  const minute = fc.constantFrom(...faces).map(({ instant }) => instant);
  const second = fc.constantFrom('', '', '0 ', '30 ');
  const time = fc.oneof(
    timeFields,
    fc.constantFrom<[string, string]>(['*', '*'], ['*', '*/2'], ['*/2', '*']),
  );
  return fc.oneof(
    date,
    fc.tuple(date, date).map(([a, b]) => {
      const [from = a, to = b] = [a, b].sort();
      return { from, to };
    }),
    fc
      .tuple(minute, fc.integer({ min: 0, max: 12 * 60 }), fc.constantFrom(0, 1, -1))
      .map(([from, length, off]) => ({
        from: new Date(from).toISOString(),
        to: new Date(from + Math.max(0, length * MINUTE + off)).toISOString(),
      })),
    fc.tuple(second, time).map(([s, [m, h]]) => ({ cron: `${s}${m} ${h} * * *` })),
    fc
      .tuple(second, time, dayField, field(1, 12), weekdayField)
      .map(([s, [m, h], day, month, weekday]) => ({ cron: `${s}${m} ${h} ${day} ${month} ${weekday}` })),
  );
}

const choice: fc.Arbitrary<Partial<Rule>> = fc.record(
  { gap: fc.constantFrom('skip', 'after'), overlap: fc.constantFrom('once', 'twice') },
  { requiredKeys: [] },
);

function dueByAsking(schedule: Schedule, from: number, to: number): number[] {
  const due: number[] = [];
  for (const instant of occurrencesAfter(schedule, from)) {
    if (instant > to) break;
    due.push(instant);
  }
  return due;
}

describe.each(windows)('$zone ($what)', ({ zone, faces }) => {
  const [from, to] = [faces[0]?.instant ?? 0, faces.at(-1)?.instant ?? 0];
  // The walk ends there, too.
  const endAt = new Date(to).toISOString();
  const byMinute = new Map(faces.map((face) => [face.instant, face]));
  const except = fc.array(exclusionIn(faces), { minLength: 1, maxLength: 4 });
  const instant = fc.integer({ min: from, max: to });
  function check(schedule: Schedule, exclusions: Exclusion[], all: number[], a: number, b: number): void {
    const excluders = exclusions.map(excluder);
    const left = all.filter((due) => {
      const face = byMinute.get(Math.floor(due / MINUTE) * MINUTE);
      return !face || !excluders.some((excludes) => excludes(face, due));
    });
    const text = (due: number[]) => due.map((one) => new Date(one).toISOString());
    expect(text(dueByAsking(schedule, from, to))).toEqual(text(left));
    const [after, until] = [Math.min(a, b), Math.max(a, b)];
    const next = nextOccurrence(schedule, after);
    expect(next !== undefined && next <= to ? next : undefined).toBe(left.find((due) => due > after));
    expect(latestOccurrence(schedule, after, until)).toBe(
      left.findLast((due) => due > after && due <= until),
    );
    for (const due of all.slice(0, 50)) expect(isOccurrence(schedule, due)).toBe(left.includes(due));
  }

  test('a pattern is due exactly when a walk over every minute says so', () => {
    const cron = timeFields.map(([minute, hour]) => `${minute} ${hour} * * *`);
    fc.assert(
      fc.property(cron, choice, except, instant, instant, (pattern, dst, exclusions, a, b) => {
        const schedule: Schedule = { cron: pattern, timezone: zone, dst, except: exclusions, endAt };
        check(schedule, exclusions, dueByWalking(faces, pattern, dst), a, b);
      }),
      { numRuns: 60 },
    );
  });

  test('a rate is due exactly when a walk over its times says so', () => {
    const seconds = fc.oneof(
      fc.constantFrom(30, 60, 420, 900, 1800, 3600, 7200, 25 * 3600, 86_400),
      fc.integer({ min: 30, max: 100_000 }),
    );
    const phase = fc.integer({ min: 1, max: 200_000_000 });
    fc.assert(
      fc.property(seconds, phase, except, instant, instant, (period, before, exclusions, a, b) => {
        const anchor = from - before;
        const schedule: Schedule = {
          every: `PT${period}S`,
          startAt: new Date(anchor).toISOString(),
          timezone: zone,
          except: exclusions,
          endAt,
        };
        const first = anchor + Math.ceil((from + 1 - anchor) / (period * 1000)) * period * 1000;
        const all: number[] = [];
        for (let due = first; due <= to; due += period * 1000) all.push(due);
        check(schedule, exclusions, all, a, b);
      }),
      { numRuns: 60 },
    );
  });
});
