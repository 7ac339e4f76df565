// What is due when clocks are put forward or back: named cases, each with the local times beside it.
// All lie in the past: governments may still change the future ones.
import { describe, expect, test } from 'vitest';
import { isoIn } from '../../../src/domain/schedule/instant.ts';
import { latestOccurrence, occurrencesAfter } from '../../../src/domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import type { Dst } from '../../../src/domain/schedule/schema.ts';

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
      'an interval of half hours has no run inside the gap and none for it',
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
        cron: '0,45 1 6 4 *',
        zone: 'Australia/Lord_Howe',
        from: '2025-04-05T00:00:00Z',
        to: '2025-04-07T00:00:00Z',
        due: ['2025-04-06T01:00+11:00', '2025-04-06T01:45+11:00', '2025-04-06T01:45+10:30'],
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
