// Every kind of schedule in one English sentence.
import { describe, expect, test } from 'vitest';
import { describeSchedule } from '../../../src/domain/schedule/describe.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import type { ScheduleInput } from '../../../src/domain/schedule/schedule-schema.ts';

const NOW = Date.parse('2026-12-01T10:00:00Z');
const emailText = (input: ScheduleInput | undefined) => describeSchedule(resolveSchedule(input, NOW));

const PATTERNS: [cron: string, sentence: string][] = [
  ['* * * * *', 'Every minute'],
  ['*/1 * * * *', 'Every minute'],
  ['0-59 * * * *', 'Every minute'],
  ['*/2 * * * *', 'Every 2 minutes'],
  ['*/5 * * * *', 'Every 5 minutes'],
  ['0/5 * * * *', 'Every 5 minutes'],
  ['0-59/15 * * * *', 'Every 15 minutes'],
  ['0,30 * * * *', 'Every 30 minutes'],
  ['*/30 * * * *', 'Every 30 minutes'],
  ['*/45 * * * *', 'At minutes 0 and 45 of every hour'],
  ['*/7 * * * *', 'At every 7th minute from 0 to 56 of every hour'],
  ['7/10 * * * *', 'At minutes 7, 17, 27, 37, 47 and 57 of every hour'],
  ['1/2 * * * *', 'At every 2nd minute from 1 to 59 of every hour'],
  ['5,10,20-30 * * * *', 'At minutes 5, 10 and 20 to 30 of every hour'],
  ['30 * * * *', 'At minute 30 of every hour'],
  ['0 * * * *', 'Every hour'],
  ['0 */1 * * *', 'Every hour'],
  ['0 0-23 * * *', 'Every hour'],
  ['0 */2 * * *', 'Every 2 hours'],
  ['0 */3 * * *', 'Every 3 hours'],
  ['0 */4 * * *', 'At 00:00, 04:00, 08:00, 12:00, 16:00 and 20:00 every day'],
  ['0 */5 * * *', 'At 00:00, 05:00, 10:00, 15:00 and 20:00 every day'],
  ['0 */6 * * *', 'At 00:00, 06:00, 12:00 and 18:00 every day'],
  ['0 */12 * * *', 'At 00:00 and 12:00 every day'],
  ['0 */23 * * *', 'At 00:00 and 23:00 every day'],
  ['0 1/3 * * *', 'Every 3 hours from 01:00 to 22:00'],
  ['30 */2 * * *', 'At minute 30 of every 2nd hour from 00:00 to 22:59'],
  ['30 */8 * * *', 'At 00:30, 08:30 and 16:30 every day'],
  ['0 9-17 * * *', 'Every hour from 09:00 to 17:00'],
  ['30 9-17 * * *', 'At minute 30 of every hour from 09:00 to 17:59'],
  ['0 9-12 * * *', 'At 09:00, 10:00, 11:00 and 12:00 every day'],
  ['0 9 * * *', 'At 09:00 every day'],
  ['0 9,17 * * *', 'At 09:00 and 17:00 every day'],
  ['15,45 6 * * *', 'At 06:15 and 06:45 every day'],
  ['0 0,1,2,5,6,7,22 * * *', 'At minute 0 of hours 0 to 2, 5 to 7 and 22'],
  ['0 0-2,20-23 * * *', 'Every hour from 00:00 to 02:00 and from 20:00 to 23:00'],
  ['*/10 9 * * *', 'At 09:00, 09:10, 09:20, 09:30, 09:40 and 09:50 every day'],
  ['*/5 9 * * *', 'Every 5 minutes from 09:00 to 09:59'],
  ['*/15 9-17 * * 1-5', 'Every 15 minutes from 09:00 to 17:59 on Mondays to Fridays'],
  ['*/15 9-11,14-16 * * *', 'Every 15 minutes from 09:00 to 11:59 and from 14:00 to 16:59'],
  ['*/10 */2 * * *', 'Every 10 minutes in every 2nd hour from 00:00 to 22:59'],
  ['*/20 */5 * * *', 'Every 20 minutes in hours 0, 5, 10, 15 and 20'],
  ['5-10 1,3 * * *', 'At minutes 5 to 10 of hours 1 and 3'],
  ['*/5 0-2,20-23 * * *', 'Every 5 minutes from 00:00 to 02:59 and from 20:00 to 23:59'],
  ['* 9 * * *', 'Every minute from 09:00 to 09:59'],
  ['1-5 * * * *', 'At minutes 1 to 5 of every hour'],
  ['* * * * * *', 'Every second'],
  ['*/10 * * * * *', 'Every 10 seconds'],
  ['30 * * * * *', 'At second 30 of every minute'],
  ['15,45 * * * * *', 'At seconds 15 and 45 of every minute'],
  ['*/10 9-17 * * * *', 'Every 10 seconds of minutes 9 to 17 of every hour'],
  ['*/7 * * * * *', 'At every 7th second from 0 to 56 of every minute'],
  ['* */10 9-17 * * *', 'Every second of minutes 0, 10, 20, 30, 40 and 50 of every hour from 09:00 to 17:59'],
  ['0,30 5 * * * *', 'Every 30 seconds of minute 5 of every hour'],
  ['* 5 9 * * *', 'Every second of minute 5 of hour 9'],
  ['30 0 9 * * *', 'At 09:00:30 every day'],
  ['*/30 */5 * * * *', 'Every 30 seconds of every 5th minute from 0 to 55 of every hour'],
  ['0 0 * * *', 'At 00:00 every day'],
  ['0 0 */1 * *', 'At 00:00 every day'],
  ['0 0 1-31 * *', 'At 00:00 every day'],
  ['0 0 */31 * *', 'At 00:00 on day 1 of the month'],
  ['0 0 */2 * *', 'At 00:00 on every 2nd day from 1 to 31 of the month'],
  ['0 0 */5 * *', 'At 00:00 on every 5th day from 1 to 31 of the month'],
  ['0 0 */10 * *', 'At 00:00 on days 1, 11, 21 and 31 of the month'],
  ['0 0 1,15 * *', 'At 00:00 on days 1 and 15 of the month'],
  ['0 0 1-7 * *', 'At 00:00 on days 1 to 7 of the month'],
  ['0 0 1-3,5,20-31 * *', 'At 00:00 on days 1 to 3, 5 and 20 to 31 of the month'],
  ['0 0 L * *', 'At 00:00 on the last day of the month'],
  ['0 0 L-1 * *', 'At 00:00 on the day before the last day of the month'],
  ['0 0 L-3 * *', 'At 00:00 on the 3rd day before the last day of the month'],
  ['0 0 LW * *', 'At 00:00 on the last weekday (Monday to Friday) of the month'],
  ['0 0 15W * *', 'At 00:00 on the weekday (Monday to Friday) nearest to day 15 of the month'],
  ['0 0 1,L * *', 'At 00:00 on day 1 of the month and the last day of the month'],
  ['0 0 * * 0', 'At 00:00 on Sundays'],
  ['0 0 * * 7', 'At 00:00 on Sundays'],
  ['0 0 * * SUN-SAT', 'At 00:00 every day'],
  ['0 0 * * 0-7', 'At 00:00 every day'],
  ['0 0 * * 0-6', 'At 00:00 every day'],
  ['0 0 * * 7-7', 'At 00:00 on Sundays'],
  ['0 0 * * MON-FRI', 'At 00:00 on Mondays to Fridays'],
  ['0 0 * * 1,2,3,4,5', 'At 00:00 on Mondays to Fridays'],
  ['0 0 * * MON,WED,FRI', 'At 00:00 on Mondays, Wednesdays and Fridays'],
  ['0 0 * * SAT-SUN', 'At 00:00 on Saturdays and Sundays'],
  ['0 0 * * 6,0', 'At 00:00 on Saturdays and Sundays'],
  ['0 0 * * FRI-MON', 'At 00:00 on Fridays to Mondays'],
  ['0 0 * * */2', 'At 00:00 on Tuesdays, Thursdays, Saturdays and Sundays'],
  ['0 0 * * 1-6', 'At 00:00 on Mondays to Saturdays'],
  ['0 0 * * 1-3,5', 'At 00:00 on Mondays to Wednesdays and Fridays'],
  ['0 0 * * FRI#2', 'At 00:00 on the second Friday of the month'],
  ['0 0 * * 5L', 'At 00:00 on the last Friday of the month'],
  ['0 0 * * MON,FRI#2', 'At 00:00 on Mondays and the second Friday of the month'],
  ['0 0 13 * FRI', 'At 00:00 on day 13 of the month and also on Fridays'],
  ['0 0 13 * 0-6', 'At 00:00 every day'],
  ['0 0 1-31 * FRI', 'At 00:00 every day'],
  ['0 0 L * MON-FRI', 'At 00:00 on the last day of the month and also on Mondays to Fridays'],
  ['0 0 1 JAN *', 'At 00:00 on day 1 of January'],
  ['0 0 1 */3 *', 'At 00:00 on day 1 of January, April, July and October'],
  ['0 0 1 */12 *', 'At 00:00 on day 1 of January'],
  ['0 0 1 */1 *', 'At 00:00 on day 1 of the month'],
  ['0 0 1 1-12 *', 'At 00:00 on day 1 of the month'],
  ['0 0 1 */2 *', 'At 00:00 on day 1 of January, March, May, July, September and November'],
  ['0 0 1 */5 *', 'At 00:00 on day 1 of January, June and November'],
  ['0 0 * */6 *', 'At 00:00 every day in January and July'],
  ['0 0 * JUN-AUG *', 'At 00:00 every day from June to August'],
  ['0 0 1 JUN-AUG *', 'At 00:00 on day 1 of the month from June to August'],
  ['0 0 1 1-3,7 *', 'At 00:00 on day 1 of the month in January to March and July'],
  ['0 0 1,15 1,7 *', 'At 00:00 on days 1 and 15 of January and July'],
  ['0 0 L 2 *', 'At 00:00 on the last day of February'],
  ['0 0 * 5 SUN#2', 'At 00:00 on the second Sunday of May'],
  ['0 0 13 10 FRI', 'At 00:00 on day 13 of October and also on Fridays in October'],
  ['0 9 * DEC MON-FRI', 'At 09:00 on Mondays to Fridays in December'],
  ['*/5 * * 12 *', 'Every 5 minutes in December'],
  ['30 * 24 12 *', 'At minute 30 of every hour on day 24 of December'],
  ['0 9 * 1 *', 'At 09:00 every day in January'],
  ['0 0 30 2 *', 'At 00:00 on day 30 of February'],
  ['0 0 9 * * * 2027', 'At 09:00 every day in 2027'],
  ['0 0 9 1 1 * 2027-2029', 'At 09:00 on day 1 of January from 2027 to 2029'],
  ['0 0 9 1 1 * 2027/10', 'At 09:00 on day 1 of January in every 10th year from 2027 to 2197'],
  ['0 0 9 1 1 * 2027,2029', 'At 09:00 on day 1 of January in 2027 and 2029'],
  ['0 0 0 1 1 ? 2028/4', 'At 00:00 on day 1 of January in every 4th year from 2028 to 2196'],
  ['@yearly', 'At 00:00 on day 1 of January'],
  ['@monthly', 'At 00:00 on day 1 of the month'],
  ['@weekly', 'At 00:00 on Sundays'],
  ['@daily', 'At 00:00 every day'],
  ['@hourly', 'Every hour'],
  [
    'cron(0/30 20-2 ? * MON-FRI *)',
    'Every 30 minutes from 00:00 to 02:59 and from 20:00 to 23:59 on Mondays to Fridays',
  ],
  ['cron(0/5 8-17 ? * MON-FRI *)', 'Every 5 minutes from 08:00 to 17:59 on Mondays to Fridays'],
  ['cron(0 12 ? * L *)', 'At 12:00 on Saturdays'],
  ['cron(15 10 ? * 6L 2019-2022)', 'At 10:15 on the last Friday of the month from 2019 to 2022'],
  ['cron(0 8 1 * ? *)', 'At 08:00 on day 1 of the month'],
  ['cron(0 18 ? * 3#2 *)', 'At 18:00 on the second Tuesday of the month'],
  ['0 0 29 2 *', 'At 00:00 on day 29 of February'],
  ['0 0 31 * *', 'At 00:00 on day 31 of the month'],
  ['59 23 L 12 *', 'At 23:59 on the last day of December'],
  ['0 0 1-7 * 1', 'At 00:00 on days 1 to 7 of the month and also on Mondays'],
  ['0 8-20/4 * * *', 'At 08:00, 12:00, 16:00 and 20:00 every day'],
  ['0 8-20/2 * * *', 'Every 2 hours from 08:00 to 20:00'],
  ['*/15 8-18/2 * * *', 'Every 15 minutes in hours 8, 10, 12, 14, 16 and 18'],
];

describe('cron', () => {
  test.each(PATTERNS)('%s: %s', (cron, sentence) => {
    expect(emailText({ cron })).toBe(`${sentence}, UTC`);
    expect(emailText({ cron, timezone: 'Europe/Paris' })).toBe(`${sentence}, Europe/Paris time`);
  });

  test('the table is long, and no pattern is in it twice', () => {
    expect(PATTERNS.length).toBeGreaterThanOrEqual(80);
    expect(new Set(PATTERNS.map(([cron]) => cron)).size).toBe(PATTERNS.length);
  });

  test('no sentence says a range that is no restriction, or a step whose values could be listed', () => {
    const sentences = PATTERNS.map(([, sentence]) => sentence).join('\n');
    expect(sentences).not.toMatch(/Sundays? to (Sun|Satur)day|days 1 to 31|January to December|every 1st/);
    expect(sentences).not.toMatch(/every (9|[1-9]\d)th (day|month)/);
  });
});

const COUNTED = 'counted from 2026-12-01T10:00:00.000Z';

test.each<[ScheduleInput | undefined, string]>([
  [undefined, 'Once, at 2026-12-01T10:00:00.000Z'],
  [{ in: 'PT90S' }, 'Once, at 2026-12-01T10:01:30.000Z (PT90S after it was created)'],
  [
    { at: '2027-01-01T09:00', timezone: 'Europe/Paris' },
    'Once, at 2027-01-01T09:00+01:00, Europe/Paris time',
  ],
  [{ every: 'PT1S' }, `Every second, ${COUNTED}`],
  [{ every: 'PT1H' }, `Every hour, ${COUNTED}`],
  [{ every: 'PT1.5S' }, `Every 1.5 seconds, ${COUNTED}`],
  [{ every: 'PT90S' }, `Every 1 minute and 30 seconds, ${COUNTED}`],
  [{ every: 'P1D' }, `Every 24 hours, ${COUNTED}`],
  [{ every: 'P2D' }, `Every 48 hours, ${COUNTED}`],
  [{ every: 'P1W' }, `Every 7 days of 24 hours, ${COUNTED}`],
  [{ every: 'P30D' }, `Every 30 days of 24 hours, ${COUNTED}`],
  [{ cron: 'rate(1 day)' }, `Every 24 hours, ${COUNTED}`],
  [{ cron: 'rate(5 minutes)' }, `Every 5 minutes, ${COUNTED}`],
  [
    { every: 'P1DT12H', startAt: '2027-01-01T00:00:00Z', endAt: '2027-06-01T00:00:00Z', jitterSeconds: 1 },
    'Every 36 hours, counted from 2027-01-01T00:00:00Z, until 2027-06-01T00:00:00Z, each run delayed by up to 1 second',
  ],
  [
    { cron: '@daily', startAt: '2027-01-01T00:00:00Z', endAt: '2027-06-01T00:00:00Z', jitterSeconds: 30 },
    'At 00:00 every day, UTC, from 2027-01-01T00:00:00Z, until 2027-06-01T00:00:00Z, each run delayed by up to 30 seconds',
  ],
  [
    { calendar: { date: 13, daysOfWeek: ['FRI'], hour: [9, 10], minute: 30, month: [1, 2] } },
    'At 09:30 and 10:30 on day 13 of January and February if it is a Friday, UTC',
  ],
  [
    { calendar: { date: [1, 2, 3], daysOfWeek: [1, 2, 3] } },
    'At 00:00 on days 1 to 3 of the month if it is a Monday, Tuesday or Wednesday, UTC',
  ],
  [{ calendar: { daysOfWeek: [0, 1, 2, 3, 4, 5, 6, 7], hour: 9 } }, 'At 09:00 every day, UTC'],
  [{ calendar: { date: 1, daysOfWeek: [0, 1, 2, 3, 4, 5, 6] } }, 'At 00:00 on day 1 of the month, UTC'],
  [{ calendar: { minute: 30 } }, 'At minute 30 of every hour, UTC'],
  [{ calendar: { year: 2027 } }, 'At 00:00 every day in 2027, UTC'],
  [
    { calendar: { year: [2027, 2028], month: 1, daysOfWeek: 1 } },
    'At 00:00 on Mondays in January in 2027 and 2028, UTC',
  ],
])('%j: %s', (input, sentence) => {
  expect(emailText(input)).toBe(sentence);
});
