// Sends messages so that each becomes visible a little before its fire time.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { createBatcher } from '../../concurrency/batcher.ts';
import type { Timer } from '../../concurrency/timer.ts';
import { hash } from '../../domain/hash.ts';
import { groupOf, MAX_DELAY_MS, type Message, type Queue } from '../queue.ts';
import { encode } from './message-body.ts';
import { BATCH, type RequestMeter, sendBatch, throwRejected } from './send-batch.ts';

/** Requests of one queue in flight. */
const MAX_IN_FLIGHT = 8;
/** A request that hangs must not block the others. */
const STALL_MS = 1_000;

/** Whole seconds, rounded down, less one. The message arrives early, and the worker holds it until its fire time. */
export const delaySeconds = (fireAt: number, now: number): number =>
  Math.min(Math.max(Math.floor((fireAt - now) / 1000) - 1, 0), MAX_DELAY_MS / 1000);

export interface SenderOptions {
  readonly client: SQSClient;
  /** All messages of a job go to the same queue. */
  readonly queueUrls: readonly string[];
  readonly timer: Timer;
  readonly meter?: RequestMeter;
}

/** 1 request per 10 messages of one queue. Concurrent callers share requests. */
export function createSender({ client, queueUrls, timer, meter }: SenderOptions): Queue {
  const sendTo = (QueueUrl: string) => (messages: readonly Message[]) =>
    sendBatch('SendMessageBatch', messages, timer, async (entries) => {
      meter?.('SendMessageBatch', entries.length);
      const now = timer.now();
      const Entries = entries.map(({ id, entry }) => ({
        Id: id,
        MessageBody: encode(entry),
        DelaySeconds: delaySeconds(entry.fireAt, now),
        // on a standard queue a group is a tenant of SQS's fair queues, and changes neither order nor concurrency
        MessageGroupId: groupOf(entry),
      }));
      return (await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).Failed ?? [];
    });

  const limits = { timer, maxCalls: BATCH, maxInFlight: MAX_IN_FLIGHT, stallMs: STALL_MS };
  const batchers = queueUrls.map((url) => createBatcher(limits, sendTo(url)));
  return {
    /** Tries every message, also after one has failed. An execution without a message starts only after settle. */
    async send(messages) {
      throwRejected(
        await Promise.allSettled(
          messages.map(async (message) => batchers[hash(message.jobId) % batchers.length]?.(message)),
        ),
      );
    },
  };
}
