// The cron dialect: what is understood, how, and what is refused with which words.
import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../../src/domain/errors.ts';
import { occurrencesAfter } from '../../../src/domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';

const NOW = Date.parse('2027-01-01T00:00:00Z');

function due(cron: string, count: number, after = NOW): string[] {
  const found: string[] = [];
  for (const at of occurrencesAfter(resolveSchedule({ cron }, NOW), after)) {
    found.push(new Date(at).toISOString().replace('.000Z', ''));
    if (found.length === count) break;
  }
  return found;
}

const dates = (cron: string, count: number): string[] =>
  due(cron, count, NOW - 1).map((at) => at.slice(0, 10));

function refusal(cron: string): string {
  try {
    resolveSchedule({ cron }, NOW);
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('fields', () => {
  test('five fields run at second 0', () => {
    expect(due('5 4 * * *', 2)).toEqual(['2027-01-01T04:05:00', '2027-01-02T04:05:00']);
  });
  test('six fields begin with seconds', () => {
    expect(due('10,40 * * * * *', 3)).toEqual([
      '2027-01-01T00:00:10',
      '2027-01-01T00:00:40',
      '2027-01-01T00:01:10',
    ]);
  });
  test('seven fields end with the year, and are over after it', () => {
    expect(due('0 0 12 1 JAN,JUL * 2027', 5)).toEqual(['2027-01-01T12:00:00', '2027-07-01T12:00:00']);
    expect(due('0 0 0 1 1 * 2027/10', 3)).toEqual([
      '2037-01-01T00:00:00',
      '2047-01-01T00:00:00',
      '2057-01-01T00:00:00',
    ]);
  });
  test('names of months and weekdays are read in any case', () => {
    expect(due('0 0 1 feb Mon', 2)).toEqual(due('0 0 1 2 1', 2));
    expect(due('0 0 * mar-MAY sun', 4)).toEqual(due('0 0 * 3-5 0', 4));
  });
  test('0 and 7 are both Sunday, and weekday ranges may go round the week', () => {
    expect(dates('0 0 * * 7', 2)).toEqual(['2027-01-03', '2027-01-10']);
    expect(dates('0 0 * * 5-7', 4)).toEqual(['2027-01-01', '2027-01-02', '2027-01-03', '2027-01-08']);
    expect(dates('0 0 * * FRI-MON', 5)).toEqual([
      '2027-01-01',
      '2027-01-02',
      '2027-01-03',
      '2027-01-04',
      '2027-01-08',
    ]);
    expect(dates('0 0 * * SAT-SUN', 3)).toEqual(['2027-01-02', '2027-01-03', '2027-01-09']);
  });
  test('a step may follow *, a range or a first value', () => {
    expect(due('*/25 * * * *', 3)).toEqual([
      '2027-01-01T00:25:00',
      '2027-01-01T00:50:00',
      '2027-01-01T01:00:00',
    ]);
    expect(due('10-30/10 3 * * *', 3)).toEqual([
      '2027-01-01T03:10:00',
      '2027-01-01T03:20:00',
      '2027-01-01T03:30:00',
    ]);
    expect(due('50/5 3 * * *', 3)).toEqual([
      '2027-01-01T03:50:00',
      '2027-01-01T03:55:00',
      '2027-01-02T03:50:00',
    ]);
  });
  test('? is "any" in the day fields', () => {
    expect(due('0 12 ? * MON', 2)).toEqual(due('0 12 * * MON', 2));
    expect(due('0 12 15 * ?', 2)).toEqual(due('0 12 15 * *', 2));
  });
  test('day of month and day of week, both given, run on either', () => {
    expect(dates('0 0 13 * FRI', 4)).toEqual(['2027-01-01', '2027-01-08', '2027-01-13', '2027-01-15']);
  });
  test('*/1 is * in every field: it restricts no day', () => {
    expect(dates('0 0 */1 * FRI', 3)).toEqual(['2027-01-01', '2027-01-08', '2027-01-15']);
    expect(dates('0 0 13 * */1', 3)).toEqual(['2027-01-13', '2027-02-13', '2027-03-13']);
    expect(dates('0 0 */1,5 * FRI', 3)).toEqual(['2027-01-01', '2027-01-08', '2027-01-15']);
    expect(due('*/1 */1 */1 */1 */1', 2)).toEqual(due('* * * * *', 2));
  });
  test.each([
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@monthly', '0 0 1 * *'],
    ['@weekly', '0 0 * * 0'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@Hourly', '0 * * * *'],
  ])('%s is %s', (nickname, pattern) => {
    expect(due(nickname, 5)).toEqual(due(pattern, 5));
  });
});

describe('days that are counted', () => {
  test.each([
    ['the last day of the month', '0 0 L * *', ['2027-01-31', '2027-02-28', '2027-03-31']],
    ['three days before the last day', '0 0 L-3 * *', ['2027-01-28', '2027-02-25', '2027-03-28']],
    ['the same in February of leap years', '0 0 L-3 2 *', ['2027-02-25', '2028-02-26', '2029-02-25']],
    ['the day before the last, and the last', '0 0 L-1,L * *', ['2027-01-30', '2027-01-31', '2027-02-27']],
    [
      '30 days before the last day, in long months',
      '0 0 L-30 * *',
      ['2027-01-01', '2027-03-01', '2027-05-01'],
    ],
    ['29 February', '0 0 29 2 *', ['2028-02-29', '2032-02-29', '2036-02-29']],
    ['the last day of February in leap years too', '0 0 L 2 *', ['2027-02-28', '2028-02-29', '2029-02-28']],
    ['the last weekday of the month', '0 0 LW * *', ['2027-01-29', '2027-02-26', '2027-03-31']],
    ['the 15th, or the weekday nearest to it', '0 0 15W * *', ['2027-01-15', '2027-02-15', '2027-03-15']],
    ['15W when the 15th is a Saturday: Friday', '0 0 15W 5 *', ['2027-05-14', '2028-05-15', '2029-05-15']],
    ['15W when the 15th is a Sunday: Monday', '0 0 15W 8 *', ['2027-08-16', '2028-08-15', '2029-08-15']],
    [
      '1W does not leave the month: Saturday 1 May gives Monday',
      '0 0 1W 5 *',
      ['2027-05-03', '2028-05-01', '2029-05-01'],
    ],
    [
      '31W does not leave the month: Sunday 31 October gives Friday',
      '0 0 31W 10 *',
      ['2027-10-29', '2028-10-31', '2029-10-31'],
    ],
    ['31W runs only in months with 31 days', '0 0 31W * *', ['2027-01-29', '2027-03-31', '2027-05-31']],
    ['the second Tuesday', '0 0 * * TUE#2', ['2027-01-12', '2027-02-09', '2027-03-09']],
    ['the fifth Friday, in months that have one', '0 0 * * 5#5', ['2027-01-29', '2027-04-30', '2027-07-30']],
    ['the last Friday', '0 0 * * 5L', ['2027-01-29', '2027-02-26', '2027-03-26']],
    ['the last Friday by name', '0 0 * * FRIL', ['2027-01-29', '2027-02-26', '2027-03-26']],
    ['the last Friday as croner writes it', '0 0 * * FRI#L', ['2027-01-29', '2027-02-26', '2027-03-26']],
    ['several at once', '0 0 1W,L * *', ['2027-01-01', '2027-01-31', '2027-02-01']],
  ])('%s: %s', (_, cron, expected) => {
    expect(dates(cron, 3)).toEqual(expected);
  });
});

describe("AWS's own forms", () => {
  test('cron(…) has no seconds, a year, and counts Sunday as 1', () => {
    expect(dates('cron(0 12 ? * 1 *)', 2)).toEqual(['2027-01-03', '2027-01-10']);
    expect(dates('cron(0 12 ? * 2-6 2027)', 3)).toEqual(['2027-01-01', '2027-01-04', '2027-01-05']);
    expect(dates('cron(0 12 ? * 7 *)', 2)).toEqual(dates('cron(0 12 ? * SAT *)', 2));
    expect(dates('cron(0 12 ? * L *)', 2)).toEqual(dates('0 12 * * SAT', 2));
    expect(dates('cron(0 12 ? * 6L *)', 2)).toEqual(dates('0 12 * * 5L', 2));
    expect(dates('cron(0 12 ? * 3#1 *)', 2)).toEqual(dates('0 12 * * TUE#1', 2));
  });
  test('cron(…) takes steps, L and W', () => {
    expect(due('cron(0/20 8 L * ? *)', 3)).toEqual([
      '2027-01-31T08:00:00',
      '2027-01-31T08:20:00',
      '2027-01-31T08:40:00',
    ]);
    expect(dates('cron(0 8 3W * ? *)', 2)).toEqual(['2027-01-04', '2027-02-03']);
  });
  test('cron(…) wants ? in exactly one of the day fields', () => {
    expect(refusal('cron(0 12 * * * *)')).toContain('exactly one of day of month and day of week must be ?');
    expect(refusal('cron(0 12 ? * ? *)')).toContain('exactly one of day of month and day of week must be ?');
    expect(refusal('cron(0 12 1 * MON *)')).toContain(
      'exactly one of day of month and day of week must be ?',
    );
    expect(refusal('cron(0 12 * * ?)')).toContain('5 fields');
    expect(refusal('cron(0 12 ? * 0 *)')).toContain('1-7 or SUN-SAT');
  });
  test('hours may go round midnight, each on a day that matches', () => {
    const friday = due('cron(0/30 20-2 ? * MON-FRI *)', 30, Date.parse('2027-01-01T00:00:00Z') - 1);
    expect(friday.slice(0, 7)).toEqual([
      '2027-01-01T00:00:00',
      '2027-01-01T00:30:00',
      '2027-01-01T01:00:00',
      '2027-01-01T01:30:00',
      '2027-01-01T02:00:00',
      '2027-01-01T02:30:00',
      '2027-01-01T20:00:00',
    ]);
    // Friday's evening ends at midnight: Saturday is not in MON-FRI, and Monday begins at 00:00
    expect(friday.slice(13, 15)).toEqual(['2027-01-01T23:30:00', '2027-01-04T00:00:00']);
    expect(due('cron(0 20-2/2 * * ? *)', 5)).toEqual(due('0 0,2,20,22 * * *', 5));
    expect(due('cron(0 23-0 * * ? *)', 3)).toEqual(due('0 0,23 * * *', 3));
    expect(refusal('0 20-2 * * *')).toContain('write 20-23,0-2');
    expect(refusal('cron(30-10 2 * * ? *)')).toContain('write 30-59,0-10');
  });
  test('one # is the only day of week', () => {
    expect(refusal('cron(0 12 ? * 3#1,6#3 *)')).toContain('a day of week with # must be the only one');
    expect(refusal('cron(0 12 ? * MON,3#1 *)')).toContain('a day of week with # must be the only one');
    expect(dates('0 12 * * MON,5#1', 2)).toEqual(['2027-01-01', '2027-01-04']);
  });
  test('a space before the parenthesis, and case, make no difference', () => {
    expect(due('cron (0 12 ? * 2 *)', 2)).toEqual(due('cron(0 12 ? * 2 *)', 2));
    expect(due(' CRON(0 12 ? * 2 *) ', 2)).toEqual(due('cron(0 12 ? * 2 *)', 2));
    expect(due('rate (5 minutes)', 2)).toEqual(due('rate(5 minutes)', 2));
    expect(due('at (2027-03-01T10:00:00)', 1)).toEqual(due('at(2027-03-01T10:00:00)', 1));
  });
  test('rate(…) is singular after 1 and plural after more', () => {
    for (const unit of ['minute', 'hour', 'day']) {
      expect(refusal(`rate(1 ${unit})`)).toBe('accepted');
      expect(refusal(`rate(10 ${unit}s)`)).toBe('accepted');
      expect(refusal(`rate(1 ${unit}s)`)).toContain('after 1 the unit is singular, after more it is plural');
      expect(refusal(`rate(10 ${unit})`)).toContain('after 1 the unit is singular, after more it is plural');
    }
  });
  test('rate(…) is a fixed rate from its creation', () => {
    expect(resolveSchedule({ cron: 'rate(5 minutes)' }, NOW)).toEqual({
      every: 'PT5M',
      startAt: '2027-01-01T00:00:00.000Z',
    });
    expect(due('rate(1 hour)', 2)).toEqual(['2027-01-01T01:00:00', '2027-01-01T02:00:00']);
    expect(due('rate(2 days)', 2)).toEqual(['2027-01-03T00:00:00', '2027-01-05T00:00:00']);
    expect(refusal('rate(5 seconds)')).toContain('rate(5 minutes)');
    expect(refusal('rate(0 minutes)')).toContain('is not a rate');
  });
  test('at(…) is one time, in the timezone given or UTC', () => {
    expect(due('at(2027-03-01T10:00:00)', 2)).toEqual(['2027-03-01T10:00:00']);
    expect(resolveSchedule({ cron: 'at(2027-03-01T10:00:00)', timezone: 'Europe/Paris' }, NOW)).toEqual({
      at: '2027-03-01T10:00:00+01:00',
      timezone: 'Europe/Paris',
    });
    expect(refusal('at(2027-02-30T10:00:00)')).toContain('schedule.cron');
    expect(refusal('at(tomorrow)')).toContain('at(yyyy-mm-ddThh:mm:ss)');
  });
});

describe('refused', () => {
  test.each([
    ['61 * * * *', 'the minute "61" is not valid; allowed are 0-59'],
    ['* 24 * * *', 'the hour "24" is not valid; allowed are 0-23'],
    ['0 0 0 * *', 'the day of month "0" is not valid; allowed are 1-31'],
    ['0 0 32 * *', 'the day of month "32"'],
    ['0 0 * 13 *', 'the month "13" is not valid; allowed are 1-12 or JAN-DEC'],
    ['0 0 * * 8', 'the day of week "8" is not valid; allowed are 0-7 or SUN-SAT'],
    ['0 0 * * MO', 'the day of week "MO"'],
    ['0 0 0 * * * 1969', 'the year "1969" is not valid; allowed are 1970-2199'],
    ['0 0 0 * * * 2200', 'the year "2200"'],
    ['60 0 0 * * *', 'the second "60"'],
    ['30-10 * * * *', 'the range ends before it starts, write 30-59,0-10'],
    ['*/0 * * * *', 'the step after / is a number from 1 to 60'],
    ['*/61 * * * *', 'the step after / is a number from 1 to 60'],
    ['*/ * * * *', 'the step after /'],
    ['1- * * * *', 'a range has the form from-to'],
    ['1-2-3 * * * *', 'a range has the form from-to'],
    ['1,,2 * * * *', 'a value is missing'],
    [', * * * *', 'a value is missing'],
    ['? * * * *', 'in the two day fields only'],
    ['1.5 * * * *', 'the minute "1.5"'],
    ['-1 * * * *', 'the minute "-1"'],
    ['1e1 * * * *', 'the minute "1E1"'],
    ['0 0 L-0 * *', 'the day of month "L-0" is not valid: the number after L- is from 1 to 30'],
    ['0 0 L-31 * *', 'the day of month "L-31" is not valid: the number after L- is from 1 to 30'],
    ['0 0 L- * *', 'the number after L- is from 1 to 30'],
    ['0 0 L-3W * *', 'the number after L- is from 1 to 30'],
    ['0 0 * * L-3', 'the day of week "L-3"'],
    ['0 0 32W * *', 'the day of month "32W"'],
    ['0 0 * * FRI#6', 'the number after # is from 1 to 5'],
    ['0 0 * * L', 'the day of week "L"'],
    ['0 0 15W * 1W', 'the day of week "1W"'],
    ['H * * * *', 'the minute "H"'],
    ['* * *', '3 fields'],
    ['', '0 fields'],
    ['* * * * * * * *', '8 fields'],
    ['@reboot', 'is not one of @yearly'],
    ['every day', '2 fields'],
  ])('%s: %s', (cron, message) => {
    expect(refusal(cron)).toContain('schedule.cron: ');
    expect(refusal(cron)).toContain(message);
  });

  test('a pattern of more than 256 characters, without reading it', () => {
    expect(refusal(`${'0,'.repeat(100_000)}0 * * * *`)).toContain('256');
  });
});

describe('sparse and hostile patterns answer at once', () => {
  test.each([
    ['30 February', '0 0 30 2 *', undefined],
    ['29 February or the fifth Monday of February', '0 0 29 2 MON#5', '2028-02-29T00:00:00'],
    ['a year that is over', '* * * * * * 1999', undefined],
    ['the last year there is', '0 0 0 1 1 * 2199', '2199-01-01T00:00:00'],
    ['31 November of one year', '0 0 0 31 11 * 2100', undefined],
    ['the fifth Monday of February', '0 0 * 2 MON#5', '2044-02-29T00:00:00'],
    ['every second of a leap day at the end of time', '* * * 29 2 * 2196', '2196-02-29T00:00:00'],
    [
      'the longest list',
      `${Array.from({ length: 60 }, (_, i) => i).join(',')} 0 29 2 *`,
      '2028-02-29T00:00:00',
    ],
  ])('%s: %s', (_, cron, expected) => {
    for (const timezone of ['UTC', 'Europe/Paris', 'Australia/Lord_Howe']) {
      const schedule = resolveSchedule({ cron, timezone }, NOW);
      const started = performance.now();
      const [first] = occurrencesAfter(schedule, NOW);
      expect(performance.now() - started).toBeLessThan(250);
      if (timezone === 'UTC') expect(first && new Date(first).toISOString().slice(0, 19)).toBe(expected);
      else expect(first === undefined).toBe(expected === undefined);
    }
  });
});
