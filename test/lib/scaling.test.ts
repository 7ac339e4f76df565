import { describe, expect, it } from 'vitest';
import { spikeLateness } from '../../bench/spike.ts';
import { addedFor, stepsOut } from '../../lib/compute/scaling-steps.ts';

describe('scaling out', () => {
  it.each([2, 20, 200, 5000])(
    'with at most %i workers adds what is missing, and not more than twice that',
    (most) => {
      for (let missing = 1; missing <= most; missing++) {
        expect(addedFor(missing, most)).toBeGreaterThanOrEqual(missing);
        expect(addedFor(missing, most)).toBeLessThanOrEqual(2 * missing);
      }
      // AWS takes no more
      expect(stepsOut(most).length).toBeLessThanOrEqual(20);
      expect(addedFor(0, most)).toBe(0);
    },
  );

  it('has the workers of a spike that is in the timetable ready before it', async () => {
    const foreseen = await spikeLateness({ ahead: true });
    const unforeseen = await spikeLateness({ ahead: false });
    expect(foreseen.worstSeconds).toBeLessThan(2);
    expect(unforeseen.worstSeconds).toBeGreaterThan(100);
  });
});
