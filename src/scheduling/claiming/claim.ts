// The claim of an execution at its fire time: whether this worker may run it (docs/protocol.md#claim).
import { CONFLICT, RETRY_NOW, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { Definition, Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { definitionOf } from '../records/definitions.ts';
import { claimConcurrent } from './claim-concurrent.ts';
import { claimExclusive } from './claim-exclusive.ts';
import { type DecidedClaim, isRetry } from './claim-result.ts';
import type { Found } from './holds.ts';

/** If the conflicts go on for longer, the message comes back later. */
const CLAIM_RETRY = { maxRounds: 12, pauseMs: 20 };

/** The items that a claim reads first. */
export interface Prepared {
  readonly head: Head;
  /** The row of the execution that holds the job, if that is another one. */
  readonly holderRow: Row | undefined;
  readonly definition: Definition;
}

/**
 * Reads what a claim needs before the fire time. The claim is a compare-and-set, so the reads may be stale. The definition is
 * read too, so that no read is left between the claim and the start. Undefined if the job does not exist.
 */
export async function prepare(context: Context, message: Message): Promise<Prepared | undefined> {
  const { store } = context;
  const head = await store.readHead(message.jobId, { consistent: false });
  if (!head) return undefined;
  const other = head.hold && head.hold.due !== message.due ? head.hold : undefined;
  const [holderRow, definition] = await Promise.all([
    other && store.readRow(head.jobId, other.due, { consistent: false }),
    definitionOf(context, head),
  ]);
  return { head, holderRow, definition };
}

export async function claim(
  context: Context,
  workerId: string,
  message: Message,
  prepared?: Prepared,
): Promise<DecidedClaim> {
  const { store, clock } = context;
  let consistent = false;
  let firstRead = prepared;
  const result = await retryConflicts(context, CLAIM_RETRY, async () => {
    const head = firstRead?.head ?? (await store.readHead(message.jobId, { consistent }));
    const found: Found = {
      head,
      consistent,
      holderRow: firstRead?.holderRow,
      definition: prepared?.definition,
    };
    firstRead = undefined;
    const claimed =
      head?.overlap === 'allow'
        ? await claimConcurrent(context, workerId, message, head, prepared?.definition)
        : await claimExclusive(context, workerId, message, found);
    if (!isRetry(claimed)) return claimed;
    consistent = true;
    return claimed.kind === 'retry' ? CONFLICT : RETRY_NOW;
  });
  return result === CONFLICT ? { kind: 'later', at: clock.now() + 1000 } : result;
}
