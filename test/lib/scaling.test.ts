import { describe, expect, it } from 'vitest';
import { spikeLateness } from '../../bench/spike.ts';
import { addedFor, stepsOut } from '../../lib/compute/scaling-steps.ts';

describe('scaling out', () => {
  it.each([2, 20, 200, 5000])(
    'with at most %i workers adds at least the missing workers, and at most twice as many',
    (maxWorkers) => {
      for (let missing = 1; missing <= maxWorkers; missing++) {
        expect(addedFor(missing, maxWorkers)).toBeGreaterThanOrEqual(missing);
        expect(addedFor(missing, maxWorkers)).toBeLessThanOrEqual(2 * missing);
      }
      // the maximum number of steps of a scaling policy
      expect(stepsOut(maxWorkers).length).toBeLessThanOrEqual(20);
      expect(addedFor(0, maxWorkers)).toBe(0);
    },
  );

  it('starts the workers for a planned spike before it begins', async () => {
    const planned = await spikeLateness({ byForecast: true });
    const unplanned = await spikeLateness({ byForecast: false });
    expect(planned.maxSeconds).toBeLessThan(2);
    expect(unplanned.maxSeconds).toBeGreaterThan(100);
  });
});
