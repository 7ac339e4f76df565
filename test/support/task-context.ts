// The context of a task that a test runs without a worker.
import type { TaskContext } from '../../src/tasks/task.ts';

export function taskContext<P>(params: P, more: Partial<TaskContext<P>> = {}): TaskContext<P> {
  const executionId = 'job_aaaaaaaaaaaaaaaaaaaa.1796119200000';
  return {
    params,
    userId: 'user-1',
    jobId: 'job_aaaaaaaaaaaaaaaaaaaa',
    executionId,
    dueAt: new Date('2026-12-01T10:00:00Z'),
    attempt: 1,
    maxAttempts: 3,
    idempotencyKey: executionId,
    fence: 7,
    signal: new AbortController().signal,
    log: { info: () => {}, warn: () => {} },
    lastCheckpoint: undefined,
    checkpoint: async () => {},
    progress: () => {},
    ...more,
  };
}
