// The audit as a pure function: a schedule, rows, and what is found.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Change, Execution } from '../../../src/client/client.ts';
import { dueKey, executionId } from '../../../src/domain/executions/ids.ts';
import { pausesOf } from '../../../src/domain/jobs/pauses.ts';
import { type AuditInput, audit } from '../../../src/domain/schedule/audit.ts';
import { fireAt } from '../../../src/domain/schedule/occurrences.ts';
import { intlOffset, useZoneRules } from '../../../src/domain/schedule/zones.ts';

const JOB = 'job_00000000000000000001';
const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 16, 12);
const schedule = { cron: '* * * * *', timezone: 'UTC' };
const at = (minute: number): number => START + minute * MINUTE;
const iso = (time: number): string => new Date(time).toISOString();

function row(due: number, lateMs: number | undefined, more: Partial<Execution> = {}): Execution {
  return {
    id: executionId(JOB, dueKey(due)),
    jobId: JOB,
    status: 'succeeded',
    dueAt: iso(due),
    fireAt: iso(due),
    trigger: 'schedule',
    attempt: 1,
    maxAttempts: 3,
    ...(lateMs !== undefined && { latenessMs: lateMs }),
    timeline: { dueAt: iso(due), ...(lateMs !== undefined && { startedAt: iso(due + lateMs) }) },
    ...more,
  };
}

const report = (executions: Execution[], more: Partial<AuditInput> = {}) =>
  audit({
    jobId: JOB,
    schedule,
    from: at(0),
    to: at(5),
    now: at(5),
    lateMs: 2000,
    executions,
    ...more,
  });

const clean = {
  byEarlierRules: 0,
  missing: [],
  late: [],
  doubled: [],
  unexpected: [],
  pending: 0,
  paused: 0,
  byHand: 0,
  skipped: 0,
};

describe('an audit', () => {
  it('finds nothing when every occurrence has its row', () => {
    const rows = [0, 1, 2, 3, 4].map((minute) => row(at(minute), 15));
    expect(report(rows.reverse())).toEqual({ ...clean, expected: 5, recorded: 5 });
  });

  it('counts the beginning of the range in and its end out', () => {
    expect(report([], { from: at(1), to: at(2) }).missing).toEqual([{ dueAt: iso(at(1)) }]);
  });

  it('names what is missing, late and doubled', () => {
    const found = report([
      row(at(0), 10),
      row(at(1), 2001),
      row(at(3), 10),
      row(at(3), 20),
      row(at(4), 2000),
    ]);
    expect(found).toMatchObject({ expected: 5, recorded: 4 });
    expect(found.missing).toEqual([{ dueAt: iso(at(2)) }]);
    expect(found.late).toEqual([
      { dueAt: iso(at(1)), executionId: `${JOB}.${dueKey(at(1))}`, status: 'succeeded', latenessMs: 2001 },
    ]);
    expect(found.doubled).toEqual([
      { dueAt: iso(at(3)), executionIds: Array(2).fill(`${JOB}.${dueKey(at(3))}`) },
    ]);
  });

  it('does not miss what was due a moment ago, nor what is still to come', () => {
    const found = report([row(at(0), 1)], { to: at(10), now: at(1) + 2000 });
    expect(found).toEqual({ ...clean, expected: 2, recorded: 1, pending: 1 });
    expect(report([row(at(0), 1)], { to: at(10), now: at(1) + 2001 }).missing).toHaveLength(1);
  });

  it('counts what waits as late, and what was skipped as recorded', () => {
    const rows = [
      row(at(0), undefined, { status: 'skipped', reason: 'still running' }),
      row(at(1), undefined, { status: 'queued' }),
    ];
    const found = report(rows, { to: at(2), now: at(2) });
    expect(found).toMatchObject({ recorded: 2, skipped: 1, missing: [] });
    expect(found.late).toMatchObject([{ dueAt: iso(at(1)), status: 'queued', latenessMs: MINUTE }]);
  });

  it('lets runs by hand be, and tells of rows that the schedule does not have', () => {
    const byHand = row(at(0) + 5, 3, { id: executionId(JOB, `${dueKey(at(0) + 5)}-abc123`) });
    const odd = row(at(0) + 7, 3);
    const found = report([byHand, odd, row(at(0), 3)], { to: at(1) });
    expect(found).toMatchObject({ byHand: 1, missing: [], expected: 1 });
    expect(found.unexpected).toEqual([{ dueAt: odd.dueAt, executionId: odd.id }]);
  });

  it('expects nothing of a pause, and records what ran in it', () => {
    const rows = [row(at(0), 15), row(at(1), 15), row(at(4), 15)];
    const pauses = [{ from: at(1), to: at(3) }];
    expect(report(rows, { pauses })).toEqual({
      ...{ ...clean, expected: 4, recorded: 3, paused: 1 },
      missing: [{ dueAt: iso(at(3)) }],
    });
  });

  it('takes what a pause withdrew before its fire time for paused', () => {
    const jittered = { ...schedule, jitterSeconds: 50 };
    const fire = fireAt(jittered, JOB, at(2));
    const rows = [0, 1].map((minute) => row(at(minute), 50_000));
    const paused = (from: number) =>
      report(rows, { schedule: jittered, to: at(3), now: at(9), pauses: [{ from, to: at(5) }] });
    expect(fire).toBeGreaterThan(at(2));
    expect(paused(fire)).toMatchObject({ paused: 1, missing: [] });
    expect(paused(fire + 1)).toMatchObject({ paused: 0, missing: [{ dueAt: iso(at(2)) }] });
  });

  it('does not take jitter for lateness', () => {
    const jittered = { ...schedule, jitterSeconds: 50 };
    const start = fireAt(jittered, JOB, at(0));
    expect(start).toBeGreaterThan(at(0) + 2000);
    const range = { schedule: jittered, to: at(1) };
    expect(report([row(at(0), start - at(0) + 10)], range).late).toEqual([]);
    expect(report([row(at(0), start - at(0) + 2001)], range).late).toMatchObject([{ latenessMs: 2001 }]);
  });

  describe('after the rules of the timezone have changed', () => {
    const HOUR = 60 * MINUTE;
    // by the rules of today 09:00 in Paris is 09:00Z; until 18 November it was 08:00Z
    const rules = (zone: string, instant: number) =>
      zone === 'Europe/Paris' ? 0 : intlOffset(zone, instant);
    beforeEach(() => useZoneRules(rules));
    afterEach(() => useZoneRules(undefined));
    const daily = { cron: '0 9 * * *', timezone: 'Europe/Paris' };
    const on = (day: number, hour: number, minute = 0) => Date.UTC(2026, 10, day, hour, minute);
    const range = { schedule: daily, from: on(16, 0), to: on(20, 0), now: on(20, 0) };

    it('accepts what was right when it ran', () => {
      const rows = [row(on(16, 8), 10), row(on(17, 8), 10), row(on(18, 9), 10), row(on(19, 9), 10)];
      expect(report(rows, range)).toEqual({ ...clean, expected: 4, recorded: 4, byEarlierRules: 2 });
    });

    it('finds what is missing, late, doubled and not expected all the same', () => {
      const odd = row(on(18, 9, 7), 10);
      const rows = [row(on(16, 8), 5000), row(on(18, 9), 10), row(on(18, 8), 10), odd, row(on(19, 8), 10)];
      const found = report([...rows, row(on(19, 8), 10)], range);
      expect(found).toMatchObject({ expected: 4, recorded: 3, byEarlierRules: 2 });
      expect(found.missing).toEqual([{ dueAt: iso(on(17, 9)) }]);
      expect(found.late).toMatchObject([{ dueAt: iso(on(16, 8)), latenessMs: 5000 }]);
      expect(found.doubled).toMatchObject([{ dueAt: iso(on(19, 8)) }]);
      expect(found.unexpected.map(({ dueAt }) => dueAt)).toEqual([iso(on(18, 8)), odd.dueAt].sort());
    });

    it('looks beyond the range for what ran there, and leaves what belongs beyond it', () => {
      const narrow = { ...range, from: on(17, 9) - HOUR / 2, to: on(18, 9) };
      expect(report([row(on(17, 8), 10), row(on(18, 8), 10)], narrow)).toEqual({
        ...clean,
        expected: 1,
        recorded: 1,
        byEarlierRules: 1,
      });
    });

    it('takes nothing for moved in a timezone that has no rules', () => {
      const fixed = { ...range, schedule: { cron: '0 9 * * *', timezone: '+00:00' } };
      expect(report([row(on(16, 8), 10)], fixed)).toMatchObject({ byEarlierRules: 0, unexpected: [{}] });
    });
  });

  it('expects a one-time job once', () => {
    const once = { schedule: { at: iso(at(2)) } };
    expect(report([], once).missing).toEqual([{ dueAt: iso(at(2)) }]);
    expect(report([row(at(2), 5)], once)).toMatchObject({ expected: 1, missing: [] });
  });

  it('refuses a range with too many occurrences', () => {
    const everySecond = { cron: '* * * * * *', timezone: 'UTC' };
    expect(() => report([], { schedule: everySecond, from: START - 200_000_000 })).toThrow(
      'more than 100000 occurrences fall between',
    );
  });
});

describe('the pauses of a job', () => {
  const change = (what: Change['what'], minute: number, after?: Change['after']): Change => ({
    ...{ version: minute + 1, at: iso(at(minute)), by: 'ann', what, ...(after && { after }) },
  });
  const pause = (minute: number, until?: number) =>
    change('paused', minute, {
      status: 'paused',
      ...(until !== undefined && { pausedUntil: iso(at(until)) }),
    });
  const of = (...oldestFirst: Change[]) =>
    pausesOf(oldestFirst.reverse()).map(({ from, to }) => [(from - START) / MINUTE, (to - START) / MINUTE]);

  it('end at a resume, at their time, or at the cancel', () => {
    expect(of(change('created', 0))).toEqual([]);
    expect(of(change('created', 0), pause(1), change('edited', 2), change('resumed', 4))).toEqual([[1, 4]]);
    expect(of(change('created', 0), pause(1, 3))).toEqual([[1, 3]]);
    expect(of(change('created', 0), pause(1, 3), change('edited', 5), pause(7, 9))).toEqual([
      [1, 3],
      [7, 9],
    ]);
    expect(of(change('created', 0), pause(1, 9), change('resumed', 2))).toEqual([[1, 2]]);
    expect(of(change('created', 0), pause(1), change('cancelled', 2))).toEqual([[1, 2]]);
  });

  it('go on where nothing has ended them, and where another pause follows', () => {
    expect(of(change('created', 0), pause(1))).toEqual([[1, Number.POSITIVE_INFINITY]]);
    expect(of(change('created', 0), pause(1, 5), pause(3, 9))).toEqual([
      [1, 3],
      [3, 9],
    ]);
  });
});
