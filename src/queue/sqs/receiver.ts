// The worker's side of one queue.
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
  type Message as SqsMessage,
} from '@aws-sdk/client-sqs';
import type { Received, Receiver } from '../queue.ts';
import { coalesce } from './coalesce.ts';
import { sendDeadLetter } from './dead-letter.ts';
import { decode } from './message-body.ts';
import { BATCH, EntryFailed, type RequestMeter, type Timer } from './send-batch.ts';

const LONG_POLL_SECONDS = 20;
/** SQS hides a message for 12 hours at most, counted from its receipt. */
const MAX_HIDDEN_SECONDS = 43_200;
/**
 * How long the first waits for others. A delete is not urgent (the message is hidden for 30 s more), a request is paid for;
 * from 20 a second on a batch is full before this is over.
 */
const DELETES_WAIT_MS = 500;
/** As SQS says it, and the embedded queue. */
const NO_LONGER_OURS = /MessageNotInflight|ReceiptHandleIsInvalid/;
/** Whoever is handed a message back should have it soon. */
const HIDES_WAIT_MS = 20;

export interface ReceiverOptions {
  readonly client: SQSClient;
  /** Long polls hold their connection for 20 s; on a client of their own they do not hold up deletes. */
  readonly pollClient: SQSClient;
  readonly queueUrl: string;
  readonly deadLetterUrl: string;
  /** How long a message is hidden from others once received. Default: what the queue was made with. */
  readonly visibilityMs?: number;
  readonly timer: Timer;
  readonly meter?: RequestMeter;
}

export function createReceiver(options: ReceiverOptions): Receiver {
  const { client, pollClient, queueUrl, deadLetterUrl, visibilityMs, timer, meter } = options;
  const deleteMessage = coalesce<string>(
    { operation: 'DeleteMessageBatch', waitMs: DELETES_WAIT_MS, timer },
    async (handles) => {
      meter?.('DeleteMessageBatch', handles.length);
      const Entries = handles.map(({ id, entry }) => ({ Id: id, ReceiptHandle: entry }));
      const command = new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries });
      return (await client.send(command)).Failed ?? [];
    },
  );
  const hideMessage = coalesce<{ ReceiptHandle: string; VisibilityTimeout: number }>(
    { operation: 'ChangeMessageVisibilityBatch', waitMs: HIDES_WAIT_MS, timer },
    async (changes) => {
      meter?.('ChangeMessageVisibilityBatch', changes.length);
      const Entries = changes.map(({ id, entry }) => ({ Id: id, ...entry }));
      const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries });
      return (await client.send(command)).Failed ?? [];
    },
  );

  /** Whole seconds, rounded up: rounded down, the last second before the time would be a busy loop of receives. */
  async function hide(handle: string, receivedAt: number, ms: number): Promise<void> {
    const left = MAX_HIDDEN_SECONDS - Math.ceil((timer.now() - receivedAt) / 1000) - 1;
    const VisibilityTimeout = Math.max(0, Math.min(Math.ceil(ms / 1000), left));
    try {
      await hideMessage({ ReceiptHandle: handle, VisibilityTimeout });
    } catch (error) {
      // it is visible again, in other hands or gone: no longer ours to hide, and a duplicate is harmless
      if (!(error instanceof EntryFailed && NO_LONGER_OURS.test(error.code))) throw error;
    }
  }

  /** Send, then delete: a crash in between leaves it in both queues rather than in none. */
  async function bury(handle: string, body: string, reason: string): Promise<void> {
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
      delete: () => deleteMessage(handle),
      setVisibility: (ms) => hide(handle, receivedAt, ms),
      deadLetter: (reason) => bury(handle, body, reason),
    };
  }

  return {
    /**
     * An abort closes the connection. A message that SQS was handing over at that moment stays hidden for the visibility
     * timeout (30 s) and then comes again, to any worker.
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
