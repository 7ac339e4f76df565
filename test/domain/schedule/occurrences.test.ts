// Windows, fixed rates, calendars, the latest occurrence, jitter, and what all of it costs.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fireAt,
  isRecurring,
  latestOccurrence,
  nextOccurrence,
  occurrencesAfter,
} from '../../../src/domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import type { Schedule, ScheduleInput } from '../../../src/domain/schedule/schedule-schema.ts';

const NOW = Date.parse('2026-12-01T10:00:00Z');
const DAY = 86_400_000;

const resolve = (input: ScheduleInput | undefined): Schedule => resolveSchedule(input, NOW);

function due(schedule: Schedule, count: number, after = NOW): string[] {
  const found: string[] = [];
  for (const at of occurrencesAfter(schedule, after)) {
    found.push(new Date(at).toISOString().slice(0, 19));
    if (found.length === count) break;
  }
  return found;
}

describe('asked for times after one before 1970', () => {
  test.each([
    ['UTC', '1970-01-01T09:00:00'],
    ['America/New_York', '1970-01-01T14:00:00'],
    ['Asia/Tokyo', '1970-01-01T00:00:00'],
    ['Pacific/Apia', '1970-01-01T20:00:00'],
  ])('begins with the first in %s', (timezone, first) => {
    const schedule = resolve({ cron: '0 9 * * *', timezone });
    for (const after of [
      '0000-01-01T00:00:00Z',
      '0050-06-01T00:00:00Z',
      '1000-01-01T00:00:00Z',
      '1969-06-01T00:00:00Z',
    ])
      expect(due(schedule, 1, Date.parse(after))).toEqual([first]);
  });
});

describe('one time', () => {
  test('is due once, and strictly later than asked', () => {
    const schedule = resolve({ at: '2026-12-24T10:00:00+01:00' });
    const at = Date.parse('2026-12-24T09:00:00Z');
    expect([...occurrencesAfter(schedule, NOW)]).toEqual([at]);
    expect([...occurrencesAfter(schedule, at - 1)]).toEqual([at]);
    expect([...occurrencesAfter(schedule, at)]).toEqual([]);
    expect(latestOccurrence(schedule, at - 1, at)).toBe(at);
    expect(latestOccurrence(schedule, at, at + 1)).toBeUndefined();
    expect(latestOccurrence(schedule, at - 2, at - 1)).toBeUndefined();
  });
  test('no schedule is due at its creation, to the millisecond', () => {
    expect(nextOccurrence(resolveSchedule(undefined, NOW + 7), NOW + 6)).toBe(NOW + 7);
  });
  test('only cron, every and calendar recur', () => {
    expect(isRecurring(resolve(undefined))).toBe(false);
    expect(isRecurring(resolve({ in: 'PT5S' }))).toBe(false);
    expect(isRecurring(resolve({ cron: 'at(2027-01-01T00:00:00)' }))).toBe(false);
    expect(isRecurring(resolve({ cron: '0 0 0 1 1 * 2027' }))).toBe(true);
    expect(isRecurring(resolve({ every: 'PT5S' }))).toBe(true);
    expect(isRecurring(resolve({ calendar: { hour: 1 } }))).toBe(true);
  });
});

describe('fixed rate', () => {
  test('counts from its anchor, which is the first occurrence', () => {
    const schedule = resolve({ every: 'PT30S', startAt: '2026-12-01T10:00:10Z' });
    expect(due(schedule, 3)).toEqual(['2026-12-01T10:00:10', '2026-12-01T10:00:40', '2026-12-01T10:01:10']);
    expect(due(schedule, 1, NOW - DAY)).toEqual(['2026-12-01T10:00:10']);
  });
  test('does not drift after years, and a day is 24 hours when clocks jump', () => {
    const schedule = resolve({ every: 'P1D', startAt: '2020-01-01T12:00:00', timezone: 'America/New_York' });
    expect(due(schedule, 1)).toEqual(['2026-12-01T17:00:00']);
  });
  test('the latest is found by arithmetic after any downtime', () => {
    const anchor = fc.integer({ min: 0, max: NOW });
    const period = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(anchor, period, anchor, anchor, (start, seconds, a, b) => {
        const schedule = resolve({ every: `PT${seconds}S`, startAt: new Date(start).toISOString() });
        const [after, until] = [Math.min(a, b), Math.max(a, b)];
        const latest = latestOccurrence(schedule, after, until);
        if (latest === undefined) {
          const next = nextOccurrence(schedule, after);
          expect(next === undefined || next > until).toBe(true);
        } else {
          expect(latest > after && latest <= until).toBe(true);
          expect(nextOccurrence(schedule, latest)).toBeGreaterThan(until);
          expect(nextOccurrence(schedule, latest - 1)).toBe(latest);
        }
      }),
    );
  });
});

describe('calendar', () => {
  test.each<[string, NonNullable<ScheduleInput['calendar']>, string[]]>([
    ['hour alone: on the hour, every day', { hour: 9 }, ['2026-12-02T09:00:00', '2026-12-03T09:00:00']],
    ['minute alone: in every hour', { minute: 30 }, ['2026-12-01T10:30:00', '2026-12-01T11:30:00']],
    ['date alone: at midnight', { date: 1 }, ['2027-01-01T00:00:00', '2027-02-01T00:00:00']],
    ['the last date', { date: 'L', hour: 18 }, ['2026-12-31T18:00:00', '2027-01-31T18:00:00']],
    [
      'weekdays by name',
      { daysOfWeek: ['MON', 'Friday'], hour: 8 },
      ['2026-12-04T08:00:00', '2026-12-07T08:00:00'],
    ],
    ['weekdays by number', { daysOfWeek: [0, 6], hour: 8 }, ['2026-12-05T08:00:00', '2026-12-06T08:00:00']],
    [
      'date and weekday: both must match',
      { date: 13, daysOfWeek: 'FRI' },
      ['2027-08-13T00:00:00', '2028-10-13T00:00:00'],
    ],
    [
      'lists',
      { hour: [9, 17], minute: [0, 30], month: 12, date: [24] },
      ['2026-12-24T09:00:00', '2026-12-24T09:30:00'],
    ],
    ['one year, then never again', { year: 2027, month: 7, date: 4, hour: 12 }, ['2027-07-04T12:00:00']],
  ])('%s', (_, calendar, expected) => {
    expect(due(resolve({ calendar }), 2)).toEqual(expected);
  });
  test('follows the clocks of its timezone', () => {
    const schedule = resolve({ calendar: { hour: 9, minute: 30 }, timezone: 'Asia/Kolkata' });
    expect(due(schedule, 1)).toEqual(['2026-12-02T04:00:00']);
  });
});

describe('startAt and endAt', () => {
  const window = { startAt: '2026-12-02T00:00:00Z', endAt: '2026-12-04T00:00:00Z' };
  const start = Date.parse(window.startAt);
  const end = Date.parse(window.endAt);

  test('occurrences exactly at either edge count', () => {
    const expected = ['2026-12-02T00:00:00', '2026-12-03T00:00:00', '2026-12-04T00:00:00'];
    expect(due(resolve({ cron: '@daily', ...window }), 9)).toEqual(expected);
    expect(due(resolve({ every: 'P1D', ...window }), 9)).toEqual(expected);
    expect(due(resolve({ calendar: { hour: 0 }, ...window }), 9)).toEqual(expected);
  });
  test('a millisecond further in, they do not', () => {
    const inside = { startAt: '2026-12-02T00:00:00.001Z', endAt: '2026-12-03T23:59:59.999Z' };
    expect(due(resolve({ cron: '@daily', ...inside }), 9)).toEqual(['2026-12-03T00:00:00']);
  });
  test('the latest occurrence stays inside them', () => {
    for (const kind of [{ cron: '@daily' }, { every: 'P1D' }, { calendar: { hour: 0 } }]) {
      const schedule = resolve({ ...kind, ...window });
      expect(latestOccurrence(schedule, 0, end + DAY * 365)).toBe(end);
      expect(latestOccurrence(schedule, 0, end - 1)).toBe(end - DAY);
      expect(latestOccurrence(schedule, 0, start)).toBe(start);
      expect(latestOccurrence(schedule, 0, start - 1)).toBeUndefined();
      expect(latestOccurrence(schedule, end, end + DAY)).toBeUndefined();
    }
  });
});

describe('the latest occurrence', () => {
  test('after ten years of downtime takes no longer than after a minute', () => {
    for (const cron of ['* * * * * *', '*/5 * * * *', '0 0 29 2 *', '0 0 0 1 1 * 2016']) {
      const schedule = resolve({ cron, timezone: 'Europe/Paris' });
      const until = NOW + 123;
      latestOccurrence(schedule, until - 3650 * DAY, until);
      const started = performance.now();
      const latest = latestOccurrence(schedule, until - 4000 * DAY, until);
      expect(performance.now() - started).toBeLessThan(250);
      expect(latest).toBeDefined();
    }
  });
  test('agrees with walking, from any instant to any other', () => {
    const minute = fc.integer({ min: 0, max: 60 * 24 * 400 }).map((m) => Date.UTC(2025, 0, 1) + m * 60_000);
    const cron = fc.constantFrom('0 */6 * * *', '30 2 * * *', '30 1 * * SUN', '0 0 L * *', '15 1,2 * * *');
    const zone = fc.constantFrom('UTC', 'America/New_York', 'Africa/Cairo', 'Australia/Lord_Howe');
    fc.assert(
      fc.property(cron, zone, minute, minute, (pattern, timezone, a, b) => {
        const schedule: Schedule = { cron: pattern, timezone };
        const [after, until] = [Math.min(a, b), Math.max(a, b)];
        let walked: number | undefined;
        for (const at of occurrencesAfter(schedule, after)) {
          if (at > until) break;
          walked = at;
        }
        expect(latestOccurrence(schedule, after, until)).toBe(walked);
      }),
      { numRuns: 200 },
    );
  });
});

describe('jitter', () => {
  const schedule = resolve({ cron: '* * * * *', jitterSeconds: 30 });

  test('is the same for the same occurrence of the same job, wherever it is computed', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 0, max: 4e12 }),
        fc.integer({ min: 1, max: 3600 }),
        (job, at, seconds) => {
          const jittered: Schedule = { cron: '* * * * *', timezone: 'UTC', jitterSeconds: seconds };
          const fires = fireAt(jittered, job, at);
          expect(fires).toBe(fireAt({ ...jittered }, job, at));
          expect(Number.isInteger(fires)).toBe(true);
          expect(fires).toBeGreaterThanOrEqual(at);
          expect(fires).toBeLessThanOrEqual(at + seconds * 1000);
        },
      ),
    );
  });
  test('spreads jobs of one minute, and occurrences of one job, over the whole range', () => {
    const jobs = Array.from({ length: 1000 }, (_, i) => fireAt(schedule, `job_${i}`, NOW) - NOW);
    const times = Array.from(
      { length: 1000 },
      (_, i) => fireAt(schedule, 'job_1', NOW + i * 60_000) - (NOW + i * 60_000),
    );
    for (const delays of [jobs, times]) {
      const tenths = new Array(10).fill(0);
      for (const delay of delays) tenths[Math.min(9, Math.floor(delay / 3000))]++;
      expect(Math.min(...tenths)).toBeGreaterThan(60);
      expect(Math.max(...tenths)).toBeLessThan(145);
    }
  });
  test('without it, an occurrence fires when it is due', () => {
    expect(fireAt(resolve({ cron: '* * * * *' }), 'job_1', NOW)).toBe(NOW);
    expect(fireAt(resolve({ cron: '* * * * *', jitterSeconds: 0 }), 'job_1', NOW)).toBe(NOW);
    expect(fireAt(resolve(undefined), 'job_1', NOW)).toBe(NOW);
  });
});

describe('cost', () => {
  test('twenty thousand different schedules do not fill the memory', () => {
    const before = keptBytes();
    for (let i = 0; i < 20_000; i++) {
      nextOccurrence(
        { cron: `${i % 60} ${i % 24} * * *`, timezone: 'UTC', startAt: new Date(i * 1000).toISOString() },
        NOW,
      );
    }
    expect(keptBytes() - before).toBeLessThan(30e6);
  });
});

/** Without what only waits to be collected. */
function keptBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
