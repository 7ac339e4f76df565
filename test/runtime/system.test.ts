import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createLog, systemClock, systemRandom } from '../../src/runtime/system.ts';

describe('the system clock', () => {
  it('never wakes early, whatever the fraction of a millisecond', async () => {
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

  it('returns at once for nothing, a negative time or an aborted signal', async () => {
    const start = performance.now();
    await systemClock.sleep(0);
    await systemClock.sleep(-5);
    await systemClock.sleep(Number.NaN);
    await systemClock.sleep(10_000, AbortSignal.abort());
    expect(performance.now() - start).toBeLessThan(50);
  });

  it('wakes all who sleep on abort; one listener does for all of them', async () => {
    const controller = new AbortController();
    await systemClock.sleep(2, controller.signal);
    const sleeping = Array.from({ length: 100 }, () => systemClock.sleep(60_000, controller.signal));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    await Promise.all(sleeping);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    await systemClock.sleep(60_000, controller.signal);
  });

  it('does not wake at once from a sleep longer than a timer can count', async () => {
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

describe('system random', () => {
  it('makes ids of the asked length in base 62, all different', () => {
    const ids = Array.from({ length: 1000 }, () => systemRandom.id(20));
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[0-9A-Za-z]{20}$/);
  });
});

describe('the log', () => {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const last = () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>;

  it('writes one JSON object per line with its own fields and the line’s', () => {
    createLog('info', { worker: 'w1' }, write).warn('late', { ms: 5 });
    expect(lines.at(-1)).toMatch(/^\{.*\}\n$/);
    expect(last()).toMatchObject({ level: 'warn', message: 'late', worker: 'w1', ms: 5 });
  });

  it('keeps quiet below its level', () => {
    const before = lines.length;
    createLog('warn', {}, write).info('hidden');
    createLog('silent', {}, write).error('hidden');
    expect(lines).toHaveLength(before);
  });

  it('shows an error’s message, code and cause', () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    createLog('info', {}, write).error('failed', { error: new Error('no answer', { cause }) });
    expect(last()).toMatchObject({
      error: { message: 'no answer', cause: { message: 'refused', code: 'ECONNREFUSED' } },
    });
  });

  it('never throws for what JSON cannot say', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    createLog('info', {}, write).info('loop', { loop, big: 1n });
    expect(last()).toMatchObject({ message: 'loop' });
  });
});
