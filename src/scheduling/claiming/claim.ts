// Claim of (job, due, revision | byHand) at fire time: who may run it, if anybody (docs/protocol.md#claim).
import type { Row } from '../../domain/executions/row.ts';
import type { Definition, Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { definitionOf } from '../records/definitions.ts';
import { claimConcurrent } from './claim-concurrent.ts';
import { claimExclusive } from './claim-exclusive.ts';
import { type DecidedClaim, isRetry } from './claim-result.ts';
import type { Found } from './holds.ts';

/** Enough for any contention that ends; what does not end comes back as a message. */
const MAX_ROUNDS = 12;

export interface Prepared {
  readonly head: Head;
  readonly holderRow: Row | undefined;
  readonly definition: Definition;
}

/**
 * What a claim reads first, read ahead of the fire time: under the take's compare-and-set an early read is only a stale
 * one. The definition is read ahead too, so that nothing stands between the take and the start.
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
  const { store, clock, random } = context;
  let consistent = false;
  let ahead = prepared;
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const head = ahead?.head ?? (await store.readHead(message.jobId, { consistent }));
    const found: Found = { head, consistent, holderRow: ahead?.holderRow, definition: prepared?.definition };
    ahead = undefined;
    const result =
      head?.overlap === 'allow'
        ? await claimConcurrent(context, workerId, message, head, prepared?.definition)
        : await claimExclusive(context, workerId, message, found);
    if (!isRetry(result)) return result;
    consistent = true;
    if (result.kind === 'retry') await clock.sleep(random.float() * 20 * round);
  }
  return { kind: 'later', at: clock.now() + 1000 };
}
