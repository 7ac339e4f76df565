// The attempts of an execution that its row keeps. The fields of the row itself describe the latest attempt.
import type { PastAttempt, Row } from './row.ts';
import { shortError } from './run-error.ts';

/** The number of attempts that a row keeps. Older ones are dropped, so that a row with many retries stays small. */
export const MAX_KEPT_ATTEMPTS = 5;

type Kept = Pick<Row, 'attempts' | 'firstStartedAt'>;

/** The fields of a row to which an ended attempt is added. */
export function withAttempt(kept: Kept | undefined, ended: PastAttempt): Kept {
  const { error } = ended;
  return {
    attempts: [...(kept?.attempts ?? []), { ...ended, ...(error && { error: shortError(error) }) }].slice(
      -MAX_KEPT_ATTEMPTS,
    ),
    firstStartedAt: kept?.firstStartedAt ?? ended.startedAt,
  };
}
