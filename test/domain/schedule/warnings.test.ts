// What a preview warns of: a schedule that never fires, and runs that clocks jump over or repeat in the coming year.
import { expect, test } from 'vitest';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import type { ScheduleInput } from '../../../src/domain/schedule/schedule-schema.ts';
import { scheduleWarnings } from '../../../src/domain/schedule/warnings.ts';

const NOW = Date.parse('2025-01-01T00:00:00Z');
const warnings = (input: ScheduleInput) => scheduleWarnings(resolveSchedule(input, NOW), NOW);
const NEW_YORK = { timezone: 'America/New_York' };

test('30 February never fires', () => {
  expect(warnings({ cron: '0 0 30 2 *' })).toEqual([
    { kind: 'neverFires', message: 'The schedule never fires: no time from now on matches' },
  ]);
});

test('a time in the past never fires', () => {
  expect(warnings({ at: '2020-01-01T00:00:00Z' })).toEqual([
    { kind: 'neverFires', message: 'The schedule never fires: 2020-01-01T00:00:00Z is in the past' },
  ]);
});

test('a window that ends before the first match never fires', () => {
  expect(warnings({ cron: '0 0 1 7 *', endAt: '2025-06-30T00:00:00Z' })).toEqual([
    {
      kind: 'neverFires',
      message: 'The schedule never fires: no time from now on until 2025-06-30T00:00:00Z matches',
    },
  ]);
});

test('both day fields restricted: either one matches', () => {
  const message =
    'The day of month and the day of week are both restricted, so the job runs on days that match either one. For days that match both, use a calendar schedule';
  for (const cron of ['0 9 13 * FRI', '0 9 */2 * MON-FRI', '0 9 L * 5L', '0 0 9 1-31 * 1 2025']) {
    expect(warnings({ cron })).toEqual([{ kind: 'eitherDay', message }]);
  }
  expect(warnings({ cron: '30 2 13 * FRI', ...NEW_YORK }).map(({ kind }) => kind)).toEqual(['eitherDay']);
  expect(warnings({ cron: '30 2 9 * SUN', ...NEW_YORK }).map(({ kind }) => kind)).toEqual([
    'eitherDay',
    'dstGap',
  ]);
});

test('one day field that is *, ? or */1, and a calendar, match in one way only: no warning', () => {
  for (const cron of [
    '0 9 13 * *',
    '0 9 * * FRI',
    '0 9 */1 * FRI',
    '0 9 13 * */1',
    '0 9 ? * FRI',
    '0 9 13 * ?',
  ]) {
    expect(warnings({ cron })).toEqual([]);
  }
  expect(warnings({ cron: 'cron(0 9 13 * ? *)' })).toEqual([]);
  expect(warnings({ calendar: { date: 13, daysOfWeek: 'FRI' } })).toEqual([]);
});

test.each([
  ['0 0 9 ? * 6', 'Weekday 6 is Saturday here, and Friday in Quartz: use names'],
  ['0 0 9 ? * 6 2025', 'Weekday 6 is Saturday here, and Friday in Quartz: use names'],
  ['0 0 9 ? * 7', 'Weekday 7 is Sunday here, and Saturday in Quartz: use names'],
  ['0 0 9 ? * 0', 'Weekday 0 is Sunday here, and no day in Quartz: use names'],
  ['0 0 9 ? * 6L', 'Weekday 6 is Saturday here, and Friday in Quartz: use names'],
  ['0 0 9 ? * 6#3', 'Weekday 6 is Saturday here, and Friday in Quartz: use names'],
  ['0 0 9 ? * 1/2', 'Weekday 1 is Monday here, and Sunday in Quartz: use names'],
  [
    '0 0 9 ? * 2-6',
    'Weekdays 2 and 6 are Tuesday and Saturday here, and Monday and Friday in Quartz: use names',
  ],
  [
    '0 0 9 ? * MON,3,5,5#1',
    'Weekdays 3 and 5 are Wednesday and Friday here, and Tuesday and Thursday in Quartz: use names',
  ],
])('%s: %s', (cron, message) => {
  expect(warnings({ cron })).toEqual([{ kind: 'quartzWeekday', message }]);
});

test('weekdays by name, 5 fields, no ?, and AWS: no warning of Quartz', () => {
  for (const cron of [
    '0 0 9 ? * MON-FRI',
    '0 0 9 ? * FRI#2',
    '0 0 9 ? * *',
    '0 0 9 ? * */2',
    '0 0 9 13 * ?',
    '0 0 9 * * 6',
    '0 9 ? * 6',
    'cron(0 9 ? * 6 *)',
  ]) {
    expect(warnings({ cron })).toEqual([]);
  }
});

test('a rate of whole days drifts against local time', () => {
  const message =
    'The job runs every 24 hours, so its local time shifts where clocks change. For the same local time on each day, use cron or calendar with a timezone';
  expect(warnings({ every: 'P1D' })).toEqual([{ kind: 'drift', message }]);
  expect(warnings({ cron: 'rate(1 day)' })).toEqual([{ kind: 'drift', message }]);
  expect(warnings({ every: 'P1W', ...NEW_YORK })).toEqual([
    {
      kind: 'drift',
      message:
        'The job runs every 7 days of 24 hours, so its local time shifts when clocks in America/New_York change. For the same local time on each day, use cron or calendar with a timezone',
    },
  ]);
  expect(warnings({ every: 'PT25H' })).toEqual([]);
  expect(warnings({ every: 'PT1H', ...NEW_YORK })).toEqual([]);
  for (const timezone of ['UTC', '+05:30', 'Asia/Kolkata'])
    expect(warnings({ every: 'P1D', timezone })).toEqual([]);
});

test('a fixed time in a gap: it runs after it, or with gap: skip not at all', () => {
  expect(warnings({ cron: '30 2 * * *', ...NEW_YORK })).toEqual([
    {
      kind: 'dstGap',
      at: '2025-03-09T03:00:00-04:00',
      message:
        'Clocks in America/New_York skip 2025-03-09 02:30: the job runs at 2025-03-09T03:00:00-04:00 instead',
    },
  ]);
  expect(warnings({ cron: '30 2 * * *', ...NEW_YORK, dst: { gap: 'skip' } })).toMatchObject([
    {
      kind: 'dstGap',
      message: 'Clocks in America/New_York skip 2025-03-09 02:30: the job does not run then',
    },
  ]);
});

test('a fixed time that happens twice: it runs the first time, or with overlap: twice both times', () => {
  expect(warnings({ cron: '30 1 * * *', ...NEW_YORK })).toEqual([
    {
      kind: 'dstOverlap',
      at: '2025-11-02T01:00:00-05:00',
      message: 'Clocks in America/New_York show 2025-11-02 01:30 twice: the job runs the first time only',
    },
  ]);
  expect(
    warnings({ calendar: { hour: 1, minute: 30 }, ...NEW_YORK, dst: { overlap: 'twice' } }),
  ).toMatchObject([
    { message: 'Clocks in America/New_York show 2025-11-02 01:30 twice: the job runs both times' },
  ]);
});

test('fixed times in a list are warned of as a single one is', () => {
  expect(warnings({ cron: '30 1,2,14 * * *', ...NEW_YORK }).map((warning) => warning.message)).toEqual([
    'Clocks in America/New_York skip 2025-03-09 02:30: the job runs at 2025-03-09T03:00:00-04:00 instead',
    'Clocks in America/New_York show 2025-11-02 01:30 twice: the job runs the first time only',
  ]);
});

test("AWS's cron(…) warns by its own rule, also where it has a *", () => {
  expect(warnings({ cron: 'cron(0/30 1-2 * * ? *)', ...NEW_YORK }).map((warning) => warning.message)).toEqual(
    [
      'Clocks in America/New_York skip 2025-03-09 02:00 and 02:30: the job does not run then',
      'Clocks in America/New_York show 2025-11-02 01:00 and 01:30 twice: the job runs the first time only',
    ],
  );
  expect(warnings({ cron: 'cron(0/30 * * * ? *)', ...NEW_YORK }).map(({ kind }) => kind)).toEqual([
    'dstOverlap',
  ]);
});

test('many lost times are not all listed', () => {
  expect(warnings({ cron: '*/15 1-2 * * *', ...NEW_YORK }).map((warning) => warning.message)).toEqual([
    'Clocks in America/New_York skip 2025-03-09 02:00, 02:15, 02:30 and more: the job does not run then',
    'Clocks in America/New_York show 2025-11-02 01:00, 01:15, 01:30 and more twice: the job runs both times',
  ]);
});

test('both changes of a year with a Ramadan in it', () => {
  expect(
    warnings({ cron: '30 2 * * *', timezone: 'Africa/Casablanca' }).map(({ kind, at }) => [kind, at]),
  ).toEqual([
    ['dstOverlap', '2025-02-23T02:00:00Z'],
    ['dstGap', '2025-04-06T03:00:00+01:00'],
  ]);
});

test('what runs in every hour keeps its rhythm: no warning', () => {
  expect(warnings({ cron: '*/5 * * * *', ...NEW_YORK })).toEqual([]);
  expect(warnings({ cron: '*/30 * * * *', timezone: 'Australia/Lord_Howe' })).toEqual([]);
  expect(warnings({ every: 'PT1H', ...NEW_YORK })).toEqual([]);
});

test('… unless clocks jump by less than its rhythm, or dst says to pause', () => {
  expect(warnings({ cron: '0 * * * *', timezone: 'Australia/Lord_Howe' }).map(({ kind }) => kind)).toEqual([
    'dstGap',
  ]);
  expect(warnings({ cron: '*/5 * * * *', ...NEW_YORK, dst: { overlap: 'once' } })).toMatchObject([
    { kind: 'dstOverlap' },
  ]);
});

test('times that clocks leave alone, and changes outside startAt and endAt, give no warning', () => {
  expect(warnings({ cron: '0 9 * * *', ...NEW_YORK })).toEqual([]);
  expect(warnings({ cron: '30 2 * * *', timezone: 'Asia/Kolkata' })).toEqual([]);
  expect(warnings({ cron: '30 2 * * *', ...NEW_YORK, startAt: '2025-04-01T00:00:00Z' })).toEqual([]);
  expect(warnings({ cron: '30 1 * * *', ...NEW_YORK, endAt: '2025-10-01T00:00:00Z' })).toEqual([]);
});
