// Every kind of schedule in one English sentence.
import { describe, expect, test } from 'vitest';
import { describeSchedule } from '../../../src/domain/schedule/describe.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import type { ScheduleInput } from '../../../src/domain/schedule/schema.ts';

const NOW = Date.parse('2026-12-01T10:00:00Z');
const inWords = (input: ScheduleInput | undefined) => describeSchedule(resolveSchedule(input, NOW));

describe('cron', () => {
  test.each([
    ['0 9 * * MON-FRI', 'At 09:00 on Monday to Friday'],
    ['0 9,17 * * *', 'At 09:00 and 17:00 every day'],
    ['15,45 6 * * *', 'At 06:15 and 06:45 every day'],
    ['30 0 9 * * *', 'At 09:00:30 every day'],
    ['* * * * *', 'Every minute'],
    ['* * * * * *', 'Every second'],
    ['*/10 * * * * *', 'Every 10 seconds'],
    ['0,30 5 * * * *', 'At seconds 0 and 30 of minute 5 of every hour'],
    ['* 5 9 * * *', 'Every second of minute 5 from 09:00 to 09:59'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['0/5 * * * *', 'Every 5 minutes'],
    ['0-59/15 * * * *', 'Every 15 minutes'],
    ['*/7 * * * *', 'At every 7th minute of every hour'],
    ['7/10 * * * *', 'At every 10th minute from 7 to 59 of every hour'],
    ['30 * * * *', 'At minute 30 of every hour'],
    ['0 * * * *', 'Every hour'],
    ['0 */2 * * *', 'Every 2 hours'],
    ['0 */5 * * *', 'At minute 0 in every 5th hour'],
    ['0 9-17 * * *', 'Every hour from 09:00 to 17:00'],
    ['*/15 9-17 * * 1-5', 'Every 15 minutes from 09:00 to 17:59 on Monday to Friday'],
    ['5-10 1,3 * * *', 'At minutes 5 to 10 in hours 1 and 3'],
    ['0 0 1,15 * *', 'At 00:00 on days 1 and 15 of the month'],
    ['0 0 */2 * *', 'At 00:00 on every 2nd day of the month'],
    ['0 0 L * *', 'At 00:00 on the last day of the month'],
    ['0 0 L-3 * *', 'At 00:00 on 3 days before the last day of the month'],
    ['0 0 L-1 * *', 'At 00:00 on 1 day before the last day of the month'],
    ['0 0 LW * *', 'At 00:00 on the last weekday (Monday to Friday) of the month'],
    ['0 0 15W * *', 'At 00:00 on the weekday (Monday to Friday) nearest day 15 of the month'],
    ['0 0 1,L * *', 'At 00:00 on day 1 of the month and the last day of the month'],
    ['0 0 * * FRI#2', 'At 00:00 on the second Friday of the month'],
    ['0 0 * * 5L', 'At 00:00 on the last Friday of the month'],
    ['0 0 * * MON,FRI#2', 'At 00:00 on Monday and the second Friday of the month'],
    ['0 0 * * */2', 'At 00:00 on Sunday, Tuesday, Thursday and Saturday'],
    ['0 0 * * FRI-MON', 'At 00:00 on Friday to Monday'],
    ['0 0 13 * FRI', 'At 00:00 on day 13 of the month or on Friday'],
    ['0 0 1 JAN *', 'At 00:00 on day 1 of the month in January'],
    ['0 0 * 1-3 *', 'At 00:00 every day in January to March'],
    ['0 0 * */3 *', 'At 00:00 every day in every 3rd month'],
    ['0 0 0 * * * 2027-2030', 'At 00:00 every day in 2027 to 2030'],
    ['0 0 0 1 6 * 2027', 'At 00:00 on day 1 of the month in June in 2027'],
    ['@weekly', 'At 00:00 on Sunday'],
    ['cron(0/15 8-17 ? * 2-6 *)', 'Every 15 minutes from 08:00 to 17:59 on Monday to Friday'],
    [
      'cron(0/30 20-2 ? * MON-FRI *)',
      'Every 30 minutes from 00:00 to 02:59 and from 20:00 to 23:59 on Monday to Friday',
    ],
    ['cron(0 12 ? * L *)', 'At 12:00 on Saturday'],
  ])('%s: %s', (cron, sentence) => {
    expect(inWords({ cron })).toBe(`${sentence}, UTC`);
    expect(inWords({ cron, timezone: 'Europe/Paris' })).toBe(`${sentence}, Europe/Paris time`);
  });
});

test.each<[ScheduleInput | undefined, string]>([
  [undefined, 'Once, at 2026-12-01T10:00:00.000Z'],
  [{ in: 'PT90S' }, 'Once, at 2026-12-01T10:01:30.000Z (PT90S after it was created)'],
  [
    { at: '2027-01-01T09:00', timezone: 'Europe/Paris' },
    'Once, at 2027-01-01T09:00+01:00, Europe/Paris time',
  ],
  [{ every: 'PT1H' }, 'Every hour, counted from 2026-12-01T10:00:00.000Z'],
  [{ every: 'PT1.5S' }, 'Every 1.5 seconds, counted from 2026-12-01T10:00:00.000Z'],
  [
    { every: 'P1DT12H', startAt: '2027-01-01T00:00:00Z', endAt: '2027-06-01T00:00:00Z', jitterSeconds: 1 },
    'Every 1 day and 12 hours, counted from 2027-01-01T00:00:00Z, until 2027-06-01T00:00:00Z, each run delayed by up to 1 second',
  ],
  [{ cron: 'rate(5 minutes)' }, 'Every 5 minutes, counted from 2026-12-01T10:00:00.000Z'],
  [
    { cron: '@daily', startAt: '2027-01-01T00:00:00Z', endAt: '2027-06-01T00:00:00Z', jitterSeconds: 30 },
    'At 00:00 every day, UTC, from 2027-01-01T00:00:00Z, until 2027-06-01T00:00:00Z, each run delayed by up to 30 seconds',
  ],
  [
    { calendar: { date: 13, daysOfWeek: ['FRI'], hour: [9, 10], minute: 30, month: [1, 2] } },
    'At 09:30 and 10:30 on day 13 of the month if it is Friday in January and February, UTC',
  ],
  [{ calendar: { year: 2027 } }, 'At 00:00 every day in 2027, UTC'],
])('%j: %s', (input, sentence) => {
  expect(inWords(input)).toBe(sentence);
});
