// What a save needs: errors by field, merged versions, the line of retries.
import { describe, expect, it } from 'vitest';
import { emptyDraft, type JobDraft } from '../../../console/screens/edit/draft/job-draft.ts';
import {
  fieldFor,
  inOrderOf,
  openErrors,
  textAt,
  valueAt,
} from '../../../console/screens/edit/form/field-errors.ts';
import { retryLine, retrySentence } from '../../../console/screens/edit/policies/retry-line-geometry.ts';
import { merged, mergeFields, proposedSide, type Side } from '../../../console/screens/edit/save/merge.ts';
import { cronParts } from '../../../console/screens/edit/schedule/cron-parts.ts';
import { durationOf, partsOf } from '../../../console/screens/edit/schedule/duration-parts.ts';
import { localParts, textOfParts } from '../../../console/screens/edit/schedule/local-time.ts';

describe('errors by field', () => {
  const errors = [
    { path: 'schedule.cron', message: 'is not valid' },
    { path: 'params.headers.A', message: 'must be a string' },
    { path: 'notify[0].webhook.url', message: 'must be a URL' },
  ];

  it('reads the value at a path', () => {
    const value = { notify: [{ webhook: { url: 'x' } }], tags: { 'a b': 1 } };
    expect(valueAt(value, 'notify[0].webhook.url')).toBe('x');
    expect(valueAt(value, 'notify[1].webhook.url')).toBeUndefined();
    expect(valueAt(value, 'tags.a b')).toBe(1);
    expect(valueAt(value, '')).toBe(value);
  });

  it('shows an error until its value changes', () => {
    const refusal = { request: { schedule: { cron: 'x' }, params: { headers: { A: 1 } } }, errors };
    const request = { schedule: { cron: 'y' }, params: { headers: { A: 1 } } };
    expect(openErrors(refusal, request).map(({ path }) => path)).toEqual([
      'params.headers.A',
      'notify[0].webhook.url',
    ]);
    expect(openErrors(undefined, request)).toEqual([]);
  });

  it('shows an error at the field that contains it', () => {
    expect(textAt(errors, 'schedule.cron', false)).toBe('Is not valid');
    expect(textAt(errors, 'params.headers', false)).toBe('');
    expect(textAt(errors, 'params.headers', true)).toBe('A must be a string');
    expect(fieldFor('params.headers.A', ['params', 'params.headers', 'params.header'])).toBe(
      'params.headers',
    );
    expect(fieldFor('owner', ['params'])).toBeUndefined();
  });

  it('come in the order of the form, and last without a field', () => {
    const errors = ['owner', 'limit.key', 'params.url'].map((path) => ({ path, message: 'is wrong' }));
    const shown = inOrderOf(['task', 'params.url', 'limit.key'], errors);
    expect(shown.map(({ path }) => path)).toEqual(['params.url', 'limit.key', 'owner']);
  });
});

describe('two versions of a job', () => {
  const base: JobDraft = {
    ...emptyDraft('UTC'),
    name: 'job',
    task: 'http',
    params: { url: 'http://a', body: 1 },
    tags: [['team', 'a']],
  };
  const mine: JobDraft = { ...base, params: { url: 'http://mine', body: 1 }, timeoutSeconds: 5 };
  const theirs: JobDraft = {
    ...base,
    params: { url: 'http://theirs' },
    tags: [['team', 'b']],
    limit: { key: 'k', concurrent: 1 },
  };
  const fields = mergeFields(base, mine, theirs);
  const take = (sideOf: (path: string) => Side) => merged(theirs, mine, fields, sideOf);

  it('lists the fields that differ, and which both have changed', () => {
    expect(fields.map(({ path, isConflict }) => [path, isConflict])).toEqual([
      ['params.url', true],
      ['params.body', false],
      ['timeoutSeconds', false],
      ['limit', false],
      ['tags.team', false],
    ]);
  });

  it('proposes the side that has changed a field', () => {
    const sides = new Map(fields.map((field) => [field.path, proposedSide(field)]));
    expect(take((path) => sides.get(path) ?? 'theirs')).toEqual({
      ...theirs,
      params: { url: 'http://mine' },
      timeoutSeconds: 5,
    });
  });

  it('takes one side as a whole', () => {
    expect(take(() => 'theirs')).toEqual(theirs);
    expect(take(() => 'mine')).toEqual(mine);
  });

  it('does not mix params of different tasks', () => {
    const other = { ...theirs, task: 'noop', params: { fail: true } };
    expect(mergeFields(base, mine, other).map(({ path }) => path)).toContain('params');
  });
});

describe('the line of retries', () => {
  it('doubles the delay up to the maximum', () => {
    const line = retryLine({ maxAttempts: 5, backoffSeconds: 10, maxBackoffSeconds: 25 });
    expect(line?.attempts.map(({ delayMs }) => delayMs)).toEqual([0, 10_000, 20_000, 25_000, 25_000]);
    expect(line?.totalMs).toBe(80_000);
    expect(line?.attempts.at(-1)?.x).toBe(1);
  });

  it('draws eight of many attempts, and says so', () => {
    const line = retryLine({ maxAttempts: 100, backoffSeconds: 1, maxBackoffSeconds: 1 });
    expect(line?.attempts).toHaveLength(8);
    expect(line?.more).toBe(92);
    expect(retrySentence(line as NonNullable<typeof line>)).toContain('Up to 100 attempts');
  });

  it('spreads attempts without delays, and draws nothing for a value that is no number', () => {
    expect(
      retryLine({ maxAttempts: 3, backoffSeconds: 0, maxBackoffSeconds: 0 })?.attempts.map(({ x }) => x),
    ).toEqual([0, 0.5, 1]);
    expect(retryLine({ maxAttempts: 'x', backoffSeconds: 0, maxBackoffSeconds: 0 })).toBeUndefined();
  });
});

describe('times and durations in fields', () => {
  it.each([
    ['PT15M', '15', 'minutes'],
    ['PT90S', '90', 'seconds'],
    ['P1DT12H', '36', 'hours'],
    ['P7D', '7', 'days'],
    ['P2W', '2', 'weeks'],
    ['PT0.5S', '0.5', 'seconds'],
    ['PTxM', 'x', 'minutes'],
    ['PTS', '', 'seconds'],
  ])('shows %s as %s %s', (text, count, unit) => {
    expect(partsOf(text)).toEqual({ count, unit });
  });

  it('writes durations, also of fractions', () => {
    expect(durationOf({ count: '15', unit: 'minutes' })).toBe('PT15M');
    expect(durationOf({ count: '1.5', unit: 'hours' })).toBe('PT5400S');
    expect(durationOf({ count: '3', unit: 'weeks' })).toBe('P3W');
    expect(durationOf({ count: '', unit: 'days' })).toBe('PD');
  });

  it('shows a time with an offset in the zone, and keeps a text that is being typed', () => {
    expect(localParts('2026-12-01T10:00:00+01:00', 'America/New_York')).toEqual({
      date: '2026-12-01',
      time: '04:00:00',
    });
    expect(localParts('2026-12-01T1', 'UTC')).toEqual({ date: '2026-12-01', time: '1' });
    expect(localParts(undefined, 'UTC')).toEqual({ date: '', time: '' });
    expect(textOfParts({ date: '2026-12-01', time: '' }, 'UTC')).toBe('2026-12-01T00:00');
    expect(textOfParts({ date: '2026-12-01', time: '10:00' }, undefined)).toBe('2026-12-01T10:00Z');
    expect(textOfParts({ date: '', time: '' }, 'UTC')).toBe('');
  });

  it('names the fields of a pattern', () => {
    const names = (cron: string) => cronParts(cron).map(({ name, text }) => `${name} ${text}`);
    expect(names('0 9')).toEqual(['minute 0', 'hour 9', 'day ', 'month ', 'weekday ']);
    expect(names('1 2 3 4 5 6')[0]).toBe('second 1');
    expect(names('cron(0 9 ? * MON *)').at(-1)).toBe('year *');
    expect(names('@daily')).toEqual([]);
    expect(names('rate(5 minutes)')).toEqual([]);
  });
});
