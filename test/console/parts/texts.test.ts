import { describe, expect, it } from 'vitest';
import { cliFor, cliText, curlText, shellWord, withInput } from '../../../console/parts/command-text.ts';
import { actionTitle, countOfJobs } from '../../../console/parts/job-action-texts.ts';
import { payloadText } from '../../../console/parts/payload-text.ts';
import { problemText } from '../../../console/parts/problem-text.ts';
import { scheduleText } from '../../../console/parts/schedule-text.ts';
import { timeText } from '../../../console/parts/time-text.ts';
import { nextZoneChoice, zoneChoiceOf, zoneOf } from '../../../console/parts/zone-choice.ts';
import { PunctualApiError, PunctualNetworkError } from '../../../src/client/errors.ts';

describe('times', () => {
  const at = Date.parse('2026-11-18T23:30:05.042Z');

  it('have their zone', () => {
    expect(timeText(at, 'UTC')).toEqual({ date: '18 Nov 2026', time: '23:30:05', zone: 'UTC' });
    expect(timeText(at, 'Europe/Paris')).toMatchObject({ date: '19 Nov 2026', time: '00:30:05' });
    expect(timeText(at, '+05:30')).toMatchObject({ time: '05:00:05', zone: 'GMT+5:30' });
    expect(timeText(at, 'UTC', { milliseconds: true }).time).toBe('23:30:05.042');
  });

  it('of an unknown zone are in UTC and say so', () => {
    expect(timeText(at, 'Mars/Olympus')).toMatchObject({ time: '23:30:05', zone: 'UTC' });
  });
});

describe('the zone', () => {
  const zones = { choice: undefined, job: undefined, isPageOfJob: false, mine: 'Europe/Paris' };

  it("is the user's own in lists, and the job's on its page, unless the user chose another", () => {
    expect(zoneOf({ ...zones, job: 'Asia/Kolkata' })).toEqual({ zone: 'Europe/Paris', choice: 'mine' });
    expect(zoneOf({ ...zones, job: 'Asia/Kolkata', isPageOfJob: true })).toEqual({
      zone: 'Asia/Kolkata',
      choice: 'job',
    });
    expect(zoneOf({ ...zones, job: 'Asia/Kolkata', isPageOfJob: true, choice: 'utc' }).zone).toBe('UTC');
    expect(zoneOf({ ...zones, job: 'Asia/Kolkata', choice: 'job' }).zone).toBe('Asia/Kolkata');
    expect(zoneOf({ ...zones, choice: 'job' }).zone).toBe('UTC');
  });

  it('changes in the order of the menu', () => {
    expect([nextZoneChoice('utc'), nextZoneChoice('mine'), nextZoneChoice('job')]).toEqual([
      'mine',
      'job',
      'utc',
    ]);
    expect([zoneChoiceOf('mine'), zoneChoiceOf('other'), zoneChoiceOf(null)]).toEqual([
      'mine',
      undefined,
      undefined,
    ]);
  });
});

describe('commands', () => {
  it('quote what a shell would take apart', () => {
    expect(['a-b/c', 'a b', "it's", '$(x)', ''].map(shellWord)).toEqual([
      'a-b/c',
      "'a b'",
      "'it'\\''s'",
      "'$(x)'",
      "''",
    ]);
    expect(cliText('list', '--name', 'a b', undefined)).toBe("punctual list --name 'a b'");
  });

  it('name the server of the page, if it is not the default one', () => {
    expect(cliFor('punctual list', 'http://127.0.0.1:3000')).toBe('punctual list');
    expect(cliFor(withInput('punctual create --file -', { task: 'noop' }), 'https://jobs.example.com')).toBe(
      `PUNCTUAL_URL=https://jobs.example.com punctual create --file - <<'JSON'\n{\n  "task": "noop"\n}\nJSON`,
    );
  });

  it('have no token', () => {
    const text = curlText(
      { method: 'POST', path: '/jobs', query: { a: 1, b: undefined }, body: { name: "x'y" } },
      'http://127.0.0.1:3000',
    );
    expect(text).toBe(
      `curl -X POST 'http://127.0.0.1:3000/jobs?a=1' \\\n  -H "authorization: Bearer $PUNCTUAL_TOKEN" \\\n  -H 'content-type: application/json' \\\n  -d '{"name":"x'\\''y"}'`,
    );
  });
});

describe('payloads', () => {
  it('are folded above 40 lines and cut above 64 KB', () => {
    expect(payloadText({ a: 1 })).toMatchObject({
      text: '{\n  "a": 1\n}',
      lines: 3,
      folded: undefined,
      isCut: false,
    });
    const long = payloadText('x\n'.repeat(40));
    expect([long.lines, long.folded?.split('\n').length]).toEqual([41, 40]);
    const large = payloadText('y'.repeat(70_000));
    expect([large.isCut, large.text.length, large.whole.length]).toEqual([true, 65_536, 70_000]);
    expect(payloadText(undefined).text).toBe('undefined');
  });
});

describe('problems', () => {
  const api = (status: number, problem?: object) =>
    problemText(
      new PunctualApiError('raw', {
        ...{ status, requestId: 'req-1', attempts: 1 },
        ...(problem && {
          problem: { title: 'T', status, detail: 'D', requestId: 'req-1', ...problem } as never,
        }),
      }),
    );

  it('say what the server said, with the request id', () => {
    expect(api(409, {})).toEqual({ title: 'T', detail: 'D', requestId: 'req-1', fields: [] });
    expect(api(404, {}).title).toBe('Not found, or not yours');
    expect(api(502)).toMatchObject({ title: 'The server answered 502', detail: 'raw' });
    expect(api(400, { errors: [{ path: 'a.b', message: 'm' }] }).fields).toEqual([
      { path: 'a.b', message: 'm' },
    ]);
  });

  it('slow down for 429, but not for a limit that stays', () => {
    expect(api(429, {}).title).toContain('slows down');
    expect(api(429, { limit: { name: 'jobs', value: 5 } }).title).toBe('T');
  });

  it('distinguish a server that does not answer', () => {
    expect(problemText(new PunctualNetworkError('no response', 1, undefined)).title).toBe(
      'The server did not answer',
    );
    expect(problemText('text').detail).toBe('text');
  });
});

describe('texts of actions and schedules', () => {
  it('say how many', () => {
    expect([countOfJobs(0), countOfJobs(1), countOfJobs(12), countOfJobs(1, true)]).toEqual([
      ...['0 jobs', '1 job', '12 jobs', '1+ jobs'],
    ]);
    expect(actionTitle('cancel', countOfJobs(2))).toBe('Cancel 2 jobs');
  });

  it('show a schedule that cannot be described as JSON', () => {
    expect(scheduleText({ cron: '0 9 * * *', timezone: 'UTC' })).toBe('At 09:00 every day, UTC');
    expect(scheduleText({ moon: 'full' } as never)).toContain('moon');
  });
});
