// The attempts of an execution on a line, with the delays between them.
import { backoffMs } from '../../../../src/domain/jobs/policy-defaults.ts';
import { lengthText } from '../../../../src/domain/length-text.ts';
import type { JobDraft } from '../draft/job-draft.ts';

/** More attempts than this are not drawn. */
export const MAX_DRAWN = 8;

export interface RetryAttempt {
  readonly attempt: number;
  /** The delay before this attempt, without jitter. 0 for the first. */
  readonly delayMs: number;
  /** The time since the first attempt, if every attempt fails at once. */
  readonly afterMs: number;
  /** 0 to 1, on a square-root scale. */
  readonly x: number;
}

export interface RetryLine {
  readonly attempts: readonly RetryAttempt[];
  /** The number of attempts that are not drawn. */
  readonly more: number;
  /** The time from the first attempt to the last of all. */
  readonly totalMs: number;
}

/** Undefined if a value is not a number that the API accepts. */
export function retryLine(retry: JobDraft['retry']): RetryLine | undefined {
  const { maxAttempts, backoffSeconds, maxBackoffSeconds } = retry;
  if (
    ![maxAttempts, backoffSeconds, maxBackoffSeconds].every(
      (value) => typeof value === 'number' && value >= 0,
    )
  )
    return undefined;
  const count = Math.min(Math.floor(Number(maxAttempts)), 100);
  const backoff = { backoffSeconds: Number(backoffSeconds), maxBackoffSeconds: Number(maxBackoffSeconds) };
  const delays = Array.from({ length: Math.max(0, count) }, (_, index) =>
    index === 0 ? 0 : backoffMs(backoff, index, 0.5),
  );
  const after = delays.map((_, index) => delays.slice(0, index + 1).reduce((sum, delay) => sum + delay, 0));
  const drawn = delays.slice(0, MAX_DRAWN);
  const last = after[drawn.length - 1] ?? 0;
  return {
    attempts: drawn.map((delayMs, index) => ({
      attempt: index + 1,
      delayMs,
      afterMs: after[index] ?? 0,
      x:
        last === 0
          ? drawn.length < 2
            ? 0
            : index / (drawn.length - 1)
          : Math.sqrt((after[index] ?? 0) / last),
    })),
    more: delays.length - drawn.length,
    totalMs: after.at(-1) ?? 0,
  };
}

export function retrySentence({ attempts, more, totalMs }: RetryLine): string {
  const count = attempts.length + more;
  if (count <= 1) return 'One attempt, and no retry.';
  const delays = attempts.slice(1).map(({ delayMs }) => lengthText(delayMs));
  const rest = more > 0 ? ' and so on' : '';
  return `Up to ${count} attempts, with delays of ${delays.join(', ')}${rest}. If all fail at once, the last begins after ${lengthText(totalMs)}. Delays vary by 20 %.`;
}
