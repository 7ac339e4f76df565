// The consumer of the ingest queue: creates the jobs that were accepted with `Prefer: respond-async`.
import { PunctualError } from '../../domain/errors.ts';
import { createAccepted } from '../../jobs/create-async.ts';
import type { Quotas } from '../../jobs/enforce-quotas.ts';
import { decodeIngest } from '../../queue/ingest-queue.ts';
import type { Receiver } from '../../queue/queue.ts';
import { inTrace } from '../../queue/with-trace.ts';
import type { Context } from '../../scheduling/context.ts';

/** Why it can never be created, or undefined when it is there now. Throws what another try may mend. */
export async function ingest(context: Context, quotas: Quotas, body: string): Promise<string | undefined> {
  const message = decodeIngest(body);
  if (!message) return 'it is no message of this queue';
  try {
    // the rate and the interval were asked for when it was accepted
    const queue = inTrace(context.queue, () => message.trace);
    await createAccepted({ ...context, queue }, message, () => quotas.takeActive(message.userId));
    return undefined;
  } catch (error) {
    if (error instanceof PunctualError && error.status < 500) return `${error.title}: ${error.message}`;
    throw error;
  }
}

const AFTER_A_FAILURE_MS = 1_000;

/** Until the signal. What fails is delivered again when its visibility timeout is over. */
export async function runIngest(
  context: Context,
  quotas: Quotas,
  inbox: Receiver,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = context;
  while (!signal.aborted) {
    try {
      const received = await inbox.receive(10, signal);
      await Promise.all(
        received.map(async (one) => {
          try {
            const refused = await ingest(context, quotas, one.body);
            if (refused === undefined) return await one.delete();
            log.warn('an accepted job cannot be created', { reason: refused });
            await one.deadLetter(refused);
          } catch (error) {
            log.error('an accepted job is not created yet', { error });
          }
        }),
      );
    } catch (error) {
      log.error('the ingest queue does not answer', { error });
      await clock.sleep(AFTER_A_FAILURE_MS, signal);
    }
  }
}
