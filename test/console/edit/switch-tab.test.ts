// The tabs of the schedule: a change of the tab keeps the times where the other form can have them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScheduleDraft, ScheduleTab } from '../../../console/screens/edit/schedule/schedule-draft.ts';
import { type Switched, storedOf, switchTab } from '../../../console/screens/edit/schedule/switch-tab.ts';
import { occurrencesAfter } from '../../../src/domain/schedule/occurrences.ts';

const NOW = Date.parse('2026-11-18T11:00:00Z');
const to = (tab: ScheduleTab, from: ScheduleDraft | undefined): Switched =>
  switchTab(from, tab, { now: NOW, zone: 'Europe/Paris', steps: [] });

function times(draft: ScheduleDraft | undefined, after: number, count = 40): number[] {
  const stored = draft && storedOf(draft, NOW);
  const found: number[] = [];
  if (!stored) throw new Error(`${JSON.stringify(draft)} is not valid`);
  for (const due of occurrencesAfter(stored, after)) if (found.push(due) === count) break;
  return found;
}

describe('the tabs of the schedule', () => {
  it('turns a cron pattern into a calendar with the same times, and back', () => {
    const cron = { cron: '0 9,17 * * MON-FRI', timezone: 'Europe/Paris', jitterSeconds: 60 };
    const { schedule: calendar } = to('calendar', cron);
    expect(calendar).toEqual({
      calendar: { hour: [9, 17], minute: [0], daysOfWeek: ['MON', 'TUE', 'WED', 'THU', 'FRI'] },
      timezone: 'Europe/Paris',
      jitterSeconds: 60,
    });
    expect(to('cron', calendar).schedule).toEqual(cron);
  });

  it('has a calendar of the same times for every pattern that it converts, also when clocks change', () => {
    const field = (from: number, until: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: from, max: until }).map(String),
        fc.constantFrom('*/2', '*/5'),
        fc
          .uniqueArray(fc.integer({ min: from, max: until }), { minLength: 1, maxLength: 8 })
          .map((list) => list.join(',')),
        fc
          .tuple(fc.integer({ min: from, max: until }), fc.integer({ min: from, max: until }))
          .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      );
    const cron = fc
      .tuple(field(0, 59), field(0, 23), fc.oneof(field(1, 31), fc.constant('L')), field(1, 12), field(0, 6))
      .map((fields) => fields.join(' '));
    fc.assert(
      fc.property(
        cron,
        fc.constantFrom('Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'UTC'),
        (pattern, timezone) => {
          const draft = { cron: pattern, timezone };
          const there = to('calendar', draft);
          if (there.times !== 'same') return;
          const back = to('cron', there.schedule);
          expect(back.times).toBe('same');
          for (const after of ['2027-03-12T00:00:00Z', '2027-03-27T00:00:00Z', '2027-10-30T00:00:00Z']) {
            const expected = times(draft, Date.parse(after));
            expect(times(there.schedule, Date.parse(after))).toEqual(expected);
            expect(times(back.schedule, Date.parse(after))).toEqual(expected);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each(['0 0 9 * * *', '15 0 9 * * *'])('converts %s only if its seconds are 0', (cron) => {
    expect(to('calendar', { cron }).times).toBe(cron.startsWith('15') ? 'none' : 'same');
  });

  it.each(['0 9 15W * *', '0 9 * * FRI#2', '0 9 L-3 * *', '0 9 1 * MON'])(
    'offers another calendar for %s, and says so',
    (cron) => {
      const { schedule, times, note } = to('calendar', { cron });
      expect(times).toBe('none');
      expect(note).toContain('cannot express');
      expect(schedule?.calendar).toBeDefined();
    },
  );

  it('says nothing about a pattern that is not complete', () => {
    expect(to('every', { cron: '0 9 *' })).toEqual({ schedule: { every: 'PT15M' }, times: 'none' });
  });

  it('has no pattern for a day of the month that is also a day of the week', () => {
    const calendar = { calendar: { date: [13], daysOfWeek: ['FRI'], hour: [9] } };
    expect(to('cron', calendar).times).toBe('none');
  });

  it('turns a rate into a pattern of the same distance, and says that the times differ', () => {
    const cases: [string, string][] = [
      ['PT15M', '*/15 * * * *'],
      ['PT1H', '0 * * * *'],
      ['PT6H', '0 */6 * * *'],
      ['P1D', '0 0 * * *'],
      ['PT30S', '*/30 * * * * *'],
    ];
    for (const [every, cron] of cases) {
      expect(to('cron', { every })).toMatchObject({ schedule: { cron }, times: 'similar' });
    }
    expect(to('cron', { every: 'PT7M' }).times).toBe('none');
  });

  it('keeps the minute of a rate that has a start', () => {
    const rate = { every: 'PT1H', startAt: '2026-11-18T00:20:00Z' };
    expect(to('cron', rate).schedule?.cron).toBe('20 * * * *');
    expect(to('calendar', rate).schedule?.calendar).toEqual({ minute: [20] });
  });

  it('turns a pattern of equal distances into a rate, and no other', () => {
    expect(to('every', { cron: '*/15 * * * *' }).schedule).toEqual({
      every: 'PT15M',
      startAt: '2026-11-18T11:15:00Z',
    });
    expect(to('every', { cron: '0 9 * * MON-FRI' }).times).toBe('none');
  });

  it('takes the next time for a single run, and the time of day back', () => {
    const once = to('once', { cron: '30 8 * * *', timezone: 'Europe/Paris' }).schedule;
    expect(once).toEqual({ at: '2026-11-19T08:30:00', timezone: 'Europe/Paris' });
    expect(to('cron', once).schedule).toEqual({ cron: '30 8 * * *', timezone: 'Europe/Paris' });
  });

  it('restores the text of a pattern if nothing was edited in between', () => {
    const cron = { cron: '*/30 9-17 * * 1-5', timezone: 'UTC' };
    const { schedule } = to('calendar', cron);
    const steps = [{ from: cron, to: schedule }];
    expect(switchTab(schedule, 'cron', { now: NOW, zone: 'UTC', steps }).schedule).toEqual(cron);
    const edited = { ...schedule, calendar: { hour: [8] } };
    expect(switchTab(edited, 'cron', { now: NOW, zone: 'UTC', steps }).schedule?.cron).toBe('0 8 * * *');
  });

  it('restores what was in a tab that cannot have the times', () => {
    const rate = { every: 'PT7M' };
    const { schedule: cron } = to('cron', rate);
    const steps = [{ from: rate, to: cron }];
    const edited = { ...cron, cron: '0 9 1 * MON' };
    expect(switchTab(edited, 'every', { now: NOW, zone: 'UTC', steps }).schedule).toEqual(rate);
  });

  it('has no schedule for a job that runs now, and an example after it', () => {
    expect(to('now', { cron: '0 9 * * *' }).schedule).toBeUndefined();
    expect(to('once', undefined).schedule).toEqual({ at: '2026-11-18T14:00:00', timezone: 'Europe/Paris' });
  });
});
