// The time until or since an instant, in words.
import { lengthText } from '../../src/domain/length-text.ts';

/** `in 5 s`, `now`, `3 min ago`. In whole seconds, because it is shown anew every second. `planned`: a time that has just passed is now. */
export function relativeText(at: number, now: number, { planned = false } = {}): string {
  const seconds = Math.round((at - now) / 1000);
  if (seconds === 0 || (planned && seconds < 0)) return 'now';
  const length = lengthText(Math.abs(seconds) * 1000);
  return seconds > 0 ? `in ${length}` : `${length} ago`;
}
