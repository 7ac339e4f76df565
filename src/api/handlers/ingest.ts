// The consumer of the ingest queue: creates the jobs that were accepted with `Prefer: respond-async`.
import { onBehalfOf } from '../../concurrency/request-turns.ts';
import { PunctualError } from '../../domain/errors.ts';
import { createAccepted } from '../../jobs/create-async.ts';
import { decodeIngest } from '../../queue/ingest-queue.ts';
import type { Receiver } from '../../queue/queue.ts';
import { inTrace } from '../../queue/with-trace.ts';
import type { Context } from '../../scheduling/context.ts';

/** Resolves with the reason if the job can never be created. Undefined if the job exists now. Throws retryable errors. */
export async function ingest(context: Context, body: string): Promise<string | undefined> {
  const message = decodeIngest(body);
  if (!message) return 'the message is not an accepted job';
  try {
    // the limits were checked when the job was accepted
    const queue = inTrace(context.queue, () => message.trace);
    await onBehalfOf(message.userId, () => createAccepted({ ...context, queue }, message));
    return undefined;
  } catch (error) {
    if (error instanceof PunctualError && error.status < 500) return `${error.title}: ${error.message}`;
    throw error;
  }
}

const PAUSE_AFTER_FAILURE_MS = 1_000;

/** Consumes the queue until the signal. A failed message is redelivered after its visibility timeout. */
export async function runIngest(context: Context, receiver: Receiver, signal: AbortSignal): Promise<void> {
  const { clock, log } = context;
  while (!signal.aborted) {
    try {
      const received = await receiver.receive(10, signal);
      await Promise.all(
        received.map(async (message) => {
          try {
            const refused = await ingest(context, message.body);
            if (refused === undefined) return await message.delete();
            log.warn('refused an accepted job', { reason: refused });
            await message.deadLetter(refused);
          } catch (error) {
            log.error('failed to create an accepted job; its message will be redelivered', { error });
          }
        }),
      );
    } catch (error) {
      log.error('failed to receive from the ingest queue', { error });
      await clock.sleep(PAUSE_AFTER_FAILURE_MS, signal);
    }
  }
}
