// The result of a claim.
import type { Row } from '../../domain/executions/row.ts';
import type { KeyLimit } from '../../domain/jobs/concurrency-key.ts';
import type { Definition, Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';

/** An execution that this worker may run until its lease ends. */
export interface Claimed {
  readonly head: Head;
  readonly message: Message;
  /** The row as this claim has opened it, and as it was before. */
  readonly row: Row;
  readonly seen: Row | undefined;
  /** Monotonic time before the claim was sent. The lease counts from here. */
  readonly sentAt: number;
  /** The definition that this head names. Undefined if it does not exist. */
  readonly definition: Definition | undefined;
  /** What the attempts before have saved. */
  readonly checkpoint: unknown;
  /** The concurrency key that has a seat taken. Undefined if the job has no limit. */
  readonly limit: KeyLimit | undefined;
}

export type ClaimResult =
  | { readonly kind: 'run'; readonly claimed: Claimed }
  /** There is nothing left to do, and the message is deleted. */
  | { readonly kind: 'drop' }
  /** The message comes back at this time. `waitsFor`: the execution waits for a seat of this key. */
  | { readonly kind: 'later'; readonly at: number; readonly waitsFor?: KeyLimit };
