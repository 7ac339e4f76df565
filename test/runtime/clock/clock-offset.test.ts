// Properties of the estimate over many seeded histories: it always contains the truth, it becomes narrow, and neither a
// server with a wrong clock nor one that caches its Date header moves it away.
import { describe, expect, it } from 'vitest';
import { ACCEPTED_AFTER_MS, Offset } from '../../../src/runtime/clock/clock-offset.ts';
import { Seeded } from '../../support/seeded.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

interface History {
  readonly random: Seeded;
  /** Reference minus counter at counter value 0. */
  readonly offset: number;
  /** Of the reference against the counter. */
  readonly drift: number;
  readonly lag: number;
}

const historyOf = (seed: number, lag = 0): History => {
  const random = new Seeded(seed, 9);
  const offset = random.int(1_700_000_000_000, 1_900_000_000_000) + random.float();
  return { random, offset, drift: (random.float() - 0.5) * 0.0009, lag };
};
const truth = ({ offset, drift }: History, at: number): number => offset + at * drift;

/** One request and its answer: what the client can say about the offset. Returns the counter when it was received. */
function answer(history: History, estimate: Offset, sent: number, wrongBy = 0): number {
  const { random, lag } = history;
  const served = sent + (random.chance(0.1) ? random.int(0, 20_000) : random.float() * 30);
  const received = served + random.float() * (random.chance(0.1) ? 2000 : 30);
  const shown = served + truth(history, served) + wrongBy - random.float() * lag;
  const date = Math.floor(shown / SECOND) * SECOND;
  estimate.observe(received, date - received, date + SECOND - sent);
  return received;
}

describe('the offset to a reference clock', () => {
  it('is unbounded before the first response', () => {
    expect(new Offset(SECOND).range(5)).toEqual({ low: -Infinity, high: Infinity });
  });

  it('always lies in the estimate, with any latency, drift and phase', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const history = historyOf(seed);
      const estimate = new Offset(seed % 2 === 0 ? SECOND : 0);
      for (let i = 0, at = 0; i < 200; i++) {
        at = answer(history, estimate, at + history.random.int(1, seed % 3 === 0 ? 20_000 : 500));
        const { low, high } = estimate.range(at);
        expect(truth(history, at), `seed ${seed}, answer ${i}`).toBeGreaterThanOrEqual(low - 0.01);
        expect(truth(history, at), `seed ${seed}, answer ${i}`).toBeLessThanOrEqual(high + 0.01);
      }
    }
  });

  it('is known to within 250 ms after a minute of a few responses per second', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const history = historyOf(seed);
      const estimate = new Offset(SECOND);
      let at = 0;
      while (at < 90_000) at = answer(history, estimate, at + history.random.int(1, 600));
      const { low, high } = estimate.range(at);
      expect(high - low, `seed ${seed}`).toBeLessThan(250);
    }
  });

  it('still lies in the estimate when servers cache their Date for up to a second', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const history = historyOf(seed, SECOND);
      const estimate = new Offset(SECOND);
      for (let i = 0, at = 0; i < 300; i++) {
        at = answer(history, estimate, at + history.random.int(1, 1000));
        const { low, high } = estimate.range(at);
        expect(truth(history, at), `seed ${seed}, answer ${i}`).toBeGreaterThanOrEqual(low - 0.01);
        expect(truth(history, at), `seed ${seed}, answer ${i}`).toBeLessThanOrEqual(high + 0.01);
      }
    }
  });

  it('is not moved by single responses of a server whose clock is wrong', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const history = historyOf(seed);
      const { random } = history;
      const estimate = new Offset(SECOND);
      for (let i = 0, at = 0; i < 300; i++) {
        const isWrong = i > 0 && i % 3 !== 0 && random.chance(0.5);
        at = answer(history, estimate, at + random.int(1, 2000), isWrong ? random.int(1, 4) * HOUR : 0);
        const { low, high } = estimate.range(at);
        expect(truth(history, at), `seed ${seed}, answer ${i}`).toBeGreaterThanOrEqual(low - 0.01);
        expect(truth(history, at), `seed ${seed}, answer ${i}`).toBeLessThanOrEqual(high + 0.01);
      }
    }
  });

  it('is replaced by another only after that has lasted', () => {
    const estimate = new Offset(0);
    estimate.observe(0, -10, 10);
    for (let at = 1000; at < 1000 + ACCEPTED_AFTER_MS; at += 1000) {
      estimate.observe(at, HOUR - 10, HOUR + 10);
      expect(estimate.range(at).high).toBeLessThan(100);
    }
    estimate.observe(1000 + ACCEPTED_AFTER_MS, HOUR - 10, HOUR + 10);
    expect(estimate.range(1000 + ACCEPTED_AFTER_MS).low).toBeGreaterThan(HOUR - 100);
  });

  it('counts again from 0 when a response agrees with the estimate', () => {
    const estimate = new Offset(0);
    estimate.observe(0, -10, 10);
    for (let at = 1000; at < 3 * ACCEPTED_AFTER_MS; at += 1000) {
      if (at % 50_000 === 0) estimate.observe(at, -10, 10);
      else estimate.observe(at, HOUR - 10, HOUR + 10);
      expect(estimate.range(at).high).toBeLessThan(200);
    }
  });

  it('follows a reference that moved on while the counter stood still', () => {
    const estimate = new Offset(0);
    estimate.observe(1000, 40, 60);
    estimate.shift(HOUR, 1000);
    const { low, high } = estimate.range(1000);
    expect([low, high]).toEqual([HOUR + 40 - 1000, HOUR + 60 + 1000]);
    estimate.observe(1001, HOUR + 45, HOUR + 55);
    expect(estimate.range(1001)).toEqual({ low: HOUR + 45, high: HOUR + 55 });
  });

  it('widens by half a millisecond per second without responses, and is unknown after `forget`', () => {
    const estimate = new Offset(0);
    estimate.observe(0, -10, 10);
    expect(estimate.range(60_000)).toEqual({ low: -40, high: 40 });
    estimate.forget();
    expect(estimate.range(0).high).toBe(Infinity);
  });
});
