// A message as the body of an SQS message, and back. What comes back may be anything: it is checked.
import { z } from 'zod';
import type { Message } from './queue.ts';

const messageSchema: z.ZodType<Message> = z.object({
  jobId: z.string().min(1),
  due: z.string().regex(/^\d{13}/),
  revision: z.string().min(1),
  fireAt: z.number(),
  enqueuedAt: z.number(),
});

export const encode = ({ jobId, due, revision, fireAt, enqueuedAt }: Message): string =>
  JSON.stringify({ jobId, due, revision, fireAt, enqueuedAt });

/** Undefined when it is no message of ours. */
export function decode(body: string): Message | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
