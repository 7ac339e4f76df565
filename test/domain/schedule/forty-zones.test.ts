// Every change of clocks of forty zones from 2024 to 2037, against a walk over the minutes around it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoIn } from '../../../src/domain/schedule/instant.ts';
import { latestOccurrence, occurrencesAfter } from '../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import { dueByWalking, type Rule } from './oracle.ts';
import { timeFields } from './patterns.ts';
import { type ClockChange, clockChanges, FORTY_ZONES, facesAround } from './zone-walk.ts';

const [FROM, TO] = [2024, 2038];
const DAY = 86_400_000;
const changes = FORTY_ZONES.flatMap((zone) => clockChanges(zone, FROM, TO));

function dueAround({ at, zone }: ClockChange, cron: string, dst: Partial<Rule>): number[] {
  const schedule: Schedule = { cron, timezone: zone, dst };
  const [from, to] = [at - 26 * 3_600_000, at + 26 * 3_600_000];
  const due: number[] = [];
  for (const instant of occurrencesAfter(schedule, from)) {
    if (instant >= to) break;
    due.push(instant);
  }
  expect(latestOccurrence(schedule, from, to - 1)).toBe(due.at(-1));
  return due;
}

/** Times near a change, half of them without a * so that they are fixed times. */
const nearby = ({ at, from, to }: ClockChange): fc.Arbitrary<string> => {
  const hours = [from, to].map((offset) => new Date(at - 1 + offset).getUTCHours());
  const hour = fc.constantFrom(
    ...hours,
    ...hours.map((h) => (h + 1) % 24),
    ...hours.map((h) => (h + 23) % 24),
  );
  const minutes = fc.constantFrom('0', '30', '59', '0,30', '15-45', '0/20', '*/20', '*');
  return fc.oneof(
    fc.tuple(minutes, hour).map(([m, h]) => `${m} ${h}`),
    fc.tuple(minutes, hour, hour).map(([m, a, b]) => `${m} ${a},${b}`),
    fc.tuple(minutes, hour).map(([m, h]) => `${m} ${h % 2}/2`),
    timeFields.map(([m, h]) => `${m} ${h}`),
  );
};

const chosen: fc.Arbitrary<Partial<Rule>> = fc.oneof(
  fc.constant({}),
  fc.record({ gap: fc.constantFrom('skip', 'after'), overlap: fc.constantFrom('once', 'twice') }),
);

test('there are hundreds of changes, in both directions', () => {
  expect(changes.filter(({ from, to }) => to > from).length).toBeGreaterThan(350);
  expect(changes.filter(({ from, to }) => to < from).length).toBeGreaterThan(350);
});

describe.each(Object.entries(Object.groupBy(changes, ({ zone }) => zone)))('%s', (zone, own = []) => {
  test('is due around each change exactly when the walk says so', () => {
    for (const change of own) {
      const faces = facesAround(change);
      fc.assert(
        fc.property(nearby(change), chosen, (time, dst) => {
          const cron = `${time} * * *`;
          expect(dueAround(change, cron, dst)).toEqual(dueByWalking(faces, cron, dst));
        }),
        { numRuns: 5 },
      );
    }
  });

  test("AWS's cron(…) skips what clocks skip, and runs once what they repeat", () => {
    for (const change of own) {
      const faces = facesAround(change);
      fc.assert(
        fc.property(nearby(change), (time) => {
          expect(dueAround(change, `cron(${time} * * ? *)`, {})).toEqual(
            dueByWalking(faces, `${time} * * *`, { gap: 'skip', overlap: 'once' }),
          );
        }),
        { numRuns: 3 },
      );
    }
  });

  test('fixed times run once on every date: not lost in spring, not doubled in autumn', () => {
    const timesADay = { '30 23 * * *': 1, '30 1,2,14 * * *': 3 };
    for (const [cron, times] of Object.entries(timesADay)) {
      const dates = new Map<string, number>();
      for (const at of occurrencesAfter({ cron, timezone: zone }, Date.UTC(FROM, 0, 3))) {
        if (at > Date.UTC(TO, 0, 1)) break;
        const local = isoIn(zone, at);
        // The first instant after a gap that ends at midnight belongs to the date before
        const date = local.includes('T00:00') ? isoIn(zone, at - 1) : local;
        dates.set(date.slice(0, 10), (dates.get(date.slice(0, 10)) ?? 0) + 1);
      }
      const days = [...dates].slice(1, -1);
      // Antarctica/Troll leaves out 01:30 and 02:30 at once: they are one run
      const odd = days.filter(([, count]) => count !== times);
      expect(odd.map(([, count]) => count)).toEqual(
        times === 3 && zone === 'Antarctica/Troll' ? Array(14).fill(2) : [],
      );
      const [first = '', last = ''] = [days[0]?.[0], days.at(-1)?.[0]];
      expect(days.length).toBe((Date.parse(last) - Date.parse(first)) / DAY + 1);
    }
  });
});
