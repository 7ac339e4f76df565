// The receiving side of one queue.
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
  type Message as SqsMessage,
} from '@aws-sdk/client-sqs';
import { createBatcher } from '../../concurrency/batcher.ts';
import type { Timer } from '../../concurrency/timer.ts';
import type { Received, Receiver } from '../queue.ts';
import { sendDeadLetter } from './dead-letter.ts';
import { decode } from './message-body.ts';
import { BATCH, EntryFailed, type RequestMeter, sendBatch } from './send-batch.ts';

const LONG_POLL_SECONDS = 20;
/** SQS's maximum visibility timeout: 12 hours, counted from the receipt. */
const MAX_VISIBILITY_SECONDS = 43_200;
/**
 * How long the first delete of a batch waits for others. Deletes are not urgent, because the message stays hidden for 30 s.
 * Requests are billed. From 20 deletes per second on, a batch is full before this time is over.
 */
const DELETE_LINGER_MS = 500;
/** Short, because a message that is handed back should be visible soon. */
const VISIBILITY_LINGER_MS = 20;
/** Error codes of SQS and of the embedded queue for a message that another receiver has, or that was deleted. */
const NOT_IN_FLIGHT = /MessageNotInflight|ReceiptHandleIsInvalid/;

export interface ReceiverOptions {
  readonly client: SQSClient;
  /** Long polls occupy their connection for 20 s. A client of their own keeps them from delaying deletes. */
  readonly pollClient: SQSClient;
  readonly queueUrl: string;
  readonly deadLetterUrl: string;
  /** The visibility timeout of a received message. Default: the queue's own. */
  readonly visibilityMs?: number;
  /** The `maxReceiveCount` of the queue's redrive policy. Absent if the consumer does not ask for it. */
  readonly maxReceives?: number;
  readonly timer: Timer;
  readonly meter?: RequestMeter;
}

export function createReceiver(options: ReceiverOptions): Receiver {
  const { client, pollClient, queueUrl, deadLetterUrl, visibilityMs, maxReceives, timer, meter } = options;
  const deleteMessage = createBatcher<string, void>(
    { timer, maxCalls: BATCH, lingerMs: DELETE_LINGER_MS },
    (handles) =>
      sendBatch('DeleteMessageBatch', handles, timer, async (entries) => {
        meter?.('DeleteMessageBatch', entries.length);
        const Entries = entries.map(({ id, entry }) => ({ Id: id, ReceiptHandle: entry }));
        const command = new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries });
        return (await client.send(command)).Failed ?? [];
      }),
  );
  const changeVisibility = createBatcher<{ ReceiptHandle: string; VisibilityTimeout: number }, void>(
    { timer, maxCalls: BATCH, lingerMs: VISIBILITY_LINGER_MS },
    (changes) =>
      sendBatch('ChangeMessageVisibilityBatch', changes, timer, async (entries) => {
        meter?.('ChangeMessageVisibilityBatch', entries.length);
        const Entries = entries.map(({ id, entry }) => ({ Id: id, ...entry }));
        const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries });
        return (await client.send(command)).Failed ?? [];
      }),
  );

  /** Whole seconds, rounded up. Rounded down, the last second would be a busy loop of receives. */
  async function setVisibility(handle: string, receivedAt: number, ms: number): Promise<void> {
    const left = MAX_VISIBILITY_SECONDS - Math.ceil((timer.now() - receivedAt) / 1000) - 1;
    const VisibilityTimeout = Math.max(0, Math.min(Math.ceil(ms / 1000), left));
    try {
      await changeVisibility({ ReceiptHandle: handle, VisibilityTimeout });
    } catch (error) {
      // the message is visible again, received by another worker, or deleted; a duplicate is harmless
      if (!(error instanceof EntryFailed && NOT_IN_FLIGHT.test(error.code))) throw error;
    }
  }

  /** Sends, then deletes. After a crash in between the message is in both queues rather than in none. */
  async function deadLetter(handle: string, body: string, reason: string): Promise<void> {
    meter?.('SendMessage', 1);
    await sendDeadLetter(client, deadLetterUrl, body, reason);
    await deleteMessage(handle);
  }

  function received({ Body: body = '', ReceiptHandle: handle = '', Attributes }: SqsMessage): Received {
    const receivedAt = timer.now();
    return {
      message: decode(body),
      body,
      receivedAt,
      receiveCount: Number(Attributes?.ApproximateReceiveCount ?? 1),
      ...(maxReceives !== undefined && { maxReceives }),
      delete: () => deleteMessage(handle),
      setVisibility: (ms) => setVisibility(handle, receivedAt, ms),
      deadLetter: (reason) => deadLetter(handle, body, reason),
    };
  }

  return {
    /**
     * An abort closes the connection. A message that SQS delivers at that moment stays hidden for the visibility timeout
     * (30 s). SQS then delivers it again.
     */
    async receive(max, signal) {
      if (signal.aborted) return [];
      meter?.('ReceiveMessage', 0);
      const poll = new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(max, BATCH),
        WaitTimeSeconds: LONG_POLL_SECONDS,
        VisibilityTimeout: visibilityMs === undefined ? undefined : Math.ceil(visibilityMs / 1000),
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      });
      try {
        const { Messages } = await pollClient.send(poll, { abortSignal: signal });
        return (Messages ?? []).map(received);
      } catch (error) {
        if (signal.aborted) return [];
        throw error;
      }
    },
  };
}
