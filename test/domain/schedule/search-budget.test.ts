// Searches for occurrences that end by their budget, against searches without one and against a walk over all due times.
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { exclusionsOf } from '../../../src/domain/schedule/exclusions.ts';
import { firstMultipleIn, fixedRateWithout } from '../../../src/domain/schedule/fixed-rate.ts';
import { instantMs } from '../../../src/domain/schedule/instant.ts';
import {
  isOccurrence,
  latestOccurrence,
  nextOccurrence,
  occurrencesAfter,
  withoutExcept,
} from '../../../src/domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import type { Schedule, ScheduleInput } from '../../../src/domain/schedule/schedule-schema.ts';
import { SearchBudget, SearchEnded } from '../../../src/domain/schedule/search-budget.ts';
import { offsetPeriodAt, useZoneRules } from '../../../src/domain/schedule/zones.ts';

const NOW = Date.parse('2026-12-01T00:00:00Z');
const DAY = 86_400_000;

/** One minute of the year is left, and the rate seldom meets it. */
const RARE: ScheduleInput = {
  every: 'PT3599S',
  startAt: '2016-12-21T05:56:28Z',
  timezone: 'Europe/Paris',
  except: [
    { cron: '* * * 1-11 *' },
    { cron: '* * 1-30 12 *' },
    { cron: '* 0-22 * * *' },
    { cron: '0-58 * * * *' },
  ],
};

const resolve = (input: ScheduleInput) => resolveSchedule(input, NOW);
const unlimited = () => new SearchBudget({ perSearch: 1e12, total: 1e12 });
/** Changed rules make the process forget what it has found. */
const forget = () => useZoneRules(undefined);
afterEach(forget);

/** Goes on where a search has ended. */
function nextInParts(
  schedule: Schedule,
  from: number,
  perSearch: number,
): { due: number | undefined; parts: number } {
  let after = from;
  for (let parts = 1; parts < 100_000; parts++) {
    forget();
    try {
      return { due: nextOccurrence(schedule, after, new SearchBudget({ perSearch })), parts };
    } catch (error) {
      if (!(error instanceof SearchEnded)) throw error;
      expect(error.searchedUntil).toBeGreaterThan(after);
      after = error.searchedUntil;
    }
  }
  throw new Error('the search does not end');
}

test('a search that goes on where it ended finds the same occurrence', () => {
  const due = nextOccurrence(resolve(RARE), NOW, unlimited());
  const inParts = nextInParts(resolve(RARE), NOW, 40);
  expect(inParts.due).toBe(due);
  expect(inParts.parts).toBeGreaterThan(10);
});

test('a search that has ended goes on by itself, as long as the process remembers it', () => {
  const due = nextOccurrence(resolve(RARE), NOW, unlimited());
  forget();
  let parts = 0;
  let found: number | undefined;
  for (; found === undefined && parts < 100_000; parts++) {
    try {
      found = nextOccurrence(resolve(RARE), NOW + parts, new SearchBudget({ perSearch: 40 }));
    } catch (error) {
      if (!(error instanceof SearchEnded)) throw error;
    }
  }
  expect(found).toBe(due);
  expect(parts).toBeGreaterThan(10);
});

test('the answer is remembered, so that the same question takes no step', () => {
  const due = nextOccurrence(resolve(RARE), NOW, unlimited());
  const none = new SearchBudget({ perSearch: 0, total: 0 });
  for (const after of [NOW, NOW + 1, (due ?? 0) - 1])
    expect(nextOccurrence(resolve(RARE), after, none)).toBe(due);
});

test('the next due time of a rate that seldom meets a time of day is computed', () => {
  const rareInUtc = resolve({ ...RARE, timezone: 'UTC' });
  for (let after = NOW; after < Date.UTC(2190, 0, 1); ) {
    const due = nextOccurrence(rareInUtc, after, new SearchBudget({ perSearch: 2_000 }));
    if (due === undefined) break;
    after = due;
  }
});

test('the smallest multiple in a range is the one that trial finds', () => {
  const numbers = fc.integer({ min: 2, max: 400 }).chain((modulus) =>
    fc.record({
      modulus: fc.constant(modulus),
      factor: fc.integer({ min: 0, max: modulus - 1 }),
      ends: fc.tuple(fc.integer({ min: 1, max: modulus - 1 }), fc.integer({ min: 1, max: modulus - 1 })),
    }),
  );
  fc.assert(
    fc.property(numbers, ({ modulus, factor, ends }) => {
      const [low, high] = [Math.min(...ends), Math.max(...ends)];
      const isIn = (n: number) => low <= (n * factor) % modulus && (n * factor) % modulus <= high;
      const tried = Array.from({ length: modulus }, (_, n) => n).find(isIn);
      expect(firstMultipleIn(factor, modulus, low, high)).toBe(tried);
    }),
    { numRuns: 2_000 },
  );
});

const value = (max: number) => fc.constantFrom('*', '*', '*/2', '1/2', `0-${max - 1}`, '5', `1-${max}`);
const exclusion = fc.oneof(
  fc
    .tuple(value(59), value(59), value(23), fc.constantFrom('*', '*', '1', 'L', '2-30'), value(11), value(6))
    .map(([s, m, h, day, month, weekday]) => ({
      cron: `${s} ${m} ${h} ${day} ${month.replace(/^0/, '1')} ${weekday}`,
    })),
  fc.constantFrom<NonNullable<ScheduleInput['except']>[number]>(
    '2026-12-25',
    { from: '2026-12-03', to: '2027-02-01' },
    { from: '2026-12-02T00:00:00Z', to: '2026-12-09T12:34:56Z' },
  ),
);
const zone = fc.constantFrom('UTC', 'Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', '+05:30');
const dst = fc.record(
  {
    gap: fc.constantFrom('skip' as const, 'after' as const),
    overlap: fc.constantFrom('once' as const, 'twice' as const),
  },
  { requiredKeys: [] },
);
const pattern = fc
  .tuple(
    fc.constantFrom('0', '0', '*/7', '17,43'),
    fc.constantFrom('0', '30', '*/5', '*'),
    fc.constantFrom('2', '*', '*/6', '1-3'),
    fc.constantFrom('*', '*', '29', 'L', '31'),
    fc.constantFrom('*', '*', '2', '3,10', '12'),
    fc.constantFrom('*', '*', 'MON', 'SUN'),
  )
  .map((fields) => fields.join(' '));
const window = fc.record(
  {
    startAt: fc.constantFrom('2016-12-21T05:56:28Z', '2026-12-24T23:59:59Z', '2026-10-25T00:30:00Z'),
    endAt: fc.constantFrom('2027-01-01T00:00:00Z', '2027-04-01T00:00:00Z', '2028-03-01T00:00:00Z'),
  },
  { requiredKeys: ['endAt'] },
);
const input: fc.Arbitrary<ScheduleInput> = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 1_801, max: 200_000 }).map((seconds) => ({ every: `PT${seconds}S` })),
      fc.record({ cron: pattern, dst }),
    ),
    window,
    zone,
    fc.array(exclusion, { maxLength: 4 }).filter((except) => JSON.stringify(except).length < 180),
  )
  .map(([kind, times, timezone, except]) => ({ ...kind, ...times, timezone, except }));

/** The due times of the schedule without `except`, one by one, without those that an exclusion removes. */
function walked(schedule: Schedule, from: number): number[] {
  const { except = [], timezone = 'UTC' } = schedule as { except?: []; timezone?: string };
  const { instants, local } = exclusionsOf(except);
  const isExcluded = (due: number): boolean => {
    const at = due + offsetPeriodAt(timezone, due).offset;
    return (
      instants.some(({ from: first, to }) => first <= due && due <= to) ||
      (local !== undefined && local.skipForwards(at) !== at)
    );
  };
  const left: number[] = [];
  let seen = 0;
  for (const due of occurrencesAfter(withoutExcept(schedule), from, unlimited())) {
    if (++seen > 20_000 || left.length === 30) break;
    if (!isExcluded(due)) left.push(due);
  }
  return left;
}

describe('schedules of all kinds', () => {
  test('with small budgets have the occurrences of a walk over all due times', () => {
    fc.assert(
      fc.property(input, fc.integer({ min: 1, max: 60 }), (given, perSearch) => {
        const schedule = resolve(given);
        const expected = walked(schedule, NOW);
        let after = NOW;
        for (const due of expected.slice(0, 6)) {
          expect(nextInParts(schedule, after, perSearch).due).toBe(due);
          expect(isOccurrence(schedule, due)).toBe(true);
          after = due;
        }
        expect([...occurrencesAfter(schedule, NOW, unlimited())].slice(0, expected.length)).toEqual(expected);
        for (const [i, due] of expected.slice(1).entries())
          expect(latestOccurrence(schedule, NOW, due - 1, unlimited())).toBe(expected[i]);
      }),
      { numRuns: 120 },
    );
  });

  test('end each search within their budget', () => {
    fc.assert(
      fc.property(input, fc.integer({ min: 1, max: 5_000 }), (given, perSearch) => {
        const { endAt: _, ...endless } = given;
        const steps = new SearchBudget({ perSearch, total: 1e12 });
        forget();
        const schedule = resolve(endless);
        try {
          nextOccurrence(schedule, NOW, steps);
        } catch (error) {
          if (!(error instanceof SearchEnded)) throw error;
        }
        // one piece of work is at most the times of a day, or the days of all years
        expect(1e12 - steps.left).toBeLessThanOrEqual(perSearch + 90_000);
      }),
      { numRuns: 300 },
    );
  });
});

test('a rate of a fraction of a second is excluded by whole days', () => {
  const { local } = exclusionsOf(['2026-12-02']);
  if (!local) throw new Error('nothing is excluded');
  const dues = fixedRateWithout(NOW, 1_500, local, 'UTC', NOW + 10 * DAY);
  const due = dues.next(NOW + DAY - 1, unlimited().begin('schedule', NOW));
  expect(due).toBe(instantMs('2026-12-03T00:00:00Z'));
});
