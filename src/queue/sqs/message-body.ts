// A message as the body of an SQS message, and back. What comes back may be anything: it is checked.
import { z } from 'zod';
import type { Message } from '../queue.ts';

/** X-Ray's own header has some 100 characters. */
const MAX_TRACE = 400;

/** The maximum length of SQS's `MessageGroupId`. */
const MAX_OWNER = 128;

const messageSchema: z.ZodType<Message> = z.object({
  jobId: z.string().min(1),
  due: z.string().regex(/^\d{13}/),
  revision: z.string().min(1),
  fireAt: z.number(),
  enqueuedAt: z.number(),
  owner: z.string().min(1).max(MAX_OWNER).optional().catch(undefined),
  // worth no execution: a header that is none is left out
  trace: z.string().max(MAX_TRACE).optional().catch(undefined),
});

export const encode = ({ jobId, due, revision, fireAt, enqueuedAt, owner, trace }: Message): string =>
  JSON.stringify({ jobId, due, revision, fireAt, enqueuedAt, owner, trace });

/** Undefined when it is no message of ours. */
export function decode(body: string): Message | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
