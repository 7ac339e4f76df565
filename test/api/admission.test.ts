import { describe, expect, it } from 'vitest';
import { createAdmission, Overloaded } from '../../src/api/http/admission.ts';
import { createLog } from '../../src/runtime/log.ts';
import { StandingClock } from '../support/standing-clock.ts';

/** A store that completes `perSecond` writes per second, one after the other. */
function overloaded(perSecond: number) {
  const clock = new StandingClock();
  const admit = createAdmission({ clock, log: createLog('silent') });
  let busyUntil = 0;
  const ended: { after: number; outcome: 'written' | 'refused' }[] = [];
  const write = async () => {
    const began = clock.monotonic();
    const outcome = await admit('createJob', async () => {
      busyUntil = Math.max(busyUntil, clock.monotonic()) + 1000 / perSecond;
      await clock.sleep(busyUntil - clock.monotonic());
    }).then(
      () => 'written' as const,
      (error: unknown) => {
        if (error instanceof Overloaded) return 'refused' as const;
        throw error;
      },
    );
    ended.push({ after: clock.monotonic() - began, outcome });
  };
  /** Starts `rate` writes per second, evenly spaced, for `seconds`. */
  const offer = async (rate: number, seconds: number) => {
    const step = 20;
    for (let ms = 0; ms < seconds * 1000; ms += step) {
      for (let i = 0; i < (rate * step) / 1000; i++) void write();
      await clock.advance(step);
    }
  };
  return { clock, ended, offer };
}

const count = (ended: readonly { outcome: string }[], outcome: string) =>
  ended.filter((one) => one.outcome === outcome).length;

describe('admission control', () => {
  it('refuses nothing below what the store takes', async () => {
    const { ended, offer, clock } = overloaded(1000);
    await offer(500, 10);
    await clock.advance(1000);
    expect(count(ended, 'refused')).toBe(0);
    expect(count(ended, 'written')).toBe(5000);
  });

  it('at twice that rate writes as many as the store takes, and answers everybody within a second', async () => {
    const { ended, offer, clock } = overloaded(500);
    await offer(1000, 20);
    await clock.advance(2000);
    expect(ended).toHaveLength(20_000);
    expect(Math.max(...ended.map(({ after }) => after))).toBeLessThan(1000);
    expect(count(ended, 'written')).toBeGreaterThan(0.9 * 500 * 20);
  });

  it('a store that stands still has few writes under way, and the rest is refused soon', async () => {
    const { ended, offer, clock } = overloaded(0.05);
    await offer(200, 5);
    await clock.advance(1000);
    const refused = ended.filter(({ outcome }) => outcome === 'refused');
    expect(refused.length).toBeGreaterThan(900);
    expect(Math.max(...refused.map(({ after }) => after))).toBeLessThanOrEqual(500);
  });

  it('long writes of one caller neither shrink the limit of short ones nor take their room', async () => {
    const clock = new StandingClock();
    const admit = createAdmission({ clock, log: createLog('silent') });
    let refused = 0;
    for (let i = 0; i < 100; i++) void admit('backfillJob', () => clock.sleep(60_000)).catch(() => refused++);
    for (let i = 0; i < 40; i++) void admit('pauseJob', () => clock.sleep(1_500));
    await clock.advance(2_000);
    expect(refused).toBe(36);
    let written = 0;
    for (let i = 0; i < 60; i++) void admit('createJob', () => clock.sleep(10)).then(() => written++);
    await clock.advance(100);
    expect(written).toBe(60);
  });

  it('takes everything again when the store has recovered', async () => {
    const world = overloaded(100);
    await world.offer(1000, 10);
    await world.clock.advance(5000);
    world.ended.length = 0;
    await world.offer(50, 20);
    await world.clock.advance(2000);
    expect(count(world.ended, 'refused')).toBe(0);
  });
});
