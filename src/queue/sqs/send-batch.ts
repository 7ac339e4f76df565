// Batch requests to SQS, which accepts or rejects each entry on its own. Entries that failed for a temporary reason are
// retried with backoff. A lasting failure is the result of its entry.
import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import { backoffMs } from '../../concurrency/backoff.ts';
import type { Timer } from '../../concurrency/timer.ts';

/** SQS's maximum number of entries in a batch request. */
export const BATCH = 10;

/** Called with every request to SQS. SQS bills requests, counted per 64 KB. */
export type RequestMeter = (operation: string, messages: number) => void;

export class EntryFailed extends Error {
  override readonly name = 'EntryFailed';
  readonly code: string;
  constructor(operation: string, { Code = 'unknown', Message = '' }: BatchResultErrorEntry) {
    super(`${operation}: ${Code} ${Message}`.trim());
    this.code = Code;
  }
}

const BACKOFF = { baseMs: 25, maxMs: 2_000 };
const MAX_ATTEMPTS = 8;

/** Sends at most `BATCH` entries. `request` returns the failed ones by id. The results are in the order of the entries. */
export async function sendBatch<T>(
  operation: string,
  entries: readonly T[],
  timer: Timer,
  request: (entries: { id: string; entry: T }[]) => Promise<readonly BatchResultErrorEntry[]>,
): Promise<PromiseSettledResult<void>[]> {
  const all = entries.map((entry, index) => ({ id: String(index), entry }));
  const failures = new Map<string, EntryFailed>();
  let left = all;
  for (let attempt = 1; left.length > 0; attempt++) {
    const failed = new Map((await request(left)).map((error) => [error.Id, error]));
    for (const { id } of left) {
      const error = failed.get(id);
      if (error) failures.set(id, new EntryFailed(operation, error));
      else failures.delete(id);
    }
    // a retry of an entry that is the sender's fault would fail again
    left = left.filter(({ id }) => failed.has(id) && !failed.get(id)?.SenderFault);
    if (attempt === MAX_ATTEMPTS) break;
    if (left.length > 0) await timer.sleep(backoffMs(BACKOFF, attempt));
  }
  return all.map(({ id }) => {
    const reason = failures.get(id);
    return reason ? { status: 'rejected', reason } : { status: 'fulfilled', value: undefined };
  });
}

/** Throws the first failure. */
export function throwRejected(results: readonly PromiseSettledResult<unknown>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
