// What the messages of the tasks `sqs` and `sns` have in common.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { TaskContext } from '../task.ts';

/** SQS delivers at most ten; two of them are ours. */
const MAX_ATTRIBUTES = 8;

export const attributesSchema = z
  .record(
    z
      .string()
      .regex(
        /^(?!aws\.|amazon\.|punctual-)(?!\.)[A-Za-z0-9_.-]{1,256}(?<!\.)$/i,
        'must be letters, digits, "_", "-" and "." and not begin with "AWS.", "Amazon." or "Punctual-"',
      ),
    z.string().min(1).max(10_000),
  )
  .refine((attributes) => Object.keys(attributes).length <= MAX_ATTRIBUTES, {
    error: `must have at most ${MAX_ATTRIBUTES} attributes`,
  });

export const messageText = (body: unknown): string =>
  typeof body === 'string' ? body : JSON.stringify(body);

/** With the two by which a receiver tells executions and attempts apart. */
export function messageAttributes(
  { executionId, attempt }: TaskContext<unknown>,
  own: Record<string, string> = {},
): Record<string, { DataType: string; StringValue: string }> {
  const all = { ...own, 'Punctual-Execution': executionId, 'Punctual-Attempt': String(attempt) };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
  );
}

/** As it is when it is short enough and has only what SQS and SNS allow (and ECS, which takes 64). */
export const dedupId = (key: string, most = 128): string =>
  key.length <= most && /^[\x21-\x7e]+$/.test(key) ? key : createHash('sha256').update(key).digest('hex');
