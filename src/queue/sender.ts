// Sends messages so that each becomes visible a little before its time.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { hash } from '../domain/ids.ts';
import { BATCH, type RequestMeter, sendBatch, type Timer } from './batch.ts';
import { encode } from './message.ts';
import { LONGEST_DELAY_MS, type Message, type Queue } from './queue.ts';

/** Requests under way at once. */
const AT_ONCE = 8;

/** Whole seconds, rounded down and one less: it arrives early and the worker holds it to the millisecond. */
export const delaySeconds = (fireAt: number, now: number): number =>
  Math.min(Math.max(Math.floor((fireAt - now) / 1000) - 1, 0), LONGEST_DELAY_MS / 1000);

export interface SenderOptions {
  readonly client: SQSClient;
  /** A job's messages always go to the same one. */
  readonly queueUrls: readonly string[];
  readonly timer: Timer;
  readonly meter?: RequestMeter;
}

/** 1 request per 10 messages of one queue. */
export function createSender({ client, queueUrls, timer, meter }: SenderOptions): Queue {
  async function sendTen(QueueUrl: string, messages: readonly Message[]): Promise<void> {
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
    for (const failure of failures.values()) throw failure;
  }

  return {
    async send(messages) {
      const byQueue = Map.groupBy(messages, ({ jobId }) => queueUrls[hash(jobId) % queueUrls.length] ?? '');
      const batches = [...byQueue].flatMap(([url, list]) =>
        Array.from({ length: Math.ceil(list.length / BATCH) }, (_, i) => ({
          url,
          messages: list.slice(i * BATCH, (i + 1) * BATCH),
        })),
      );
      const next = batches.values();
      const failures: unknown[] = [];
      const worker = async () => {
        for (const batch of next) await sendTen(batch.url, batch.messages).catch((e) => failures.push(e));
      };
      // every batch is tried, also after one has failed: each message more is a run less that waits for settle
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      if (failures.length > 0) throw failures[0];
    },
  };
}
