// A schedule as given becomes one that means the same for ever; what is wrong is refused with a sentence.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { InvalidInput } from '../../../src/domain/errors.ts';
import { nextOccurrence } from '../../../src/domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import { type ScheduleInput, scheduleSchema } from '../../../src/domain/schedule/schedule-schema.ts';

const NOW = Date.parse('2026-12-01T10:00:00.123Z');

const resolve = (input: unknown) => resolveSchedule(input as ScheduleInput | undefined, NOW);

function refusal(input: unknown): string {
  try {
    resolve(input);
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('resolved', () => {
  test.each<[string, unknown, unknown]>([
    ['none: now', undefined, { at: '2026-12-01T10:00:00.123Z' }],
    ['at with Z stays as given', { at: '2026-12-24T10:00:00Z' }, { at: '2026-12-24T10:00:00Z' }],
    [
      'at with an offset stays as given',
      { at: '2026-12-24T10:00:00+01:00' },
      { at: '2026-12-24T10:00:00+01:00' },
    ],
    [
      'at in local time gets its offset',
      { at: '2026-12-24T10:00:00', timezone: 'Europe/Paris' },
      { at: '2026-12-24T10:00:00+01:00', timezone: 'Europe/Paris' },
    ],
    [
      'at in a local time that happens twice is the first',
      { at: '2025-11-02T01:30', timezone: 'America/New_York' },
      { at: '2025-11-02T01:30-04:00', timezone: 'America/New_York' },
    ],
    [
      'in keeps what was said and when that is',
      { in: 'PT90S' },
      { in: 'PT90S', at: '2026-12-01T10:01:30.123Z' },
    ],
    [
      'every is anchored at its creation',
      { every: 'PT30S' },
      { every: 'PT30S', startAt: '2026-12-01T10:00:00.123Z' },
    ],
    [
      'every keeps its own anchor',
      { every: 'P1D', startAt: '2026-12-24T10:00:00', timezone: 'Asia/Kolkata', jitterSeconds: 5 },
      { every: 'P1D', startAt: '2026-12-24T10:00:00+05:30', timezone: 'Asia/Kolkata', jitterSeconds: 5 },
    ],
    [
      'cron is in UTC unless it says otherwise',
      { cron: '0 9 * * *' },
      { cron: '0 9 * * *', timezone: 'UTC' },
    ],
    [
      'calendar is in UTC unless it says otherwise',
      { calendar: { hour: 9 }, dst: { gap: 'skip' } },
      { calendar: { hour: 9 }, timezone: 'UTC', dst: { gap: 'skip' } },
    ],
    [
      'startAt and endAt in local time get their offset',
      { cron: '@daily', timezone: 'Europe/Paris', startAt: '2027-07-01T00:00', endAt: '2027-12-01T00:00' },
      {
        cron: '@daily',
        timezone: 'Europe/Paris',
        startAt: '2027-07-01T00:00+02:00',
        endAt: '2027-12-01T00:00+01:00',
      },
    ],
  ])('%s', (_, input, expected) => {
    expect(resolve(input)).toEqual(expected);
  });

  test('twice is the same as once, for all that a client may send back', () => {
    const inputs: ScheduleInput[] = [
      { at: '2026-12-24T10:00:00', timezone: 'Europe/Paris' },
      { every: 'PT30S' },
      { cron: 'rate(3 hours)', jitterSeconds: 60 },
      { cron: 'at(2027-01-01T00:00:00)' },
      { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris', startAt: '2027-01-01T00:00' },
      { calendar: { date: 'L', daysOfWeek: ['MON', 'tuesday', 7] } },
    ];
    for (const input of inputs) {
      const once = resolve(input);
      expect(resolveSchedule(once as ScheduleInput, NOW + 1e9)).toEqual(once);
    }
  });

  test('what never fires, or is over, is well formed all the same', () => {
    expect(nextOccurrence(resolve({ cron: '0 0 30 2 *' }), NOW)).toBeUndefined();
    expect(nextOccurrence(resolve({ at: '2020-01-01T00:00:00Z' }), NOW)).toBeUndefined();
    expect(nextOccurrence(resolve({ every: 'PT1H', endAt: '2020-01-01T00:00:00Z' }), NOW)).toBeUndefined();
  });
});

describe('refused', () => {
  test.each<[string, unknown, string]>([
    ['no kind', {}, 'schedule: a schedule must have exactly one of at, in, cron, every, calendar; got none'],
    ['two kinds', { cron: '@daily', every: 'PT1H' }, 'got cron and every'],
    ['an unknown field', { cron: '@daily', tz: 'UTC' }, 'tz'],
    ['something that is not an object', '0 9 * * *', 'schedule: '],
    ['null', null, 'schedule: '],
    ['dst beside every', { every: 'PT1H', dst: { gap: 'skip' } }, 'schedule.dst: dst does not apply'],
    [
      'startAt beside at',
      { at: '2027-01-01T00:00:00Z', startAt: '2027-01-01T00:00:00Z' },
      'schedule.startAt: ',
    ],
    ['jitter beside in', { in: 'PT1S', jitterSeconds: 5 }, 'schedule.jitterSeconds: '],
    ['too much jitter', { cron: '@daily', jitterSeconds: 3601 }, 'schedule.jitterSeconds: '],
    ['negative jitter', { cron: '@daily', jitterSeconds: -1 }, 'schedule.jitterSeconds: '],
    [
      'an unknown timezone',
      { cron: '@daily', timezone: 'Europe/Pari' },
      'schedule.timezone: "Europe/Pari" is not an IANA timezone',
    ],
    ['an empty timezone', { cron: '@daily', timezone: '' }, 'schedule.timezone: "" is not'],
    ['30 February', { at: '2027-02-30T10:00:00Z' }, 'schedule.at: "2027-02-30T10:00:00Z" does not exist'],
    ['29 February of a year without one', { at: '2027-02-29T10:00:00Z' }, 'does not exist'],
    ['hour 24', { at: '2027-02-28T24:00:00Z' }, 'does not exist'],
    ['second 60', { at: '2027-02-28T23:59:60Z' }, 'does not exist'],
    ['a date without time', { at: '2027-02-28' }, 'is not an ISO 8601 time'],
    ['a time in words', { at: 'tomorrow' }, 'is not an ISO 8601 time such as 2026-12-01T10:00:00Z'],
    [
      'local time without timezone',
      { at: '2027-02-28T10:00:00' },
      'schedule.at: "2027-02-28T10:00:00" has no offset',
    ],
    ['an offset that no place has', { at: '2027-02-28T10:00:00+25:00' }, 'the offset +25:00'],
    [
      'local time inside a gap',
      { at: '2025-03-30T02:30', timezone: 'Europe/Paris' },
      'schedule.at: "2025-03-30T02:30" does not exist in Europe/Paris',
    ],
    [
      'a day that was left out',
      { at: '2011-12-30T12:00', timezone: 'Pacific/Apia' },
      'does not exist in Pacific/Apia',
    ],
    ['a time too far away', { at: '9999-12-31T00:00:00Z' }, 'the year must be from 1970 to 2199'],
    [
      'endAt before startAt',
      { cron: '@daily', startAt: '2027-02-01T00:00:00Z', endAt: '2027-01-01T00:00:00Z' },
      'schedule.endAt: "2027-01-01T00:00:00Z" is before startAt',
    ],
    [
      'a rate below a second',
      { every: 'PT0.999S' },
      'schedule.every: "PT0.999S" is too short: the shortest is PT1S',
    ],
    ['a rate of nothing', { every: 'PT0S' }, 'too short'],
    ['a rate of months', { every: 'P1M' }, 'schedule.every: the duration "P1M" has years or months'],
    ['a delay of years', { in: 'P1Y' }, 'schedule.in: the duration "P1Y" has years or months'],
    ['a delay into the year 2200', { in: 'P70000D' }, 'longer than 100 years'],
    ['a bare number', { every: '30' }, 'is not an ISO 8601 duration such as PT90S'],
    ['an empty duration', { every: 'PT' }, 'is not an ISO 8601 duration'],
    ['a negative duration', { in: '-PT5S' }, 'is not an ISO 8601 duration'],
    ['an empty calendar', { calendar: {} }, 'schedule.calendar: must have at least one of'],
    ['hour 25 of a calendar', { calendar: { hour: 25 } }, 'schedule.calendar.hour: '],
    [
      'no such weekday in a calendar',
      { calendar: { daysOfWeek: ['MOONDAY'] } },
      'schedule.calendar.daysOfWeek',
    ],
    ['dst with an unknown word', { cron: '@daily', dst: { gap: 'before' } }, 'schedule.dst.gap: '],
    ['dst beside a rate', { cron: 'rate(1 hour)', dst: { gap: 'skip' } }, 'schedule.dst: '],
    [
      'endAt beside at(…)',
      { cron: 'at(2027-01-01T00:00:00)', endAt: '2028-01-01T00:00:00Z' },
      'schedule.endAt: ',
    ],
  ])('%s', (_, input, message) => {
    expect(refusal(input)).toContain(message);
  });

  test('any text in any field gives a schedule or a sentence, never another error', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[-0-9TZPHMS:+*/,?LW#@() ]{0,40}$/),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('at', 'in', 'cron', 'every', 'timezone', 'startAt', 'endAt'),
        text,
        fc.constantFrom(undefined, 'Europe/Paris'),
        (field, value, timezone) => {
          const base = ['at', 'in', 'cron', 'every'].includes(field) ? {} : { cron: '* * * * *' };
          const input = { ...base, ...(timezone && field !== 'in' && { timezone }), [field]: value };
          if (refusal(input) === 'accepted') nextOccurrence(resolve(input), NOW);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('the schema', () => {
  test('can be written as JSON Schema, which says that exactly one kind is needed', () => {
    const json = z.toJSONSchema(scheduleSchema, { io: 'input' });
    expect(json.additionalProperties).toBe(false);
    expect(json.oneOf).toEqual(
      ['at', 'in', 'cron', 'every', 'calendar'].map((kind) => ({ required: [kind] })),
    );
    expect(Object.keys(json.properties ?? {})).toContain('jitterSeconds');
  });

  test('a stored schedule is small', () => {
    const largest = resolve({
      cron: '0,10,20,30,40,50 8-18/2 1,15,L * MON-FRI',
      timezone: 'America/Argentina/ComodRivadavia',
      startAt: '2027-01-01T00:00:00',
      endAt: '2028-01-01T00:00:00',
      jitterSeconds: 3600,
      dst: { gap: 'after', overlap: 'twice' },
    });
    expect(JSON.stringify(largest).length).toBeLessThan(300);
  });
});
