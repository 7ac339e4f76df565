import { describe, expect, it } from 'vitest';
import { cli } from './in-process.ts';

describe('punctual preview, without a server', () => {
  it('prints a description and the next times in the timezone', async () => {
    const { code, out } = await cli([
      'preview',
      '0 9 * * MON-FRI',
      '--timezone',
      'Europe/Paris',
      '--count',
      '2',
    ]);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'At 09:00 on Mondays to Fridays, Europe/Paris time',
        '2026-11-17T09:00:00+01:00  in 20 h',
        '2026-11-18T09:00:00+01:00  in 2 d',
      ].join('\n'),
    );
  });

  it('prints the JSON of the API', async () => {
    const { out } = await cli([
      'preview',
      '30 2 * * *',
      '--timezone',
      'Europe/Paris',
      '--count',
      '1',
      '--json',
    ]);
    expect(JSON.parse(out)).toEqual({
      fireTimes: ['2026-11-17T01:30:00.000Z'],
      description: 'At 02:30 every day, Europe/Paris time',
      warnings: [
        expect.objectContaining({ kind: 'dstGap', at: '2027-03-28T03:00:00+02:00' }),
        expect.objectContaining({ kind: 'dstOverlap' }),
      ],
    });
  });

  it('warns about times that clocks skip', async () => {
    const { err } = await cli(['preview', '30 2 * * *', '--timezone', 'America/New_York']);
    expect(err).toMatch(/^warning: Clocks in America\/New_York skip 2027-03-14 02:30/);
  });

  it('exits with 1 if the schedule never fires', async () => {
    const { code, out, err } = await cli(['preview', '0 0 30 2 *']);
    expect({ code, out }).toEqual({ code: 1, out: 'At 00:00 on day 30 of February, UTC' });
    expect(err).toContain('never fires');
  });

  it.each([
    [['rate(5 minutes)'], '2026-11-16T11:59:59.000Z'],
    [['--every', '90m', '--start-at', '2026-12-01T00:00:00Z'], '2026-12-01T00:00:00.000Z'],
    [
      [
        '0 9 * * *',
        '--except',
        '2026-11-16/2026-11-17',
        '--except',
        '* * * * WED,THU',
        '--except',
        '2026-11-20',
      ],
      '2026-11-21T09:00:00.000Z',
    ],
    [['0 9 * * *', '--except', '2026-11-16T00:00Z/2026-11-18T09:00Z'], '2026-11-19T09:00:00.000Z'],
    [['--at', '2026-12-01T10:00:00', '--timezone', 'Europe/Paris'], '2026-12-01T09:00:00.000Z'],
    [['--in', '1.5h'], '2026-11-16T13:29:59.000Z'],
    [['@daily', '--after', '2027-01-01'], '2027-01-02T00:00:00.000Z'],
  ])('takes %j', async (words, first) => {
    const { out } = await cli(['preview', ...words, '--json'], { now: Date.UTC(2026, 10, 16, 12) - 1000 });
    expect(JSON.parse(out).fireTimes[0]).toBe(first);
  });
});
