// SQS takes a batch entry by entry: those that failed for a passing reason are tried again, with backoff, and a failure
// that stays is told to whoever asked for that entry. None is ever ignored.
import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';

/** What SQS takes at once. */
export const BATCH = 10;

/** Of the clock that use cases are handed in, what is needed here. */
export interface Timer {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Told of every request to SQS: they are what SQS bills (each 64 KB). */
export type RequestMeter = (operation: string, messages: number) => void;

export class EntryFailed extends Error {
  override readonly name = 'EntryFailed';
  readonly code: string;
  constructor(operation: string, { Code = 'unknown', Message = '' }: BatchResultErrorEntry) {
    super(`${operation}: ${Code} ${Message}`.trim());
    this.code = Code;
  }
}

const FIRST_DELAY_MS = 25;
const MAX_DELAY_MS = 2_000;
const MAX_TRIES = 8;

/** At most 10 `entries`; `request` names those that failed by their index. Returns the errors that stayed, by entry. */
export async function sendBatch<T>(
  operation: string,
  entries: readonly T[],
  timer: Timer,
  request: (entries: { id: string; entry: T }[]) => Promise<readonly BatchResultErrorEntry[]>,
): Promise<Map<T, EntryFailed>> {
  const failures = new Map<T, EntryFailed>();
  let left = entries.map((entry, index) => ({ id: String(index), entry }));
  for (let attempt = 1; ; attempt++) {
    const failed = new Map((await request(left)).map((error) => [error.Id, error]));
    for (const { id, entry } of left) {
      const error = failed.get(id);
      if (error) failures.set(entry, new EntryFailed(operation, error));
      else failures.delete(entry);
    }
    // the sender's fault will be so again
    left = left.filter(({ id }) => failed.has(id) && !failed.get(id)?.SenderFault);
    if (left.length === 0 || attempt === MAX_TRIES) return failures;
    await timer.sleep(Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS));
  }
}
