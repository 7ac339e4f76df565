// Tables, times and durations as text.
import { describe, expect, it } from 'vitest';
import { fields, table } from '../../src/cli/table.ts';
import { instantOf, isoDuration, lengthText, millisecondsOf, relative } from '../../src/cli/times.ts';

const WIDE = Number.POSITIVE_INFINITY;

describe('a table', () => {
  const columns = [{ title: 'ID' }, { title: 'NAME', flexible: true }, { title: 'N', right: true }];

  it('aligns its columns', () => {
    expect(
      table(
        columns,
        [
          ['a1', 'nightly', '5'],
          ['b', undefined, '12'],
        ],
        WIDE,
      ),
    ).toEqual(['ID  NAME      N', 'a1  nightly   5', 'b            12']);
  });

  it('cuts flexible cells to the width of the terminal, but never ids', () => {
    const lines = table(columns, [['job_0123456789', 'a very long name that goes on and on', '1']], 30);
    expect(lines[1]).toBe('job_0123456789  a very lon…  1');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(30);
  });

  it('leaves out columns by dropOrder if not all fit', () => {
    const some = [{ title: 'ID' }, { title: 'LATE', dropOrder: 1 }, { title: 'ATTEMPT', dropOrder: 2 }];
    const rows = [['job_0123456789', '4 ms', '1/3']];
    expect(table(some, rows, 30)).toEqual(['ID              LATE  ATTEMPT', 'job_0123456789  4 ms  1/3']);
    expect(table(some, rows, 25)).toEqual(['ID              LATE', 'job_0123456789  4 ms']);
    expect(table(some, rows, 15)).toEqual(['ID', 'job_0123456789']);
  });

  it('cuts the widest first', () => {
    const two = [
      { title: 'A', flexible: true },
      { title: 'B', flexible: true },
    ];
    expect(table(two, [['short one', 'x'.repeat(40)]], 30)[1]).toBe(`short one  ${'x'.repeat(18)}…`);
  });

  it('counts wide characters twice', () => {
    expect(
      table(
        columns,
        [
          ['a', '日本', '1'],
          ['b', 'four', '2'],
        ],
        WIDE,
      ).slice(1),
    ).toEqual(['a   日本  1', 'b   four  2']);
  });

  it('replaces control characters in the name of a job', () => {
    const [, line] = table(columns, [['a', '\u001b[2Jgone\r\n\u202e', '1']], WIDE);
    expect(line).toBe('a   ·[2Jgone···  1');
    expect(
      fields(
        [
          ['name', '\u0007'],
          ['none', undefined],
        ],
        WIDE,
      ),
    ).toEqual(['name  ·']);
  });
});

describe('times', () => {
  const now = Date.UTC(2026, 10, 16, 12);

  it.each([
    [0, 'now'],
    [3200, 'in 3 s'],
    [-45_000, '45 s ago'],
    [5 * 60_000, 'in 5 min'],
    [-7_200_000, '2 h ago'],
    [3 * 86_400_000, 'in 3 d'],
  ])('%i ms away are "%s"', (away, text) => expect(relative(now + away, now)).toBe(text));

  it.each([
    [12, '12 ms'],
    [2000, '2 s'],
    [3440, '3.4 s'],
    [61_000, '61 s'],
    [600_000, '10 min'],
  ])('%i ms last "%s"', (ms, text) => expect(lengthText(ms)).toBe(text));

  it.each([
    ['now', now],
    ['90m', now - 5_400_000],
    ['PT24H', now - 86_400_000],
    ['2026-11-01', Date.UTC(2026, 10, 1)],
    ['2026-11-01T10:00:00+01:00', Date.UTC(2026, 10, 1, 9)],
  ])('understands the instant %s', (text, instant) => expect(instantOf(text, now, '--from')).toBe(instant));

  it.each([
    ...['2026-11-01T10:00', '2026-13-01', 'tomorrow', '-3h', ''],
    ...['2026-02-30', '2026-02-30T10:00:00Z', '2026-04-31T00:00:00+02:00', '2026-11-01T25:00Z'],
  ])('refuses the instant %j', (text) =>
    expect(() => instantOf(text, now, '--from')).toThrow('--from must be'),
  );

  it.each([
    ['90s', 'PT90S', 90_000],
    ['1.5s', 'PT1.5S', 1500],
    ['15m', 'PT15M', 900_000],
    ['1.5h', 'PT5400S', 5_400_000],
    ['2d', 'P2D', 172_800_000],
    ['1w', 'P1W', 604_800_000],
    ['P1DT12H', 'P1DT12H', 129_600_000],
  ])('understands the duration %s', (text, iso, ms) => {
    expect(isoDuration(text, '--in')).toBe(iso);
    expect(millisecondsOf(text, '--in')).toBe(ms);
    expect(millisecondsOf(iso, '--in')).toBe(ms);
  });

  it.each(['90', '-3s', 'P1M', '3 s', 'PT'])('refuses the duration %j', (text) =>
    expect(() => isoDuration(text, '--in')).toThrow(/^--in must be a duration such as/),
  );
});
