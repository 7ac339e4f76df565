import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/runtime/clock/system-clock.ts';

describe('the system clock', () => {
  it('never wakes early, also with fractions of a millisecond', async () => {
    const early: number[] = [];
    await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        const ms = 1 + i * 0.37;
        const start = performance.now();
        await systemClock.sleep(ms);
        const slept = performance.now() - start;
        if (slept < ms) early.push(slept - ms);
      }),
    );
    expect(early).toEqual([]);
  });

  it('returns at once for 0, a negative time or an aborted signal', async () => {
    const start = performance.now();
    await systemClock.sleep(0);
    await systemClock.sleep(-5);
    await systemClock.sleep(Number.NaN);
    await systemClock.sleep(10_000, AbortSignal.abort());
    expect(performance.now() - start).toBeLessThan(50);
  });

  it('an abort wakes all sleepers, which share one listener', async () => {
    const controller = new AbortController();
    await systemClock.sleep(2, controller.signal);
    const sleeping = Array.from({ length: 100 }, () => systemClock.sleep(60_000, controller.signal));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    await Promise.all(sleeping);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    await systemClock.sleep(60_000, controller.signal);
  });

  it('does not wake at once from a sleep beyond the maximum of a timer', async () => {
    const controller = new AbortController();
    let awake = false;
    const sleeping = systemClock.sleep(2 ** 31 + 1000, controller.signal).then(() => {
      awake = true;
    });
    await systemClock.sleep(20);
    expect(awake).toBe(false);
    controller.abort();
    await sleeping;
  });
});
