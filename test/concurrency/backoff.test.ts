import { expect, test } from 'vitest';
import { backoffMs } from '../../src/concurrency/backoff.ts';

const BACKOFF = { baseMs: 100, maxMs: 1_000 };

test.each([
  [1, 100],
  [2, 200],
  [4, 800],
  [5, 1_000],
  [2_000, 1_000],
])('after %i failures the delay is %i ms', (failures, ms) => {
  expect(backoffMs(BACKOFF, failures)).toBe(ms);
});

test.each([
  [0, 100],
  [0.5, 150],
  [1, 200],
])('with the random number %d it is %i ms of 200', (random, ms) => {
  expect(backoffMs(BACKOFF, 2, random)).toBe(ms);
});
