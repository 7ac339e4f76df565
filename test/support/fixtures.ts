// Stored items and messages of realistic size. Each call makes a new job.

import { base62, dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import type { Entry } from '../../src/domain/executions/slots.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import type { Message } from '../../src/queue/queue.ts';

export const T0 = 1_796_119_200_000;

/** One start of an embedded server. */
export const aBoot = (at = T0) => ({ id: anId(12), at });

let counter = 0;
/** Differs in every run of the tests, so that an engine with data of an earlier run does no harm. */
const run = Math.floor(Math.random() * 2 ** 32);

/** An id of the same length as a real one, different at every call. */
export function anId(length: number): string {
  counter++;
  const bytes = Uint8Array.from(
    { length },
    (_, i) => ((run >>> (i % 24)) ^ Math.imul(counter, 31 + i * 7)) & 0xff,
  );
  return `${base62(bytes, length).slice(0, length - 5)}${String(counter).padStart(5, '0')}`;
}

export const aJobId = (): string => `job_${anId(20)}`;
export const aUser = (): string => `user-${anId(12)}`;

export function aHead(change: Partial<Head> = {}): Head {
  return {
    jobId: aJobId(),
    userId: aUser(),
    name: 'nightly-report',
    task: 'http',
    tags: { team: 'billing' },
    status: 'active',
    schedule: { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' } as unknown as Head['schedule'],
    retry: { maxAttempts: 3, backoffSeconds: 2, maxBackoffSeconds: 900 },
    timeoutSeconds: 300,
    overlap: 'skip',
    misfire: { policy: 'runOnce', graceSeconds: 60 },
    revision: anId(12),
    version: 1,
    definition: 1,
    createdAt: T0,
    updatedAt: T0,
    ...change,
  };
}

export function aRow(change: Partial<Row> = {}): Row {
  return {
    jobId: aJobId(),
    due: dueKey(T0),
    userId: aUser(),
    status: 'SUCCEEDED',
    number: T0,
    revision: anId(12),
    attempt: 1,
    maxAttempts: 3,
    workerId: 'ip-10-0-12-34.eu-west-3.compute.internal-3f9a1c',
    enqueuedAt: T0 - 300_000,
    receivedAt: T0 - 1_000,
    startedAt: T0 + 3,
    finishedAt: T0 + 250,
    result: { status: 200, durationMs: 244 },
    ...change,
  };
}

export function anEntry(change: Partial<Entry> = {}): Entry {
  return { at: T0, jobId: aJobId(), revision: anId(12), due: dueKey(T0), kind: 'regular', ...change };
}

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
