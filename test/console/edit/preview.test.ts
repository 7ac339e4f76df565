// The preview of the schedule form: sentence, times, warnings, pictures, collisions.
import { describe, expect, it } from 'vitest';
import { effectOf, effectSentence } from '../../../console/screens/edit/save/effect.ts';
import { collisionsOf } from '../../../console/screens/edit/schedule/collisions.ts';
import {
  MAX_COUNTED,
  type PlanPicture,
  planPicture,
} from '../../../console/screens/edit/schedule/plan-picture.ts';
import type { ScheduleDraft } from '../../../console/screens/edit/schedule/schedule-draft.ts';
import { readScheduleDraft } from '../../../console/screens/edit/schedule/schedule-draft.ts';
import { isInvalid, previewDraft } from '../../../console/screens/edit/schedule/schedule-preview.ts';

const NOW = Date.parse('2026-11-18T11:00:00Z');
const iso = (time: number | undefined): string => new Date(time ?? Number.NaN).toISOString();

function valid(draft: ScheduleDraft | undefined) {
  const preview = previewDraft(draft, NOW);
  if (isInvalid(preview)) throw new Error(JSON.stringify(preview.errors));
  return preview;
}

function picture(draft: ScheduleDraft): PlanPicture {
  const steps = planPicture(valid(draft).schedule, NOW);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

describe('the preview', () => {
  it('has the sentence, the next ten times and the warnings of the engine', () => {
    const { sentence, times, warnings } = valid({ cron: '30 2 * * *', timezone: 'Europe/Paris' });
    expect(sentence).toBe('At 02:30 every day, Europe/Paris time');
    expect(times).toHaveLength(10);
    expect(iso(times[0])).toBe('2026-11-19T01:30:00.000Z');
    expect(warnings.map(({ kind }) => kind)).toEqual(['dstGap', 'dstOverlap']);
  });

  it('names the field of an error, with the message of the server', () => {
    expect(previewDraft({ cron: '61 * * * *' }, NOW)).toMatchObject({
      errors: [{ path: 'schedule.cron', message: expect.stringContaining('the minute "61" is not valid') }],
    });
    expect(previewDraft({ cron: '* * * * *', timezone: 'Mars' }, NOW)).toMatchObject({
      errors: [{ path: 'schedule.timezone' }],
    });
  });

  it.each([
    [{ calendar: { hour: [24] } }, 'schedule.calendar.hour'],
    [{ calendar: { minute: ['half'] } }, 'schedule.calendar.minute'],
    [{ calendar: { daysOfWeek: ['FUN'] } }, 'schedule.calendar.daysOfWeek'],
    [{ calendar: {} }, 'schedule.calendar'],
    [{ cron: '* * * * *', jitterSeconds: 'x' }, 'schedule.jitterSeconds'],
    [{ cron: '* * * * *', jitterSeconds: 3601 }, 'schedule.jitterSeconds'],
  ] as [ScheduleDraft, string][])('refuses %j at its field', (draft, path) => {
    expect(previewDraft(draft, NOW)).toMatchObject({ errors: [{ path }] });
  });

  it('does not name a start that the user has not set', () => {
    expect(valid({ every: 'PT90S' }).sentence).toBe(
      'Every 1 minute and 30 seconds, counted from its creation',
    );
    expect(valid({ in: 'PT90S' }).sentence).toBe('Once, PT90S after it is created');
    expect(valid(undefined).times).toEqual([NOW]);
  });

  it('takes only values of the right types from a link', () => {
    expect(readScheduleDraft({ cron: 5 })).toBeUndefined();
    expect(readScheduleDraft('0 9 * * *')).toBeUndefined();
    expect(
      readScheduleDraft({
        calendar: { hour: 9, minute: [0, {}], other: 1 },
        except: ['2026-12-25', 7, { from: 'a' }],
        dst: { gap: 'jump', overlap: 'once' },
        timezone: ['UTC'],
        every: {},
      }),
    ).toEqual({ calendar: { hour: [9], minute: [0] }, except: ['2026-12-25'], dst: { overlap: 'once' } });
  });
});

describe('the picture of the plan', () => {
  it('is a year by days, with the clock changes of the zone', () => {
    const year = picture({ cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' });
    if (year.kind !== 'year') throw new Error(year.kind);
    expect(year.total).toBe(261);
    const day = Date.parse('2027-03-28') / 86_400_000;
    expect(year.calendar.clockChanges.get(day)).toBe('clocks go forward 1 h at 02:00 (+01:00 → +02:00)');
    expect(year.calendar.clockChanges.size).toBe(2);
    expect(year.calendar.days.get(Date.parse('2026-11-23') / 86_400_000)).toEqual({ planned: 1 });
    expect(year.calendar.days.has(Date.parse('2026-11-21') / 86_400_000)).toBe(false);
  });

  it('is a week by hours for a schedule with more than 20,000 runs a year', () => {
    const week = picture({ cron: '*/5 * * * *', timezone: 'Europe/Paris' });
    if (week.kind !== 'week') throw new Error(week.kind);
    expect(week.counts).toHaveLength(7 * 24);
    expect(iso(week.span.from)).toBe('2026-11-17T23:00:00.000Z');
    expect(week.counts[0]).toBe(12);
  });

  it('finds out on the way that a year has too many runs', () => {
    // 2,880 runs in two days of each month, and none in this week: the picture shows the week of the next run
    expect(picture({ cron: '* * 1-2 * *' })).toMatchObject({ kind: 'week', total: 2880 });
  });

  it('is an hour by minutes for a schedule of every second', () => {
    expect(picture({ every: 'PT1S' })).toMatchObject({ kind: 'hour', total: 3600 });
  });

  it('counts at most 20,000 runs, whatever the schedule', () => {
    for (const cron of ['* * * * * *', '* * * * *', '*/30 * * * *', '0 0 1 1 *']) {
      const { total } = picture({ cron });
      expect(total).toBeLessThanOrEqual(MAX_COUNTED);
    }
  });
});

describe('collisions', () => {
  const job = (id: string, cron: string, status = 'active') => ({
    id,
    task: 'noop',
    status,
    schedule: { cron, timezone: 'UTC' },
  });
  const { times } = valid({ cron: '0 9 * * *', timezone: 'UTC' });

  it('finds the jobs that run in the same minute', () => {
    const { found, times: count } = collisionsOf(times, [
      job('monday', '0 9 * * MON'),
      job('daily', '30 0 9 * * *'),
      job('later', '1 9 * * *'),
      job('paused', '0 9 * * *', 'paused'),
    ]);
    expect(found.map(({ job: { id }, times: shared }) => [id, shared.length])).toEqual([
      ['daily', 10],
      ['monday', 1],
    ]);
    expect(count).toBe(10);
  });

  it('counts jobs of every minute apart', () => {
    expect(collisionsOf(times, [job('steady', '* * * * *')])).toEqual({ found: [], times: 0, steady: 1 });
  });
});

describe('the effect of an edit', () => {
  const schedule = (cron: string) => valid({ cron, timezone: 'UTC' }).schedule;
  it('compares the runs of the next 24 hours', () => {
    const effect = effectOf(schedule('0 */6 * * *'), schedule('0 */4 * * *'), NOW);
    expect(effect.kept.map(iso)).toEqual(['2026-11-18T12:00:00.000Z', '2026-11-19T00:00:00.000Z']);
    expect(effect.removed).toHaveLength(2);
    expect(effect.added).toHaveLength(4);
    expect(effectSentence(effect)).toBe('In the next 24 hours: 2 runs stay, 4 are new, 2 no longer start.');
    expect(effectSentence(effectOf(schedule('0 9 * * *'), schedule('0 9 * * *'), NOW))).toBe(
      'In the next 24 hours: 1 run, as before.',
    );
  });

  it('stops at the time up to which both schedules were read', () => {
    const effect = effectOf(schedule('* * * * * *'), schedule('0 * * * *'), NOW);
    expect(effect.isPartial).toBe(true);
    expect(effect.to).toBe(NOW + 5_000_000);
    expect(effect.added).toHaveLength(0);
    expect(effectSentence(effect)).toContain('In about the next 1 hour');
  });
});
