// A received message that records what becomes of it.
import type { Message, Received } from '../../src/queue/queue.ts';

export interface RecordedMessage extends Received {
  /** Each call in order: `deleted`, `hidden <ms>` or `buried: <reason>`. */
  readonly fate: string[];
}

/** Without `message`, the body is not a message of this scheduler. */
export function receivedMessage(
  message: Message | undefined,
  receivedAt = message?.fireAt ?? 0,
): RecordedMessage {
  const fate: string[] = [];
  return {
    message,
    fate,
    body: '{}',
    receivedAt,
    receiveCount: 1,
    delete: async () => void fate.push('deleted'),
    setVisibility: async (ms) => void fate.push(`hidden ${ms}`),
    deadLetter: async (reason) => void fate.push(`buried: ${reason}`),
  };
}
