import { expect, test } from 'vitest';
import { EARLIEST_CLAIM_MS, earlyClaimAt } from '../../../src/scheduling/claiming/early-claim-time.ts';
import { aMessage } from '../../support/fixtures.ts';
import { at } from '../../support/standing-clock.ts';

const STEP_MS = 50;
const messages = Array.from({ length: 1_000 }, () => aMessage({ fireAt: at('12:01:00') }));
const earlyBy = (messagesInHand: number) =>
  messages.map((message) => message.fireAt - earlyClaimAt(message, messagesInHand));

test('jobs that are due together are claimed 150 to 400 ms before, spread by job', () => {
  const times = earlyBy(1);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(150);
  expect(Math.max(...times)).toBeLessThanOrEqual(400 + STEP_MS);
  expect(new Set(times).size).toBeGreaterThan(3);
});

test('a worker with many messages in hand begins earlier, but never before the earliest claim', () => {
  const times = earlyBy(100_000);
  expect(Math.max(...times)).toBeGreaterThan(Math.max(...earlyBy(1)));
  expect(Math.max(...times)).toBeLessThanOrEqual(EARLIEST_CLAIM_MS + STEP_MS);
});
