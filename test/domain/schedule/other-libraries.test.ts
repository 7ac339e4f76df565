// Occurrences against croner and cron-parser, on the patterns that they support; where they err is said by name.
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoIn } from '../../../src/domain/schedule/instant.ts';
import { occurrencesAfter } from '../../../src/domain/schedule/occurrences.ts';
import type { Dst } from '../../../src/domain/schedule/schedule-schema.ts';
import {
  dayField,
  field,
  plainDay,
  plainWeekday,
  timeFields,
  weekdayField,
  withoutStepOne,
} from './patterns.ts';

const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/London',
  'Europe/Paris',
  'Asia/Kolkata',
  'Africa/Cairo',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Pacific/Chatham',
];

const minute = fc.integer({ min: Date.UTC(2024, 0, 1) / 60_000, max: Date.UTC(2027, 0, 1) / 60_000 });
const RUNS = 6;

function ours(cron: string, timezone: string, after: number, dst?: Dst): string[] {
  const due: string[] = [];
  for (const at of occurrencesAfter({ cron, timezone, dst }, after)) {
    due.push(new Date(at).toISOString());
    if (due.length === RUNS) break;
  }
  return due;
}

const croner = (cron: string, timezone: string, after: number): string[] =>
  new Cron(cron, { timezone, sloppyRanges: true })
    .nextRuns(RUNS, new Date(after))
    .map((run) => run.toISOString());

const cronParser = (cron: string, tz: string, after: number): string[] =>
  CronExpressionParser.parse(cron, { tz, currentDate: new Date(after) })
    .take(RUNS)
    .map((run) => run.toDate().toISOString());

/** Clocks there are put forward from 23:00 to midnight, where croner loses a run. */
const LAST_HOUR_LOST = ['America/Nuuk', 'America/Godthab', 'America/Scoresbysund'];

/** To croner a list or a range of times is an interval, which follows the clocks. */
const cronersRule = (cron: string): Dst | undefined =>
  /^\d+ \d+ /.test(cron) ? undefined : { gap: 'skip', overlap: 'twice' };

describe('croner', () => {
  test('agrees in all other zones, but for the first two days of March', () => {
    fc.assert(
      fc.property(
        fc.tuple(timeFields, dayField, field(1, 12), weekdayField),
        fc.constantFrom(
          ...Intl.supportedValuesOf('timeZone').filter((zone) => !LAST_HOUR_LOST.includes(zone)),
        ),
        minute,
        ([[m, h], day, month, weekday], tz, at) => {
          // croner knows LW only alone, and no L-3
          fc.pre((day === 'LW' || !day.includes('LW')) && !day.includes('L-'));
          const cron = `${m} ${h} ${withoutStepOne(day)} ${month} ${withoutStepOne(weekday)}`;
          const compared = (due: string[]) => due.filter((iso) => iso < '2200' && !isEarlyMarch(tz, iso));
          const [asked, theirs] = [
            ours(cron, tz, at * 60_000, cronersRule(cron)),
            croner(cron, tz, at * 60_000),
          ].map(compared);
          const count = Math.min(asked?.length ?? 0, theirs?.length ?? 0);
          expect(asked?.slice(0, count)).toEqual(theirs?.slice(0, count));
        },
      ),
      { numRuns: 400 },
    );
  });

  // It takes a 29th, 30th or 31st of February for a match, goes to the day of March that this comes to, and on from there.
  test.each([
    ['0 0 */5 * *', '2025-02-27T00:00:00Z', '2025-03-01T00:00:00.000Z', '2025-03-06T00:00:00.000Z'],
    ['0 0 1,31 * *', '2025-02-05T00:00:00Z', '2025-03-01T00:00:00.000Z', '2025-03-31T00:00:00.000Z'],
    ['1 14 1 * 1#L', '2025-02-25T00:00:00Z', '2025-03-01T14:01:00.000Z', '2025-03-31T14:01:00.000Z'],
  ])('known error: %s skips 1 March', (cron, after, due, theirs) => {
    expect(ours(cron, 'UTC', Date.parse(after))[0]).toBe(due);
    expect(croner(cron, 'UTC', Date.parse(after))[0]).toBe(theirs);
  });

  test.each(LAST_HOUR_LOST)('known error: in %s no run for 23:30 on the night to summer time', (tz) => {
    const after = Date.parse('2027-03-27T12:00:00Z');
    expect(ours('30 23 * * *', tz, after)[0]).toBe('2027-03-28T01:00:00.000Z');
    expect(croner('30 23 * * *', tz, after)[0]).toBe('2027-03-29T00:30:00.000Z');
  });

  test('known difference: lists of fixed times lose a run in spring and double one in autumn', () => {
    const [tz, spring, autumn] = ['America/New_York', Date.UTC(2027, 2, 14), Date.UTC(2027, 10, 7)];
    expect(ours('30 2,14 * * *', tz, spring)[0]).toBe('2027-03-14T07:00:00.000Z');
    expect(croner('30 2,14 * * *', tz, spring)[0]).toBe('2027-03-14T18:30:00.000Z');
    expect(ours('30 1,13 * * *', tz, autumn).slice(0, 2)).toEqual([
      '2027-11-07T05:30:00.000Z',
      '2027-11-07T18:30:00.000Z',
    ]);
    expect(croner('30 1,13 * * *', tz, autumn).slice(0, 2)).toEqual([
      '2027-11-07T05:30:00.000Z',
      '2027-11-07T06:30:00.000Z',
    ]);
  });
});

const isEarlyMarch = (tz: string, iso: string): boolean => /-03-0[12]T/.test(isoIn(tz, Date.parse(iso)));

describe('cron-parser', () => {
  test('agrees in UTC, W and years aside', () => {
    fc.assert(
      fc.property(
        timeFields,
        plainDay,
        field(1, 12),
        plainWeekday,
        minute,
        ([m, h], day, month, weekday, at) => {
          // To it, a step without an end such as 4/3 goes on to 7 = Sunday; to us and croner it ends on Saturday
          fc.pre(!/(^|,)\d\//.test(weekday));
          const cron = `${m} ${h} ${withoutStepOne(day)} ${month} ${withoutStepOne(weekday)}`;
          let theirs: string[];
          try {
            theirs = cronParser(cron, 'UTC', at * 60_000);
          } catch {
            // It refuses dates such as 31 February, and gives up on sparse patterns
            return;
          }
          expect(ours(cron, 'UTC', at * 60_000)).toEqual(theirs);
        },
      ),
      { numRuns: 250 },
    );
  });

  test('agrees on seconds, the last day, the last and the nth weekday', () => {
    for (const cron of [
      '*/7 * * * * *',
      '30 15 10 * * *',
      '0 0 L * *',
      '0 12 * * 5L',
      '0 12 * * 1#3',
      '0 0 * * 5-7',
    ]) {
      const after = Date.UTC(2027, 0, 31, 11, 59, 30);
      expect(ours(cron, 'UTC', after)).toEqual(cronParser(cron, 'UTC', after));
    }
  });

  test('agrees on fixed times in zones while their clocks do not jump', () => {
    for (const tz of ZONES) {
      for (const cron of ['0 9 * * 1-5', '*/20 6-8 * * *', '30 23 1 * *', '0 0 * * 0']) {
        const after = Date.UTC(2027, 5, 10);
        expect(ours(cron, tz, after).slice(0, 3)).toEqual(cronParser(cron, tz, after).slice(0, 3));
      }
    }
  });

  test.each([
    ['0 0 * * *', 'Africa/Cairo', '2025-04-23T22:30:00Z', '2025-04-24T22:00:00.000Z'],
    ['0 0 * * *', 'America/Santiago', '2025-09-06T05:00:00Z', '2025-09-07T04:00:00.000Z'],
    ['15 2 * * *', 'Australia/Lord_Howe', '2025-10-03T16:00:00Z', '2025-10-04T15:30:00.000Z'],
  ])('known error: %s in %s skips the whole day on which clocks are put forward', (cron, tz, after, due) => {
    expect(ours(cron, tz, Date.parse(after))[0]).toBe(due);
    expect(cronParser(cron, tz, Date.parse(after))[0]).not.toBe(due);
  });
});
