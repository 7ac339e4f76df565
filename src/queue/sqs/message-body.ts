// Converts messages to bodies of SQS messages and back. A received body may be anything, so it is validated. A body of a later
// version may have more fields, which are left out.
import { z } from 'zod';
import type { Message } from '../queue.ts';

/** X-Ray's headers have about 100 characters. */
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
  keyed: z.literal(true).optional().catch(undefined),
  // an invalid trace header is left out, because it must not prevent the execution
  trace: z.string().max(MAX_TRACE).optional().catch(undefined),
});

export const encode = ({ jobId, due, revision, fireAt, enqueuedAt, owner, keyed, trace }: Message): string =>
  JSON.stringify({ jobId, due, revision, fireAt, enqueuedAt, owner, keyed, trace });

/** Undefined if the body is not a message of this queue. */
export function decode(body: string): Message | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
