// The attempts of an execution that its row keeps. The fields of the row itself describe the latest attempt.
import type { Hold } from '../jobs/job.ts';
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

/**
 * The attempt whose worker is lost, when another worker takes over. `begun` is the number of attempts that may have started.
 * Undefined if the last attempt that began has ended and is in the row.
 */
export function lostAttempt(
  old: Hold,
  row: Row | undefined,
  begun: number,
  now: number,
): PastAttempt | undefined {
  if (begun === 0 || row?.attempts?.some(({ attempt }) => attempt === begun)) return undefined;
  if (row && (row.status !== 'RUNNING' || row.attempt !== begun)) return undefined;
  return {
    attempt: begun,
    workerId: row?.workerId ?? old.workerId,
    startedAt: row?.startedAt ?? old.startedAt,
    finishedAt: now,
    error: { name: 'WorkerLost', message: 'the worker stopped answering' },
  };
}
