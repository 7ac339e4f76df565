// Sends a message that cannot be handled to the dead-letter queue, with the reason.
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

const MAX_REASON = 500;

/** 1 request. */
export async function sendDeadLetter(
  client: SQSClient,
  queueUrl: string,
  body: string,
  reason: string,
): Promise<void> {
  const text = printable(reason.slice(0, MAX_REASON)) || 'unknown';
  await client.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: body,
      MessageAttributes: { reason: { DataType: 'String', StringValue: text } },
    }),
  );
}

/** SQS rejects attributes with control characters or lone surrogates. */
const printable = (text: string): string =>
  text.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ');
