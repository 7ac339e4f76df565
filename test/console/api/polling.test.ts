import { describe, expect, it } from 'vitest';
import { IDLE_AFTER_MS, type PollingState, pollingMs } from '../../../console/api/polling.ts';

const usual: PollingState = {
  ...{ refresh: 'auto', kind: 'list', local: false },
  ...{ idleMs: 0, paused: false, failingMs: 0 },
};
const intervalOf = (changes: Partial<PollingState>) => pollingMs({ ...usual, ...changes });

describe('the refresh interval', () => {
  it('is 2 s locally, and depends on the kind of data on AWS', () => {
    expect(intervalOf({ local: true })).toBe(2_000);
    expect(intervalOf({ local: true, kind: 'statistics' })).toBe(2_000);
    expect(intervalOf({ kind: 'object' })).toBe(5_000);
    expect(intervalOf({ kind: 'list' })).toBe(10_000);
    expect(intervalOf({ kind: 'statistics' })).toBe(60_000);
  });

  it('is the choice of the user, but statistics are never read more often than usual', () => {
    expect(intervalOf({ refresh: '2' })).toBe(2_000);
    expect(intervalOf({ refresh: '60', kind: 'object' })).toBe(60_000);
    expect(intervalOf({ refresh: '2', kind: 'statistics' })).toBe(60_000);
  });

  it('has an end: off, and while rows are selected', () => {
    expect(intervalOf({ refresh: 'off' })).toBe(false);
    expect(intervalOf({ paused: true })).toBe(false);
    expect(intervalOf({ refresh: 'off', idleMs: IDLE_AFTER_MS, failingMs: 1_000 })).toBe(false);
  });

  it('is at least 60 s after five minutes without input', () => {
    expect(intervalOf({ local: true, idleMs: IDLE_AFTER_MS - 1 })).toBe(2_000);
    expect(intervalOf({ local: true, idleMs: IDLE_AFTER_MS })).toBe(60_000);
  });

  it('grows while reads fail, up to a bound, and respects the delay that the server asks for', () => {
    expect(intervalOf({ failingMs: 4_000 })).toBe(10_000);
    expect(intervalOf({ failingMs: 25_000 })).toBe(25_000);
    expect(intervalOf({ failingMs: 3_600_000 })).toBe(60_000);
    expect(intervalOf({ failingMs: 3_600_000, local: true })).toBe(10_000);
    expect(intervalOf({ failingMs: 1, retryAfterMs: 90_000 })).toBe(90_000);
  });

  it('grows with the number of pages, so that the rate of requests stays', () => {
    expect(intervalOf({ pages: 3 })).toBe(30_000);
    expect(intervalOf({ pages: 0 })).toBe(10_000);
  });
});
