// Message attributes, bodies and deduplication ids of the tasks `sqs` and `sns`.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { boundedRecord } from '../../domain/validation/bounded-record.ts';
import type { TaskContext } from '../task.ts';

/** SQS's maximum is ten attributes. The scheduler adds two. */
const MAX_ATTRIBUTES = 8;

export const attributesSchema = boundedRecord(
  z
    .string()
    .regex(
      /^(?!aws\.|amazon\.|punctual-)(?!\.)[A-Za-z0-9_.-]{1,256}(?<!\.)$/i,
      'must be 1 to 256 letters, digits, "_", "-" and ".", and not begin with "AWS.", "Amazon." or "Punctual-"',
    ),
  z.string().min(1).max(10_000),
  MAX_ATTRIBUTES,
  'attributes',
);

export const messageText = (body: unknown): string =>
  typeof body === 'string' ? body : JSON.stringify(body);

/** The job's attributes, and those that identify the execution and the attempt. */
export function messageAttributes(
  { executionId, attempt }: TaskContext<unknown>,
  own: Record<string, string> = {},
): Record<string, { DataType: string; StringValue: string }> {
  const all = { ...own, 'Punctual-Execution': executionId, 'Punctual-Attempt': String(attempt) };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
  );
}

/** The key itself if it is short and has only the characters that SQS, SNS and ECS allow, else its SHA-256. */
export const dedupId = (key: string, maxLength = 128): string =>
  key.length <= maxLength && /^[\x21-\x7e]+$/.test(key)
    ? key
    : createHash('sha256').update(key).digest('hex');
