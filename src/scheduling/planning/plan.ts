// Plan: which occurrences get an entry now, and which of them a message (docs/protocol.md#plan).

import { ownerHash } from '../../domain/digest.ts';
import { type DueKey, dueAtOf, dueKey } from '../../domain/executions/ids.ts';
import type { Entry } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { fireAt, isOccurrence, nextOccurrence, occurrencesAfter } from '../../domain/schedule/occurrences.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context, Settings } from '../context.ts';

export interface Planned {
  /** Due times up to and including `until`. */
  readonly inside: readonly number[];
  /** The first one after `until`, from which the chain continues. Undefined if the schedule has ended. */
  readonly beyond: number | undefined;
}

export function occurrencesUntil(schedule: Schedule, after: number, until: number): Planned {
  const inside: number[] = [];
  for (const due of occurrencesAfter(schedule, after)) {
    if (due > until) return { inside, beyond: due };
    inside.push(due);
  }
  return { inside, beyond: undefined };
}

/**
 * The time until which a writer that began at t0 sends messages itself. The watcher's cursor cannot pass it before the writer's
 * deadline, so the watcher sends what is due later.
 */
export const writerHorizon = (settings: Settings, t0: number): number =>
  t0 + settings.lookAheadMs + settings.watchPeriodMs + settings.marginMs;

type Planning = Pick<Head, 'jobId' | 'revision' | 'schedule'>;
type Owned = Planning & Pick<Head, 'userId' | 'limit'>;

export const regularEntry = (head: Planning, due: number): Entry => ({
  at: due,
  jobId: head.jobId,
  revision: head.revision,
  due: dueKey(due),
  kind: 'regular',
});

type Addressed = Pick<Head, 'jobId' | 'userId' | 'limit'>;

/** The message of an execution whose job was read. */
export const messageOf = (
  { jobId, userId, limit }: Addressed,
  { due, revision }: Pick<Message, 'due' | 'revision'>,
  fireAt: number,
  now: number,
): Message => ({
  ...{ jobId, due, revision, fireAt, enqueuedAt: now },
  owner: ownerHash(userId),
  ...(limit && { keyed: true as const }),
});

export const regularMessage = (head: Owned, due: number, now: number): Message =>
  messageOf(
    head,
    { due: dueKey(due), revision: head.revision },
    fireAt(head.schedule, head.jobId, due),
    now,
  );

/** Whether the schedule in force has planned, or will plan, an occurrence at this due time. */
export async function isPlanned({ store, clock }: Context, head: Head, due: DueKey): Promise<boolean> {
  const at = dueAtOf(due);
  if (head.status !== 'active' || due !== dueKey(at)) return false;
  if (at > clock.now()) return at >= (head.pausedUntil ?? 0) && nextOccurrence(head.schedule, at - 1) === at;
  return isOccurrence(head.schedule, at) && store.hasEntry(regularEntry(head, at));
}
