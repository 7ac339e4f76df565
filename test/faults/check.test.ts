// The check itself: each broken promise is seen, and a history without one is passed.
import { describe, expect, test } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import { type Accepted, brokenPromises, type Observed } from '../support/faults/check.ts';
import type { Run } from '../support/faults/probe.ts';

const NOON = Date.parse('2026-12-01T12:00:00Z');
const jobId = 'job_00000000000000000001';

const job = (more: Partial<Accepted> = {}): Accepted => ({
  jobId,
  schedule: {
    every: 'PT10S',
    startAt: new Date(NOON).toISOString(),
    endAt: new Date(NOON + 10_000).toISOString(),
  },
  createdAt: NOON - 1_000,
  overlap: 'skip',
  ...more,
});

const row = (due: number, more: Partial<Row> = {}): Row => ({
  jobId,
  due: dueKey(due),
  userId: 'ann',
  status: 'SUCCEEDED',
  number: 1,
  revision: 'r',
  attempt: 1,
  maxAttempts: 3,
  ...more,
});

function run(due: number, fence: number, at: number, endAt?: number): Run {
  const executionId = `${jobId}.${dueKey(due)}`;
  const start = {
    event: 'start' as const,
    jobId,
    executionId,
    due,
    attempt: 1,
    fence,
    pid: fence,
    workerId: 'w',
    at,
  };
  return { ...start, ...(endAt && { end: { ...start, event: 'end', how: 'done', at: endAt } }) };
}

const observed = (more: Partial<Observed> & { own?: Row[] }): Observed => ({
  jobs: [job()],
  until: NOON + 60_000,
  rows: new Map([[jobId, more.own ?? [row(NOON), row(NOON + 10_000)]]]),
  runs: [run(NOON, 1, NOON, NOON + 5_000), run(NOON + 10_000, 2, NOON + 10_000, NOON + 15_000)],
  stopped: new Map(),
  ...more,
});

const broken = (more: Partial<Observed> & { own?: Row[] }) => brokenPromises(observed(more)).join('\n');

describe('the check', () => {
  test('passes two runs, one after the other', () => expect(broken({})).toBe(''));

  test('sees an occurrence without a row', () => expect(broken({ own: [row(NOON)] })).toMatch(/has no row/));

  test('sees a row that is open', () =>
    expect(broken({ own: [row(NOON), row(NOON + 10_000, { status: 'RUNNING' })] })).toMatch(/is RUNNING/));

  test('sees a success that nobody has run', () =>
    expect(broken({ runs: [run(NOON, 1, NOON, NOON + 5_000)] })).toMatch(/no run of it came to its end/));

  test('sees a run before its time', () =>
    expect(
      broken({ runs: [run(NOON, 1, NOON - 1, NOON), run(NOON + 10_000, 2, NOON + 10_000, NOON + 11_000)] }),
    ).toMatch(/began 1 ms early/));

  test('sees two runs at once; a killed one is over with its process', () => {
    const runs = [
      run(NOON, 1, NOON),
      run(NOON, 2, NOON + 8_000, NOON + 9_000),
      run(NOON + 10_000, 3, NOON + 10_000, NOON + 11_000),
    ];
    expect(broken({ runs })).toMatch(/was still running/);
    expect(broken({ runs, stopped: new Map([[1, NOON + 7_000]]) })).toBe('');
  });

  test('sees a start after the cancel, unless it was running before', () => {
    const cancelled = job({ withdrawAskedAt: NOON + 1_000, cancelledAt: NOON + 2_000 });
    const opened = { due: dueKey(NOON + 10_000), number: 2 };
    expect(broken({ jobs: [cancelled] })).toMatch(/after its cancel had returned/);
    expect(broken({ jobs: [{ ...cancelled, runningThen: [opened] }] })).toBe('');
  });

  test('sees a fence that falls', () =>
    expect(
      broken({
        runs: [run(NOON, 2, NOON, NOON + 5_000), run(NOON + 10_000, 1, NOON + 10_000, NOON + 15_000)],
      }),
    ).toMatch(/with fence 1 after/));

  test('sees a run of a job that nobody has created', () =>
    expect(broken({ jobs: [] })).toMatch(/nobody has created it/));
});
