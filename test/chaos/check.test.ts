// The check itself: each broken promise is seen, and a history without one passes.
import { expect, test } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import type { Run } from '../support/faults/probe.ts';
import { brokenOf, type Seen } from './check.ts';
import type { Clients } from './clients.ts';

const NOON = Date.parse('2026-12-01T12:00:00Z');
const jobId = 'job_00000000000000000001';
const due = dueKey(NOON);
const executionId = `${jobId}.${due}`;

function run(attempt: number, at: number, how?: 'done' | 'failed'): Run {
  const start = { event: 'start' as const, jobId, executionId, due: NOON, attempt, fence: attempt };
  const whole = { ...start, pid: attempt, workerId: 'w', at };
  return { ...whole, ...(how && { end: { ...whole, event: 'end', how, at: at + 10 } }) };
}

const row: Row = {
  ...{ jobId, due, userId: 'chaos', revision: '', status: 'SUCCEEDED' },
  ...{ number: 1, attempt: 1, maxAttempts: 10 },
};

function broken(more: Partial<Seen> & { own?: Row; byHand?: string[] }): string {
  const seen: Seen = {
    jobs: [{ jobId, schedule: { at: '2026-12-01T12:00:00Z' }, createdAt: NOON - 1_000, overlap: 'skip' }],
    until: NOON + 60_000,
    rows: new Map([[jobId, [more.own ?? row]]]),
    runs: [run(1, NOON, 'done')],
    stopped: new Map(),
    lost: [],
    ...more,
  };
  const clients = { jobs: [{ id: jobId, status: 201, body: {} }], byHand: more.byHand ?? [] };
  return brokenOf(seen, clients as unknown as Clients).join('\n');
}

test('a job that has run once breaks nothing', () => expect(broken({})).toBe(''));

test('a lost job is seen', () => expect(broken({ lost: ['it is gone'] })).toBe('it is gone'));

test('a start before the due time is seen', () =>
  expect(broken({ runs: [run(1, NOON - 1, 'done')] })).toContain('began 1 ms early'));

test('a second run is seen, unless the first has failed or its process was killed', () => {
  const own = { ...row, attempt: 2 };
  const twice = [run(1, NOON, 'done'), run(2, NOON + 50, 'done')];
  expect(broken({ own, runs: twice })).toContain('which had not failed');
  expect(broken({ own, runs: twice, stopped: new Map([[1, NOON + 20]]) })).toBe('');
  expect(broken({ own, runs: [run(1, NOON, 'failed'), run(2, NOON + 50, 'done')] })).toBe('');
});

test('an attempt that was not counted is seen', () => {
  const runs = [run(1, NOON, 'failed'), run(2, NOON + 50, 'done')];
  expect(broken({ runs })).toContain('counts 1 attempts after 2 starts');
  expect(broken({ own: { ...row, attempt: 3 } })).toContain('counts 3 attempts after 1 starts');
});

test('an occurrence that was given up is seen', () =>
  expect(broken({ own: { ...row, status: 'SKIPPED' } })).toContain('ended as SKIPPED'));

test('an acknowledged run by hand that is not there is seen', () =>
  expect(broken({ byHand: [`${jobId}.other`] })).toContain('was asked for by hand and is not there'));
