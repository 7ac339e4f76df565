// The rules of `except`: what is accepted and stored, how it is described, what it warns of, and what a search may cost.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../../src/domain/errors.ts';
import { dueKey, executionId } from '../../../src/domain/executions/ids.ts';
import { audit } from '../../../src/domain/schedule/audit.ts';
import { parseCron } from '../../../src/domain/schedule/cron.ts';
import { describeSchedule } from '../../../src/domain/schedule/describe.ts';
import { exclusionsOf, type LocalExclusions } from '../../../src/domain/schedule/exclusions.ts';
import { fixedRateWithout } from '../../../src/domain/schedule/fixed-rate.ts';
import { END_OF_TIME, isoIn } from '../../../src/domain/schedule/instant.ts';
import { shortestInterval } from '../../../src/domain/schedule/interval.ts';
import { fireAt, isOccurrence, nextOccurrence } from '../../../src/domain/schedule/occurrences.ts';
import { previewSchedule } from '../../../src/domain/schedule/preview.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import type { ScheduleInput } from '../../../src/domain/schedule/schedule-schema.ts';
import { SearchBudget } from '../../../src/domain/schedule/search-budget.ts';
import { wallClockOf } from '../../../src/domain/schedule/wall-clock.ts';
import { clockChangeRule, zonedDues } from '../../../src/domain/schedule/zoned.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const resolve = (input: ScheduleInput) => resolveSchedule(input, NOW);
const warnings = (input: ScheduleInput) => previewSchedule(resolve(input), { count: 1, now: NOW }).warnings;

function errorsOf(schedule: unknown): string[] {
  try {
    resolve(schedule as ScheduleInput);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.errors.map(({ path, message }) => `${path}: ${message}`);
  }
}

describe('a request', () => {
  test('is stored with offsets of times, and with local dates and patterns', () => {
    const except = [
      '2026-12-25',
      { from: '2026-12-24', to: '2027-01-01' },
      { from: '2027-07-01T12:00', to: '2027-07-01T14:00:00Z' },
      { cron: '* * * * SAT,SUN' },
    ];
    expect(resolve({ cron: '0 9 * * *', timezone: 'Europe/Paris', except })).toMatchObject({
      except: [
        '2026-12-25',
        { from: '2026-12-24', to: '2027-01-01' },
        { from: '2027-07-01T12:00+02:00', to: '2027-07-01T14:00:00Z' },
        { cron: '* * * * SAT,SUN' },
      ],
    });
    expect(resolve({ cron: '0 9 * * *', except: [] })).not.toHaveProperty('except');
    expect(resolve({ cron: 'rate(1 hour)', except: ['2026-12-25'] })).toMatchObject({
      every: 'PT1H',
      except: ['2026-12-25'],
    });
  });

  const DAILY = { cron: '0 9 * * *' };
  test.each([
    [
      ['2026-02-30'],
      'schedule.except[0]: "2026-02-30" does not exist: check the month and the day of the month',
    ],
    [
      ['2026-13-01'],
      'schedule.except[0]: "2026-13-01" does not exist: check the month and the day of the month',
    ],
    [['1969-12-31'], 'schedule.except[0]: "1969-12-31" is out of range: the year must be from 1970 to 2199'],
    [
      ['25.12.2026'],
      'schedule.except[0]: "25.12.2026" is not a date such as 2026-12-25; for a time, use { from, to }',
    ],
    [
      ['2026-12-25', { from: '2026-12-24', to: '2026-12-01' }],
      'schedule.except[1].to: "2026-12-01" is before from, "2026-12-24"',
    ],
    [
      ['2026-12-25', { from: '2026-12-24T10:00', to: '2026-12-24T11:00Z' }],
      'schedule.except[1].from: "2026-12-24T10:00" has no offset: add Z or an offset such as +01:00, or set timezone',
    ],
    [
      [{ from: '2026-12-24', to: '2026-12-25T10:00Z' }],
      'schedule.except[0].to: from and to must both be dates or both be times; got "2026-12-24" and "2026-12-25T10:00Z"',
    ],
    [[5], 'schedule.except[0]: must be a date such as "2026-12-25", { from, to } or { cron }, got 5'],
    [[{ from: '2026-12-24' }], 'schedule.except[0].to: is missing; must be a string'],
    [
      [{ cron: '* 25 * * *' }],
      'schedule.except[0].cron: the hour "25" is not valid; allowed are 0-23, with * , - /',
    ],
    [[{ cron: 'rate(5 minutes)' }], 'schedule.except[0].cron: "rate(5 minutes)" is not a cron pattern'],
    [
      [{ cron: '* * * * SAT', to: '2026-12-01' }],
      'schedule.except[0].to: is not a known field; known fields are cron',
    ],
    [
      [{ cron: `${'1,'.repeat(90)}2 * * * *` }],
      'schedule.except: has 202 bytes of JSON as it is stored; at most 200 are allowed. A range or a pattern may replace several dates',
    ],
    [
      Array(16).fill('2026-12-25'),
      'schedule.except: must have at most 15 items, got 16: ["2026-12-25","2026-12-25","2026-12-25","2026-12-25","202…',
    ],
  ])('with %j is refused', (except, message) => {
    expect(errorsOf({ ...DAILY, except })).toEqual([message]);
  });

  test('of another kind may not have it', () => {
    for (const schedule of [
      { at: '2027-01-01T00:00:00Z' },
      { in: 'PT1H' },
      { cron: 'at(2027-01-01T00:00:00)' },
    ])
      expect(errorsOf({ ...schedule, except: ['2026-12-25'] })[0]).toMatch(
        /^schedule\.except: except does not apply/,
      );
  });

  test('a rate with a fraction of a second may exclude dates, but no patterns', () => {
    expect(errorsOf({ every: 'PT1.5S', except: ['2026-12-25'] })).toEqual([]);
    expect(errorsOf({ every: 'PT1.5S', except: ['2026-12-25', { cron: '* * * * SAT' }] })).toEqual([
      'schedule.except[1].cron: a pattern cannot exclude times of the rate "PT1.5S": it must be in whole seconds',
    ]);
  });
});

describe('what is excluded', () => {
  const next = (input: ScheduleInput, after: string) => {
    const due = nextOccurrence(resolve(input), Date.parse(after));
    return due === undefined ? undefined : isoIn(input.timezone ?? 'UTC', due);
  };

  test('a date is a day of 23, 24 or 25 hours, also if its midnight does not exist', () => {
    const hourly = (timezone: string, date: string) => ({
      every: 'PT30M',
      startAt: '2024-01-01T00:00:00Z',
      timezone,
      except: [date],
    });
    const paris = 'Europe/Paris';
    expect(next(hourly(paris, '2027-03-28'), '2027-03-27T22:30:00Z')).toBe('2027-03-29T00:00:00+02:00');
    expect(next(hourly(paris, '2027-10-31'), '2027-10-30T21:30:00Z')).toBe('2027-11-01T00:00:00+01:00');
    // in Cairo clocks go from 00:00 to 01:00 on 30 April 2027
    expect(next(hourly('Africa/Cairo', '2027-04-29'), '2027-04-28T21:30:00Z')).toBe(
      '2027-04-30T01:00:00+03:00',
    );
    expect(next(hourly('Africa/Cairo', '2027-04-30'), '2027-04-29T21:30:00Z')).toBe(
      '2027-05-01T00:00:00+03:00',
    );
  });

  test('both ends of a range are excluded', () => {
    const minutely = (from: string, to: string): ScheduleInput => ({
      cron: '* * * * *',
      timezone: 'Europe/Paris',
      except: [{ from, to }],
    });
    expect(next(minutely('2026-12-24', '2027-01-01'), '2026-12-23T22:59:00Z')).toBe(
      '2027-01-02T00:00:00+01:00',
    );
    expect(next(minutely('2026-12-24T10:00', '2026-12-24T11:00'), '2026-12-24T08:59:00Z')).toBe(
      '2026-12-24T11:01:00+01:00',
    );
    expect(next(minutely('2026-12-24T10:00', '2026-12-24T11:00'), '2026-12-24T08:58:00Z')).toBe(
      '2026-12-24T09:59:00+01:00',
    );
  });

  test('five fields exclude minutes, six fields exclude seconds', () => {
    const everySecond = (cron: string): ScheduleInput => ({ cron: '* * * * * *', except: [{ cron }] });
    expect(next(everySecond('30 12 * * *'), '2026-11-30T12:29:59Z')).toBe('2026-11-30T12:31:00Z');
    expect(next(everySecond('cron(30 12 * * ? *)'), '2026-11-30T12:29:59Z')).toBe('2026-11-30T12:31:00Z');
    expect(next(everySecond('0 30 12 * * *'), '2026-11-30T12:29:59Z')).toBe('2026-11-30T12:30:01Z');
    const half: ScheduleInput = {
      every: 'PT1S',
      startAt: '2026-11-30T12:00:00.500Z',
      except: [{ cron: '5 * * * * *' }],
    };
    expect(nextOccurrence(resolve(half), Date.parse('2026-11-30T12:00:04.500Z'))).toBe(
      Date.parse('2026-11-30T12:00:06.500Z'),
    );
  });

  test('a run that a gap moves is excluded by the time that it has moved to', () => {
    const cron = { cron: '30 2 * * *', timezone: 'Europe/Paris' };
    const before = '2027-03-27T12:00:00Z';
    expect(next({ ...cron, except: [{ cron: '30 2 * * *' }] }, before)).toBe('2027-03-28T03:00:00+02:00');
    expect(next({ ...cron, except: [{ cron: '0 3 * * *' }] }, before)).toBe('2027-03-29T02:30:00+02:00');
    expect(next({ ...cron, except: ['2027-03-28'] }, before)).toBe('2027-03-29T02:30:00+02:00');
  });

  test('jitter moves no run into or out of an exclusion', () => {
    const schedule = resolve({ cron: '59 23 * * *', jitterSeconds: 3600, except: ['2026-12-25'] });
    const eve = Date.parse('2026-12-24T23:59:00Z');
    expect(isOccurrence(schedule, eve)).toBe(true);
    expect(fireAt(schedule, 'job_1', eve)).toBeGreaterThan(eve);
    expect(isOccurrence(schedule, Date.parse('2026-12-25T23:59:00Z'))).toBe(false);
  });

  test('the audit does not expect it, and reports a run there', () => {
    const schedule = resolve({ cron: '0 9 * * *', except: [{ cron: '* * * * SAT,SUN' }] });
    const saturday = Date.parse('2026-12-05T09:00:00Z');
    const report = audit({
      jobId: 'job_1',
      schedule,
      from: Date.parse('2026-12-01T00:00:00Z'),
      to: Date.parse('2026-12-08T00:00:00Z'),
      now: Date.parse('2026-12-08T00:00:00Z'),
      lateMs: 1000,
      executions: [
        {
          id: executionId(`job_${'a'.repeat(20)}`, dueKey(saturday)),
          dueAt: new Date(saturday).toISOString(),
          status: 'succeeded',
          fireAt: new Date(saturday).toISOString(),
        },
      ],
    });
    expect(report).toMatchObject({ expected: 5, recorded: 0 });
    expect(report.missing).toHaveLength(5);
    expect(report.unexpected).toHaveLength(1);
  });

  test('the shortest interval is that of the schedule without exclusions', () => {
    const except = [{ cron: '1-59 * * * * MON' }];
    expect(shortestInterval(resolve({ every: 'PT1S', except }), NOW)).toBe(1000);
    expect(shortestInterval(resolve({ cron: '* * * * * *', except }), NOW)).toBe(1000);
  });
});

test.each<[ScheduleInput, string]>([
  [
    { cron: '0 9 * * *', timezone: 'Europe/Paris', except: ['2026-12-25', { cron: '* * * * SAT,SUN' }] },
    'At 09:00 every day, Europe/Paris time, except on 2026-12-25 and on Saturdays and Sundays',
  ],
  [
    { cron: '0 * * * *', except: [{ from: '2026-12-24', to: '2027-01-01' }], jitterSeconds: 5 },
    'Every hour, UTC, except from 2026-12-24 to 2027-01-01, each run delayed by up to 5 seconds',
  ],
  [
    { cron: '* * * * *', except: [{ cron: '* 12-13 * * MON-FRI' }, { cron: '* * * 8 *' }] },
    'Every minute, UTC, except from 12:00 to 13:59 on Mondays to Fridays and in August',
  ],
  [
    { cron: '* * * * *', except: [{ cron: '0 9 * * *' }, { cron: '30 * * * * *' }] },
    'Every minute, UTC, except at 09:00 every day and at second 30 of every minute',
  ],
  [
    { every: 'PT1H', timezone: 'Europe/Paris', except: ['2026-12-25'] },
    'Every hour, counted from 2026-11-30T12:00:00.000Z, except on 2026-12-25 (Europe/Paris time)',
  ],
  [
    { every: 'PT1H', except: [{ from: '2026-12-25T00:00Z', to: '2026-12-25T12:00Z' }] },
    'Every hour, counted from 2026-11-30T12:00:00.000Z, except from 2026-12-25T00:00Z to 2026-12-25T12:00Z',
  ],
])('%j is described', (input, words) => {
  expect(describeSchedule(resolve(input))).toBe(words);
});

describe('warnings', () => {
  test('an exclusion that removes nothing in the next year', () => {
    const except = ['2026-12-25', '2026-12-26', { cron: '* 10 * * *' }];
    expect(warnings({ cron: '0 9 * * MON-FRI', except })).toEqual([
      {
        kind: 'exceptNothing',
        message: 'schedule.except[1] (on 2026-12-26) removes no time of the next year',
      },
      {
        kind: 'exceptNothing',
        message: 'schedule.except[2] (from 10:00 to 10:59) removes no time of the next year',
      },
    ]);
    expect(warnings({ cron: '* * * * * *', except: ['2027-11-01', { cron: '59 59 23 31 10 *' }] })).toEqual(
      [],
    );
    expect(
      warnings({ every: 'PT1S', except: [{ from: '2027-11-01T00:00Z', to: '2027-11-01T00:00Z' }] }),
    ).toEqual([]);
    expect(warnings({ every: 'PT1S', except: [{ from: '2026-11-01', to: '2026-11-29' }] })).toHaveLength(1);
  });

  test('exclusions that remove everything for a year, or for ever', () => {
    expect(warnings({ cron: '0 9 * * *', except: [{ from: '2026-01-01', to: '2028-12-31' }] })).toEqual([
      {
        kind: 'exceptAll',
        at: '2029-01-01T09:00:00Z',
        message: 'The exclusions remove all times of the next year: the next run is at 2029-01-01T09:00:00Z',
      },
    ]);
    expect(warnings({ cron: '*/2 * * * *', except: [{ cron: '*/2 * * * *' }] })).toEqual([
      {
        kind: 'neverFires',
        message: 'The schedule never fires: the exclusions remove every time from now on',
      },
    ]);
  });

  test('clock changes on excluded days are none', () => {
    const schedule = { cron: '30 2 * * *', timezone: 'Europe/Paris' };
    expect(warnings(schedule).map(({ kind }) => kind)).toEqual(['dstGap', 'dstOverlap']);
    expect(warnings({ ...schedule, except: [{ cron: '* * * * SUN' }] })).toEqual([]);
    expect(
      warnings({ ...schedule, except: [{ from: '2027-03-28T00:00Z', to: '2027-03-28T12:00Z' }] }).map(
        ({ kind }) => kind,
      ),
    ).toEqual(['dstOverlap']);
  });
});

describe('the work of a search', () => {
  /** Days from now to the end of time. */
  const DAYS = Math.ceil((END_OF_TIME - NOW) / 86_400_000);

  function counting(excluded: LocalExclusions | undefined): {
    excluded: LocalExclusions;
    steps: () => number;
  } {
    let steps = 0;
    if (!excluded) throw new Error('nothing is excluded');
    return {
      excluded: {
        skipForwards: (local) => {
          steps++;
          return excluded.skipForwards(local);
        },
        skipBackwards: (local) => {
          steps++;
          return excluded.skipBackwards(local);
        },
        kindOfDay: (midnight) => {
          steps++;
          return excluded.kindOfDay(midnight);
        },
        leftOnEveryDay: () => excluded.leftOnEveryDay(),
      },
      steps: () => steps,
    };
  }

  const unlimited = { perSearch: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };
  const STEPS = new SearchBudget(unlimited).begin('schedule', NOW);

  const NOTHING_LEFT = [
    [{ cron: '* * * * *' }],
    [{ cron: '*/2 * * * * *' }, { cron: '1-59/2 * * * * *' }],
    [{ cron: '* * * * MON-FRI' }, { cron: '* 0-11 * * SAT,SUN' }, { cron: '* 12-23 * * 6,0' }],
    [{ cron: '0-58 * * * * *' }, { cron: '59 0-58 * * * *' }, { cron: '59 59 * * * *' }],
  ];

  test.each(NOTHING_LEFT.map((except) => ({ except })))(
    'is a few steps per day if $except leave nothing',
    ({ except }) => {
      const pattern = parseCron('* * * * * *');
      const forPattern = counting(exclusionsOf(except).local);
      const rule = clockChangeRule(pattern, undefined);
      const dues = zonedDues(wallClockOf(pattern), 'UTC', rule, END_OF_TIME, forPattern.excluded);
      expect(dues.next(NOW, STEPS)).toBeUndefined();
      expect(forPattern.steps()).toBeLessThan(3 * DAYS + 2 * 86_400);

      for (const seconds of [1, 2, 60, 420, 3600, 86_400]) {
        const forRate = counting(exclusionsOf(except).local);
        const rate = fixedRateWithout(NOW, seconds * 1000, forRate.excluded, 'UTC', END_OF_TIME);
        expect(rate.next(NOW, STEPS)).toBeUndefined();
        expect(forRate.steps()).toBeLessThan(4 * DAYS + 2 * 86_400);
      }
    },
  );

  test('is a few steps over ten excluded years', () => {
    const { excluded, steps } = counting(exclusionsOf([{ from: '2026-01-01', to: '2036-12-31' }]).local);
    const rate = fixedRateWithout(NOW, 1000, excluded, 'UTC', END_OF_TIME);
    expect(rate.next(NOW, STEPS)).toBe(Date.UTC(2037, 0, 1));
    expect(rate.latest(NOW - 1, Date.UTC(2036, 6, 1), STEPS)).toBeUndefined();
    expect(steps()).toBeLessThan(150);
  });

  test('is a bounded number of steps if one second of each day is left, also for a rate that seldom meets it', () => {
    const except = [{ cron: '0-58 * * * * *' }, { cron: '59 1-59 * * * *' }, { cron: '59 0 1-23 * * *' }];
    const { excluded, steps } = counting(exclusionsOf(except).local);
    const rate = fixedRateWithout(NOW, 3_601_000, excluded, 'UTC', END_OF_TIME);
    const due = rate.next(NOW, STEPS) ?? 0;
    expect(new Date(due).toISOString()).toMatch(/T00:00:59\.000Z$/);
    expect((due - NOW) % 3_601_000).toBe(0);
    expect(steps()).toBeLessThan(4 * 86_400);
  });

  test('is bounded for any exclusions that fit', () => {
    const value = (max: number) => fc.constantFrom('*', '*/2', '1/2', `0-${max}`, '5', `1-${max}`);
    const cron = fc
      .tuple(
        value(59),
        value(59),
        value(23),
        fc.constantFrom('*', '1', 'L'),
        fc.constantFrom('*', 'MON-FRI', '6'),
      )
      .map(([s, m, h, day, weekday]) => ({ cron: `${s} ${m} ${h} ${day} * ${weekday}` }));
    fc.assert(
      fc.property(
        fc.array(cron, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 7200 }),
        (except, seconds) => {
          const local = exclusionsOf(except).local;
          const { excluded, steps } = counting(local);
          const end = NOW + 1000 * 86_400_000;
          fixedRateWithout(NOW, seconds * 1000, excluded, 'UTC', end).next(NOW, STEPS);
          fixedRateWithout(NOW, seconds * 1000, excluded, 'UTC', end).latest(NOW, end, STEPS);
          const days = Array.from({ length: 1000 }, (_, n) => Date.UTC(2026, 10, 30) + n * 86_400_000);
          const kinds = new Set(days.map((midnight) => local?.kindOfDay(midnight))).size;
          // Each kind of day is looked through once, and each due time of it is visited once at most, in each direction.
          expect(steps()).toBeLessThan(2 * kinds * 3 * 86_400 + 10 * days.length);
        },
      ),
      { numRuns: 40 },
    );
  });
});
