// What a claim answers.
import type { Row } from '../../domain/executions/row.ts';
import type { Definition, Head, Hold } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { HoldPlace } from '../../store/store.ts';

/** An execution that is ours to run until the lease is over. */
export interface Claimed {
  readonly head: Head;
  readonly message: Message;
  readonly place: HoldPlace;
  readonly hold: Hold;
  /** The row as we have opened or fenced it; absent on the normal path, where finish inserts it. */
  readonly row: Row | undefined;
  /** By the monotonic clock, counted from before the take was sent. */
  readonly leaseEnd: number;
  /** The one in force by this head. Undefined: there is none. */
  readonly definition: Definition | undefined;
}

export type Claim =
  | { readonly kind: 'run'; readonly claimed: Claimed }
  /** Nothing to do (any more): the message may go. */
  | { readonly kind: 'drop' }
  /** Look again then. */
  | { readonly kind: 'later'; readonly at: number }
  /** Something changed between two of our calls: start over. */
  | { readonly kind: 'retry' }
  /** The answer rests on a read that may be stale: ask again consistently (docs/protocol.md#reads). */
  | { readonly kind: 'retryConsistent' };

/** The result of a claim that is not to be repeated. */
export type DecidedClaim = Exclude<Claim, { readonly kind: 'retry' | 'retryConsistent' }>;

export const isRetry = (claim: Claim): claim is Exclude<Claim, DecidedClaim> =>
  claim.kind === 'retry' || claim.kind === 'retryConsistent';

export const DROP: Claim = { kind: 'drop' };
export const RETRY: Claim = { kind: 'retry' };
export const RETRY_CONSISTENT: Claim = { kind: 'retryConsistent' };
