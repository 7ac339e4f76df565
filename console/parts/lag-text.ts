// The lag of the watcher in words.
import { lengthText } from '../../src/domain/length-text.ts';

/** A watcher passes once a minute, so a lag of two minutes means that it missed a pass. */
export const MAX_NORMAL_LAG_SECONDS = 120;

export type LagState = 'onTime' | 'behind' | 'unknown';

export function lagState(seconds: number | undefined): LagState {
  if (seconds === undefined) return 'unknown';
  return seconds <= MAX_NORMAL_LAG_SECONDS ? 'onTime' : 'behind';
}

export const lagText = (seconds: number | undefined): string => {
  if (seconds === undefined) return '–';
  return seconds === 0 ? '0 s' : lengthText(seconds * 1000);
};
