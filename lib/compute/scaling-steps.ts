// How many workers are added when so many are missing: at least those, at most twice as many. As data, so that the alarm's
// steps and `npm run bench -- spike` are the same.

export interface Step {
  /** From so many missing workers on. */
  readonly missing: number;
  readonly add: number;
}

/** 1, 2, 4 … up to `most` missing ones. */
export function stepsOut(most: number): Step[] {
  const steps: Step[] = [];
  for (let missing = 1; missing <= most; missing *= 2)
    steps.push({ missing, add: Math.min(2 * missing, most) });
  return steps;
}

export const addedFor = (missing: number, most: number): number =>
  stepsOut(most).findLast((step) => step.missing <= missing)?.add ?? 0;

/** When messages wait that nobody takes: half as many workers again. */
export const BEHIND_PERCENT = 50;
export const BEHIND_MINUTES = 2;
export const BEHIND_COOLDOWN_SECONDS = 60;
/** Until the added workers have started and said so: or else they would be added again every minute. */
export const AHEAD_COOLDOWN_SECONDS = 180;
