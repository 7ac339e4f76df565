import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Message } from '../../src/queue/queue.ts';
import { aJobId, anId } from '../support/fixtures.ts';

export function aMessage(change: Partial<Message> = {}): Message {
  const fireAt = change.fireAt ?? Date.now();
  return {
    jobId: aJobId(),
    due: dueKey(fireAt),
    revision: anId(12),
    fireAt,
    enqueuedAt: Date.now(),
    ...change,
  };
}
