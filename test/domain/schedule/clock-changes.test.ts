// What is due when clocks are put forward or back: named cases, each with the local times beside it.
// All lie in the past: governments may still change the future ones.
import { describe, expect, test } from 'vitest';
import { isoIn } from '../../../src/domain/schedule/instant.ts';
import { latestOccurrence, occurrencesAfter } from '../../../src/domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import type { Dst } from '../../../src/domain/schedule/schedule-schema.ts';

interface Case {
  cron: string;
  zone: string;
  from: string;
  to: string;
  dst?: Dst;
  due: string[];
}

/** All occurrences from the start of one local time to that of another, as local times with offset. */
function localTimes({ cron, zone, from, to, dst }: Case): string[] {
  const schedule = resolveSchedule({ cron, timezone: zone, ...(dst && { dst }) }, 0);
  const end = Date.parse(to);
  const due: string[] = [];
  for (const at of occurrencesAfter(schedule, Date.parse(from) - 1)) {
    if (at >= end) break;
    due.push(
      isoIn(zone, at)
        .replace(':00+', '+')
        .replace(/:00-(\d\d:\d\d)$/, '-$1'),
    );
    expect(latestOccurrence(schedule, at - 1, at)).toBe(at);
  }
  return due;
}

const NEW_YORK_SPRING = {
  zone: 'America/New_York',
  from: '2025-03-08T05:00:00Z',
  to: '2025-03-11T04:00:00Z',
};
const NEW_YORK_AUTUMN = {
  zone: 'America/New_York',
  from: '2025-11-01T04:00:00Z',
  to: '2025-11-04T05:00:00Z',
};

describe('America/New_York, 9 March 2025, 02:00 → 03:00', () => {
  test.each<[string, Omit<Case, 'zone' | 'from' | 'to'>]>([
    [
      'a fixed time in the gap runs right after it',
      {
        cron: '30 2 * * *',
        due: ['2025-03-08T02:30-05:00', '2025-03-09T03:00-04:00', '2025-03-10T02:30-04:00'],
      },
    ],
    [
      'with gap: skip it does not run that day',
      { cron: '30 2 * * *', dst: { gap: 'skip' }, due: ['2025-03-08T02:30-05:00', '2025-03-10T02:30-04:00'] },
    ],
    [
      'every half hour, written with *, has no run inside the gap and none for it',
      {
        cron: '*/30 1-3 9 3 *',
        due: [
          '2025-03-09T01:00-05:00',
          '2025-03-09T01:30-05:00',
          '2025-03-09T03:00-04:00',
          '2025-03-09T03:30-04:00',
        ],
      },
    ],
    [
      'of two fixed times the one in the gap runs right after it',
      {
        cron: '30 2,14 * * *',
        due: [
          '2025-03-08T02:30-05:00',
          '2025-03-08T14:30-05:00',
          '2025-03-09T03:00-04:00',
          '2025-03-09T14:30-04:00',
          '2025-03-10T02:30-04:00',
          '2025-03-10T14:30-04:00',
        ],
      },
    ],
    [
      'fixed times in the gap, by list, range and step, become one run',
      { cron: '0,10,40-59/5 2 9 3 *', due: ['2025-03-09T03:00-04:00'] },
    ],
    [
      'a range of hours is fixed times too',
      {
        cron: '15 1-3 9 3 *',
        due: ['2025-03-09T01:15-05:00', '2025-03-09T03:00-04:00', '2025-03-09T03:15-04:00'],
      },
    ],
    [
      'fixed times with gap: skip have no run in the gap',
      { cron: '30 2,14 9 3 *', dst: { gap: 'skip' }, due: ['2025-03-09T14:30-04:00'] },
    ],
    [
      'a * in the hour follows the clocks, also with a fixed minute',
      {
        cron: '30 */2 9 3 *',
        due: ['0', '4', '6', '8', '10', '12', '14', '16', '18', '20', '22'].map(
          (hour) => `2025-03-09T${hour.padStart(2, '0')}:30-0${hour === '0' ? 5 : 4}:00`,
        ),
      },
    ],
    [
      'a * in the seconds does too',
      { cron: '*/30 30 2,3 9 3 *', due: ['2025-03-09T03:30-04:00', '2025-03-09T03:30:30-04:00'] },
    ],
    [
      'with gap: after the lost runs of an interval become one, and one only',
      {
        cron: '15,45 1-2 9 3 *',
        dst: { gap: 'after' },
        due: ['2025-03-09T01:15-05:00', '2025-03-09T01:45-05:00', '2025-03-09T03:00-04:00'],
      },
    ],
    [
      'a run that is moved onto another one is not doubled',
      { cron: '0 2,3 9 3 *', dst: { gap: 'after' }, due: ['2025-03-09T03:00-04:00'] },
    ],
    [
      'a time just before and just after the gap is left alone',
      { cron: '59 1 9 3 *', due: ['2025-03-09T01:59-05:00'] },
    ],
  ])('%s', (_, given) => {
    expect(localTimes({ ...NEW_YORK_SPRING, ...given })).toEqual(given.due);
  });
});

describe('America/New_York, 2 November 2025, 02:00 → 01:00', () => {
  test.each<[string, Omit<Case, 'zone' | 'from' | 'to'>]>([
    [
      'a fixed time that happens twice runs at the first',
      {
        cron: '30 1 * * *',
        due: ['2025-11-01T01:30-04:00', '2025-11-02T01:30-04:00', '2025-11-03T01:30-05:00'],
      },
    ],
    [
      'with overlap: twice it runs at both',
      {
        cron: '30 1 2 11 *',
        dst: { overlap: 'twice' },
        due: ['2025-11-02T01:30-04:00', '2025-11-02T01:30-05:00'],
      },
    ],
    [
      'each of two fixed times runs once',
      {
        cron: '30 1,13 * * *',
        due: [
          '2025-11-01T01:30-04:00',
          '2025-11-01T13:30-04:00',
          '2025-11-02T01:30-04:00',
          '2025-11-02T13:30-05:00',
          '2025-11-03T01:30-05:00',
          '2025-11-03T13:30-05:00',
        ],
      },
    ],
    [
      'a range of minutes without * is fixed times too',
      { cron: '0-30/15 1 2 11 *', due: ['00', '15', '30'].map((minute) => `2025-11-02T01:${minute}-04:00`) },
    ],
    [
      'fixed times with overlap: twice run at both',
      {
        cron: '30 1,13 2 11 *',
        dst: { overlap: 'twice' },
        due: ['2025-11-02T01:30-04:00', '2025-11-02T01:30-05:00', '2025-11-02T13:30-05:00'],
      },
    ],
    [
      'a * in the hour follows the clocks, also with a fixed minute',
      {
        cron: '30 */1 2 11 *',
        due: [
          '2025-11-02T00:30-04:00',
          '2025-11-02T01:30-04:00',
          ...Array.from({ length: 23 }, (_, i) => `2025-11-02T${String(i + 1).padStart(2, '0')}:30-05:00`),
        ],
      },
    ],
    [
      'an interval runs through the repeated hour',
      {
        cron: '*/30 1-2 2 11 *',
        due: [
          '2025-11-02T01:00-04:00',
          '2025-11-02T01:30-04:00',
          '2025-11-02T01:00-05:00',
          '2025-11-02T01:30-05:00',
          '2025-11-02T02:00-05:00',
          '2025-11-02T02:30-05:00',
        ],
      },
    ],
    [
      'with overlap: once an interval pauses for the repeated hour',
      {
        cron: '*/30 1-2 2 11 *',
        dst: { overlap: 'once' },
        due: [
          '2025-11-02T01:00-04:00',
          '2025-11-02T01:30-04:00',
          '2025-11-02T02:00-05:00',
          '2025-11-02T02:30-05:00',
        ],
      },
    ],
    [
      '02:00 itself happens once',
      { cron: '0 2 2 11 *', dst: { overlap: 'twice' }, due: ['2025-11-02T02:00-05:00'] },
    ],
    [
      'the last year of a pattern does not end before its second hour has run',
      {
        cron: '0 30 1 2 11 * 2025',
        dst: { overlap: 'twice' },
        due: ['2025-11-02T01:30-04:00', '2025-11-02T01:30-05:00'],
      },
    ],
  ])('%s', (_, given) => {
    expect(localTimes({ ...NEW_YORK_AUTUMN, ...given })).toEqual(given.due);
  });
});

describe("AWS's cron(…): the gap is skipped and the repeated hour does not run again", () => {
  test.each<[string, Omit<Case, 'zone' | 'from' | 'to'>]>([
    ['one time', { cron: 'cron(30 2 * * ? *)', due: ['2025-03-08T02:30-05:00', '2025-03-10T02:30-04:00'] }],
    ['several', { cron: 'cron(30 2,14 9 3 ? *)', due: ['2025-03-09T14:30-04:00'] }],
    [
      'unless dst says otherwise',
      {
        cron: 'cron(30 2,14 9 3 ? *)',
        dst: { gap: 'after' },
        due: ['2025-03-09T03:00-04:00', '2025-03-09T14:30-04:00'],
      },
    ],
  ])('in spring: %s', (_, given) => {
    expect(localTimes({ ...NEW_YORK_SPRING, ...given })).toEqual(given.due);
  });
  test.each<[string, Omit<Case, 'zone' | 'from' | 'to'>]>([
    ['one time', { cron: 'cron(30 1 2 11 ? *)', due: ['2025-11-02T01:30-04:00'] }],
    [
      'with *, which 5 fields would run through',
      {
        cron: 'cron(0/30 * 2 11 ? *)',
        due: [
          '2025-11-02T00:00-04:00',
          '2025-11-02T00:30-04:00',
          '2025-11-02T01:00-04:00',
          '2025-11-02T01:30-04:00',
          ...Array.from({ length: 44 }, (_, i) => {
            const [hour, half] = [2 + Math.floor(i / 2), i % 2];
            return `2025-11-02T${String(hour).padStart(2, '0')}:${half ? '30' : '00'}-05:00`;
          }),
        ],
      },
    ],
    [
      'unless dst says otherwise',
      {
        cron: 'cron(30 1 2 11 ? *)',
        dst: { overlap: 'twice' },
        due: ['2025-11-02T01:30-04:00', '2025-11-02T01:30-05:00'],
      },
    ],
  ])('in autumn: %s', (_, given) => {
    expect(localTimes({ ...NEW_YORK_AUTUMN, ...given })).toEqual(given.due);
  });
});

describe('other zones', () => {
  test.each<[string, Case]>([
    [
      'Europe/London, 01:00 → 02:00: the run at 01:15 comes at 02:00',
      {
        cron: '15 1 * * *',
        zone: 'Europe/London',
        from: '2025-03-29T12:00:00Z',
        to: '2025-03-31T12:00:00Z',
        due: ['2025-03-30T02:00+01:00', '2025-03-31T01:15+01:00'],
      },
    ],
    [
      'Europe/London, 02:00 → 01:00: once',
      {
        cron: '15 1 * * *',
        zone: 'Europe/London',
        from: '2025-10-25T12:00:00Z',
        to: '2025-10-27T12:00:00Z',
        due: ['2025-10-26T01:15+01:00', '2025-10-27T01:15:00Z'],
      },
    ],
    [
      'Africa/Cairo, midnight → 01:00: the day still has its midnight run',
      {
        cron: '0 0 * * *',
        zone: 'Africa/Cairo',
        from: '2025-04-23T21:00:00Z',
        to: '2025-04-26T12:00:00Z',
        due: ['2025-04-24T00:00+02:00', '2025-04-25T01:00+03:00', '2025-04-26T00:00+03:00'],
      },
    ],
    [
      'Africa/Cairo, midnight → 23:00: the last hour of the day is repeated',
      {
        cron: '30 23 * * *',
        zone: 'Africa/Cairo',
        from: '2025-10-30T12:00:00Z',
        to: '2025-10-31T22:00:00Z',
        dst: { overlap: 'twice' },
        due: ['2025-10-30T23:30+03:00', '2025-10-30T23:30+02:00', '2025-10-31T23:30+02:00'],
      },
    ],
    [
      'America/Santiago, midnight → 01:00',
      {
        cron: '0 0 * * *',
        zone: 'America/Santiago',
        from: '2025-09-06T00:00:00Z',
        to: '2025-09-08T12:00:00Z',
        due: ['2025-09-06T00:00-04:00', '2025-09-07T01:00-03:00', '2025-09-08T00:00-03:00'],
      },
    ],
    [
      'America/Santiago, midnight → 23:00: a daily midnight run is not doubled',
      {
        cron: '0 0 * * *',
        zone: 'America/Santiago',
        from: '2025-04-05T12:00:00Z',
        to: '2025-04-07T12:00:00Z',
        due: ['2025-04-06T00:00-04:00', '2025-04-07T00:00-04:00'],
      },
    ],
    [
      'Australia/Lord_Howe, 02:00 → 02:30',
      {
        cron: '15 2 * * *',
        zone: 'Australia/Lord_Howe',
        from: '2025-10-04T00:00:00Z',
        to: '2025-10-06T12:00:00Z',
        due: ['2025-10-05T02:30+11:00', '2025-10-06T02:15+11:00'],
      },
    ],
    [
      'Australia/Lord_Howe, 02:00 → 02:30: what is at 02:30 anyway is not doubled',
      {
        cron: '15,30 2 5 10 *',
        zone: 'Australia/Lord_Howe',
        from: '2025-10-04T00:00:00Z',
        to: '2025-10-06T00:00:00Z',
        dst: { gap: 'after' },
        due: ['2025-10-05T02:30+11:00'],
      },
    ],
    [
      'Australia/Lord_Howe, 02:00 → 01:30: a half hour is repeated',
      {
        cron: '*/45 1 6 4 *',
        zone: 'Australia/Lord_Howe',
        from: '2025-04-05T00:00:00Z',
        to: '2025-04-07T00:00:00Z',
        due: ['2025-04-06T01:00+11:00', '2025-04-06T01:45+11:00', '2025-04-06T01:45+10:30'],
      },
    ],
    [
      'Australia/Lord_Howe, 02:00 → 01:30: of fixed times it is not',
      {
        cron: '0,45 1 6 4 *',
        zone: 'Australia/Lord_Howe',
        from: '2025-04-05T00:00:00Z',
        to: '2025-04-07T00:00:00Z',
        due: ['2025-04-06T01:00+11:00', '2025-04-06T01:45+11:00'],
      },
    ],
    [
      'Antarctica/Troll, 01:00 → 03:00: three fixed times in two hours become one run',
      {
        cron: '30 1,2,3 * * *',
        zone: 'Antarctica/Troll',
        from: '2025-03-30T00:00:00Z',
        to: '2025-03-30T12:00:00Z',
        due: ['2025-03-30T03:00+02:00', '2025-03-30T03:30+02:00'],
      },
    ],
    [
      'Asia/Gaza 2026, 02:00 → 03:00',
      {
        cron: '0,30 2 * * *',
        zone: 'Asia/Gaza',
        from: '2026-03-27T12:00:00Z',
        to: '2026-03-28T12:00:00Z',
        due: ['2026-03-28T03:00+03:00'],
      },
    ],
    [
      'Asia/Beirut 2025, midnight → 01:00: the runs of both sides of midnight',
      {
        cron: '30 0,23 * * *',
        zone: 'Asia/Beirut',
        from: '2025-03-29T12:00:00Z',
        to: '2025-03-30T21:00:00Z',
        due: ['2025-03-29T23:30+02:00', '2025-03-30T01:00+03:00', '2025-03-30T23:30+03:00'],
      },
    ],
    [
      'Pacific/Apia had no 30 December 2011: no run for it',
      {
        cron: '0 9 * * *',
        zone: 'Pacific/Apia',
        from: '2011-12-29T10:00:00Z',
        to: '2011-12-31T12:00:00Z',
        due: ['2011-12-29T09:00-10:00', '2011-12-31T09:00+14:00'],
      },
    ],
    [
      'Pacific/Apia, with gap: after the lost day runs as soon as it is over',
      {
        cron: '0 9 * * FRI',
        zone: 'Pacific/Apia',
        from: '2011-12-29T10:00:00Z',
        to: '2012-01-07T00:00:00Z',
        dst: { gap: 'after' },
        due: ['2011-12-31T00:00+14:00', '2012-01-06T09:00+14:00'],
      },
    ],
    [
      'Africa/Casablanca goes back an hour when Ramadan begins',
      {
        cron: '30 2 * * *',
        zone: 'Africa/Casablanca',
        from: '2025-02-22T12:00:00Z',
        to: '2025-02-24T12:00:00Z',
        dst: { overlap: 'twice' },
        due: ['2025-02-23T02:30+01:00', '2025-02-23T02:30:00Z', '2025-02-24T02:30:00Z'],
      },
    ],
    [
      'Africa/Casablanca goes forward an hour when Ramadan is over',
      {
        cron: '30 2 * * *',
        zone: 'Africa/Casablanca',
        from: '2025-04-05T12:00:00Z',
        to: '2025-04-07T12:00:00Z',
        due: ['2025-04-06T03:00+01:00', '2025-04-07T02:30+01:00'],
      },
    ],
  ])('%s', (_, given) => {
    expect(localTimes(given)).toEqual(given.due);
  });
});

describe('a gap that ends at midnight', () => {
  const gap = (zone: string, day: string, days = 2) => {
    const from = Date.parse(`${day}T00:00:00Z`) - 12 * 3_600_000;
    return {
      zone,
      from: new Date(from).toISOString(),
      to: new Date(from + (days + 1) * 86_400_000).toISOString(),
    };
  };

  test.each<[string, Case]>([
    [
      'America/Nuuk, 23:00 → 00:00: the run at 23:30 comes at midnight, and the next evening has its own',
      {
        cron: '30 23 * * *',
        ...gap('America/Nuuk', '2025-03-29', 3),
        due: [
          '2025-03-28T23:30-02:00',
          '2025-03-30T00:00-01:00',
          '2025-03-30T23:30-01:00',
          '2025-03-31T23:30-01:00',
        ],
      },
    ],
    [
      'America/Scoresbysund, 23:00 → 00:00: the same',
      {
        cron: '0 23 * * *',
        ...gap('America/Scoresbysund', '2025-03-29'),
        due: ['2025-03-28T23:00-02:00', '2025-03-30T00:00-01:00', '2025-03-30T23:00-01:00'],
      },
    ],
    [
      'America/Nuuk, with gap: after too',
      {
        cron: '*/30 23 29 3 *',
        ...gap('America/Nuuk', '2025-03-29'),
        dst: { gap: 'after' },
        due: ['2025-03-30T00:00-01:00'],
      },
    ],
    [
      'America/Nuuk, with gap: skip not',
      {
        cron: '30 23 * * *',
        ...gap('America/Nuuk', '2025-03-29'),
        dst: { gap: 'skip' },
        due: ['2025-03-28T23:30-02:00', '2025-03-30T23:30-01:00'],
      },
    ],
    [
      'America/Nuuk: one Saturday a week is that Saturday, on the next date',
      {
        cron: '30 23 * * SAT',
        ...gap('America/Nuuk', '2025-03-29', 8),
        due: ['2025-03-30T00:00-01:00', '2025-04-05T23:30-01:00'],
      },
    ],
    [
      'America/Nuuk: the last Saturday of the month',
      { cron: '30 23 * * 6L', ...gap('America/Nuuk', '2025-03-29'), due: ['2025-03-30T00:00-01:00'] },
    ],
    [
      'America/Nuuk: the fifth Saturday of the month',
      { cron: '30 23 * * 6#5', ...gap('America/Nuuk', '2025-03-29'), due: ['2025-03-30T00:00-01:00'] },
    ],
    [
      'America/Nuuk: the weekday nearest to the 30th is the 31st, which has a 23:30',
      { cron: '30 23 30W 3 *', ...gap('America/Nuuk', '2025-03-30'), due: ['2025-03-31T23:30-01:00'] },
    ],
    [
      'America/Nuuk: a midnight of its own is not doubled',
      { cron: '0 0 30 3 *', ...gap('America/Nuuk', '2025-03-29'), due: ['2025-03-30T00:00-01:00'] },
    ],
    [
      'Asia/Pyongyang 2018, 23:30 → 00:00, half an hour',
      {
        cron: '45 23 * * *',
        ...gap('Asia/Pyongyang', '2018-05-04'),
        due: ['2018-05-03T23:45+08:30', '2018-05-05T00:00+09:00', '2018-05-05T23:45+09:00'],
      },
    ],
    [
      'Asia/Dhaka 2009, 23:00 → 00:00',
      {
        cron: '15 23 * * *',
        ...gap('Asia/Dhaka', '2009-06-20'),
        due: ['2009-06-20T00:00+07:00', '2009-06-20T23:15+07:00', '2009-06-21T23:15+07:00'],
      },
    ],
    [
      'Europe/Sofia 1979: the last day of March ends an hour early',
      { cron: '30 23 L * *', ...gap('Europe/Sofia', '1979-03-31'), due: ['1979-04-01T00:00+03:00'] },
    ],
    [
      'Asia/Singapore 1981: the last half hour of a year, and of a pattern with that year',
      {
        cron: '0 45 23 31 12 * 1981',
        ...gap('Asia/Singapore', '1981-12-31'),
        due: ['1982-01-01T00:00+08:00'],
      },
    ],
  ])('%s', (_, given) => {
    expect(localTimes(given)).toEqual(given.due);
  });

  test.each([
    ['Pacific/Fakaofo', '2011-12-30', '2011-12-29T23:30-11:00', '2011-12-31T23:30+13:00'],
    ['Pacific/Kwajalein', '1993-08-21', '1993-08-20T23:30-12:00', '1993-08-22T23:30+12:00'],
    ['Pacific/Kiritimati', '1994-12-31', '1994-12-30T23:30-10:00', '1995-01-01T23:30+14:00'],
  ])('%s had no %s at all: that date alone has no run', (zone, day, before, after) => {
    const given = { cron: '30 23 * * *', zone, from: new Date(Date.parse(before)).toISOString() };
    const to = new Date(Date.parse(after) + 1).toISOString();
    expect(localTimes({ ...given, to, due: [] })).toEqual([before, after]);
    expect(before < day && after > day).toBe(true);
  });
});

test('a daily run is lost on no date that exists, in any zone that jumps over a midnight', () => {
  for (const zone of [
    'America/Nuuk',
    'America/Scoresbysund',
    'Asia/Beirut',
    'Africa/Cairo',
    'America/Santiago',
  ]) {
    for (const cron of ['30 23 * * *', '0 0 * * *', '59 0 * * *']) {
      const schedule = resolveSchedule({ cron, timezone: zone }, 0);
      const end = Date.UTC(2037, 0, 1, 12);
      let [days, before] = [0, Date.UTC(2024, 0, 1, 12)];
      for (const at of occurrencesAfter(schedule, before)) {
        if (at > end) break;
        // 24 hours, give or take the change of an hour
        expect((at - before) / 3_600_000).toBeLessThanOrEqual(25);
        days++;
        before = at;
      }
      expect(days).toBe((end - Date.UTC(2024, 0, 1, 12)) / 86_400_000);
    }
  }
});
