// Sends messages so that each becomes visible a little before its time.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { createBatcher } from '../../concurrency/batcher.ts';
import { hash } from '../../domain/hash.ts';
import { MAX_DELAY_MS, type Message, type Queue } from '../queue.ts';
import { encode } from './message-body.ts';
import { BATCH, type RequestMeter, sendBatch, type Timer } from './send-batch.ts';

/** Requests of one queue under way at once. */
const AT_ONCE = 8;
/** A request that hangs must not keep the others. */
const STALL_MS = 1_000;

/** Whole seconds, rounded down and one less: it arrives early and the worker holds it to the millisecond. */
export const delaySeconds = (fireAt: number, now: number): number =>
  Math.min(Math.max(Math.floor((fireAt - now) / 1000) - 1, 0), MAX_DELAY_MS / 1000);

export interface SenderOptions {
  readonly client: SQSClient;
  /** A job's messages always go to the same one. */
  readonly queueUrls: readonly string[];
  readonly timer: Timer;
  readonly meter?: RequestMeter;
}

/** 1 request per 10 messages of one queue, whoever sends them. */
export function createSender({ client, queueUrls, timer, meter }: SenderOptions): Queue {
  async function sendTen(QueueUrl: string, messages: readonly Message[]) {
    const failures = await sendBatch('SendMessageBatch', messages, timer, async (entries) => {
      meter?.('SendMessageBatch', entries.length);
      const now = timer.now();
      const Entries = entries.map(({ id, entry }) => ({
        Id: id,
        MessageBody: encode(entry),
        DelaySeconds: delaySeconds(entry.fireAt, now),
      }));
      return (await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).Failed ?? [];
    });
    return Promise.allSettled(
      messages.map(async (message) => {
        const failure = failures.get(message);
        if (failure) throw failure;
      }),
    );
  }

  const limits = { most: BATCH, atOnce: AT_ONCE, stallMs: STALL_MS };
  const lanes = queueUrls.map((url) =>
    createBatcher<Message, void>(limits, (messages) => sendTen(url, messages)),
  );
  return {
    /** Every message is tried, also after one has failed: each more is a run less that waits for settle. */
    async send(messages) {
      const sent = await Promise.allSettled(
        messages.map(async (message) => lanes[hash(message.jobId) % lanes.length]?.(message)),
      );
      for (const one of sent) if (one.status === 'rejected') throw one.reason;
    },
  };
}
