// The steps of scaling out. For a number of missing workers, at least that number and at most twice as many are added.
// The steps are data, so that the alarm and `npm run bench -- spike` use the same ones.

export interface Step {
  /** The smallest number of missing workers that this step is for. */
  readonly missing: number;
  readonly add: number;
}

/** Steps for 1, 2, 4 … missing workers, up to `maxWorkers`. */
export function stepsOut(maxWorkers: number): Step[] {
  const steps: Step[] = [];
  for (let missing = 1; missing <= maxWorkers; missing *= 2)
    steps.push({ missing, add: Math.min(2 * missing, maxWorkers) });
  return steps;
}

export const addedFor = (missing: number, maxWorkers: number): number =>
  stepsOut(maxWorkers).findLast((step) => step.missing <= missing)?.add ?? 0;

/** If messages wait in the queues, the number of workers grows by this percentage. */
export const BEHIND_PERCENT = 50;
export const BEHIND_MINUTES = 2;
export const BEHIND_COOLDOWN_SECONDS = 60;
/** The time that added workers need to start and to report. With a shorter one they would be added again every minute. */
export const AHEAD_COOLDOWN_SECONDS = 180;
