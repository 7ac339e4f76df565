// The result of a claim.
import type { Row } from '../../domain/executions/row.ts';
import type { KeyLimit, KeySlot } from '../../domain/jobs/concurrency-key.ts';
import type { Definition, Head, Hold } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { HoldPlace } from '../../store/store.ts';

/** An execution that this worker may run until its lease ends. */
export interface Claimed {
  readonly head: Head;
  readonly message: Message;
  readonly place: HoldPlace;
  readonly hold: Hold;
  /** The row that this worker has fenced. Undefined on the normal path, where finish inserts the row. */
  readonly row: Row | undefined;
  /** By the monotonic clock, counted from before the claim was sent. */
  readonly leaseEnd: number;
  /** The definition that this head names. Undefined if it does not exist. */
  readonly definition: Definition | undefined;
  /** The slot of the concurrency key. Undefined if the job has no limit. */
  readonly slot?: KeySlot | undefined;
}

export type Claim =
  | { readonly kind: 'run'; readonly claimed: Claimed }
  /** There is nothing left to do, and the message is deleted. */
  | { readonly kind: 'drop' }
  /** The message comes back at this time. `waitsFor`: the execution waits for one of these slots. */
  | { readonly kind: 'later'; readonly at: number; readonly waitsFor?: KeyLimit }
  /** Another process has written between two calls. The claim starts over. */
  | { readonly kind: 'retry' }
  /** The result depends on a read that may be stale. The claim starts over with consistent reads (docs/protocol.md#reads). */
  | { readonly kind: 'retryConsistent' };

/** The result of a claim that is not to be repeated. */
export type DecidedClaim = Exclude<Claim, { readonly kind: 'retry' | 'retryConsistent' }>;

export const isRetry = (claim: Claim): claim is Exclude<Claim, DecidedClaim> =>
  claim.kind === 'retry' || claim.kind === 'retryConsistent';

export const DROP: Claim = { kind: 'drop' };
export const RETRY: Claim = { kind: 'retry' };
export const RETRY_CONSISTENT: Claim = { kind: 'retryConsistent' };
