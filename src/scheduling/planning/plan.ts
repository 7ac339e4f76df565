// Plan: which occurrences get an entry now, and which of them a message (docs/protocol.md#plan).

import { giveWay } from '../../concurrency/request-turns.ts';
import { ownerHash } from '../../domain/digest.ts';
import { type DueKey, dueAtOf, dueKey } from '../../domain/executions/ids.ts';
import { type Entry, minuteStart } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import {
  fireAt,
  hasOccurrenceAt,
  isOccurrence,
  nextOccurrence,
  unlessEnded,
} from '../../domain/schedule/occurrences.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import { type SearchBudget, SearchEnded } from '../../domain/schedule/search-budget.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context, Settings } from '../context.ts';

export interface Planned {
  /** Due times up to and including `until`. */
  readonly inside: readonly number[];
  /** The first one after `until`, from which the chain continues. */
  readonly beyond?: number;
  /** The search has ended by its budget before `beyond` was found. Without it and without `beyond`, the schedule has ended. */
  readonly ended?: SearchEnded;
}

/** The occurrences after `after`, up to the first one after `until`. Each search is made once. */
export async function planUntil(
  searches: SearchBudget,
  schedule: Schedule,
  after: number,
  until: number,
): Promise<Planned> {
  const inside: number[] = [];
  for (let from = after; ; ) {
    const turn = giveWay();
    if (turn) await turn;
    const due = unlessEnded(
      () => nextOccurrence(schedule, from, searches),
      (ended) => ended,
    );
    if (due === undefined) return { inside };
    if (due instanceof SearchEnded) return { inside, ended: due };
    if (due > until) return { inside, beyond: due };
    inside.push(due);
    from = due;
  }
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

/**
 * Where a search has ended by its budget. Dispatch of the slot of `at` goes on with it. A search is no occurrence: it has no
 * row, and `due` is the last instant of which it knows that none is due.
 */
export const searchEntry = (head: Planning, searchedUntil: number, minute: number): Entry => ({
  at: minuteStart(minute),
  jobId: head.jobId,
  revision: head.revision,
  due: dueKey(searchedUntil),
  kind: 'search',
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
  messageOf(head, { due: dueKey(due), revision: head.revision }, fireAt(head.schedule, head.jobId, due), now);

/** Whether the schedule in force has planned, or will plan, an occurrence at this due time. */
export async function isPlanned({ store, clock }: Context, head: Head, due: DueKey): Promise<boolean> {
  const at = dueAtOf(due);
  if (head.status !== 'active' || due !== dueKey(at)) return false;
  if (at > clock.now()) return at >= (head.pausedUntil ?? 0) && hasOccurrenceAt(head.schedule, at);
  return isOccurrence(head.schedule, at) && store.hasEntry(regularEntry(head, at));
}
