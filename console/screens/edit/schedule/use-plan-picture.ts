// Computes the picture of the plan after the last keystroke, in slices between which the browser draws.
import { useEffect, useState } from 'react';
import type { Schedule } from '../../../../src/domain/schedule/schedule-schema.ts';
import { type PlanPicture, planPicture } from './plan-picture.ts';

/** A picture is not begun while the user types. */
const AFTER_KEYSTROKE_MS = 150;

export interface ShownPlan {
  readonly schedule: Schedule;
  readonly picture: PlanPicture;
}

/** The last picture stays until the next one is ready. Undefined before the first. */
export function usePlanPicture(schedule: Schedule | undefined): ShownPlan | undefined {
  const [shown, setShown] = useState<ShownPlan>();
  const key = JSON.stringify(schedule);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an equal schedule has the same picture
  useEffect(() => {
    if (schedule === undefined || 'at' in schedule) return;
    const steps = planPicture(schedule, Date.now());
    let timer = setTimeout(next, AFTER_KEYSTROKE_MS);
    function next() {
      const { done, value } = steps.next();
      if (done) setShown({ schedule: schedule as Schedule, picture: value });
      else timer = setTimeout(next, 0);
    }
    return () => clearTimeout(timer);
  }, [key]);
  return shown;
}
