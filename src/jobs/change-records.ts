// Changes of a job by people. Each is a record of the change, then a compare-and-set of the head.
//
// The record is inserted first, under the version and time that the head will have. So every change that took effect has a
// record, even if the process dies in between. A record without its head is never shown: each record names the change before
// it, and readers follow these names from the head (docs/decisions/0024).

import { CONFLICT, REQUEST_RETRY, retryConflicts } from '../concurrency/retry-conflicts.ts';
import { fingerprint } from '../domain/digest.ts';
import { Conflict } from '../domain/errors.ts';
import {
  type Change,
  type ChangedFields,
  type ChangeKey,
  type ChangeKind,
  RECORDED_FIELDS,
} from '../domain/jobs/change.ts';
import type { Head, HeadChange } from '../domain/jobs/job.ts';
import { endOfJob, isLaterEnd, isOtherEnd } from '../domain/jobs/job-end.ts';
import { bytesOfChange, bytesOfJob, type StoredBytes } from '../domain/jobs/stored-bytes.ts';
import type { Principal } from '../domain/principal.ts';
import { isPaused } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';
import { versionOfDefinition } from '../scheduling/records/definitions.ts';
import { expireWith } from '../scheduling/records/keep-job.ts';
import { writeHead } from '../scheduling/records/write-head.ts';
import { requireJob } from './access.ts';

/** Takes what a change adds to the store of a job's owner from its limit. Throws QuotaExceeded. */
export type TakeBytes = (userId: string, bytes: number) => Promise<void>;

export interface ChangeRequest {
  readonly who: Principal;
  readonly jobId: string;
  readonly what: ChangeKind;
  readonly note?: string | undefined;
  readonly guard?: ChangeGuard | undefined;
}

/** The conditions of a change, such as those of its background operation. Each function throws if its condition does not hold. */
export interface ChangeGuard {
  /** Called with the head that the decision is about. */
  admit(head: Head): void;
  /** Called right before the head is written. */
  inTime?(): void;
}

/** The options that pause, resume and cancel share. */
export interface ChangeOptions {
  /** Why the change is made. It is stored in the record of the change. */
  readonly note?: string | undefined;
  /** Undefined if the change has no condition. */
  readonly guard?: ChangeGuard | undefined;
  /** Called before the first write. A cancel, and the pause of an active job, are never refused. */
  readonly takeBytes?: TakeBytes | undefined;
}

export interface Decision {
  readonly set: Omit<HeadChange, 'version' | 'updatedAt' | 'changedAt'>;
  /** The fields of the definition that the change replaces. */
  readonly replaces?: readonly ('params' | 'notify')[];
  /** The bytes of the definition in force, and those that the change adds. Undefined if it adds a record alone. */
  readonly bytes?: StoredBytes;
  /** The kind of the change, if it differs from the request's. */
  readonly what?: ChangeKind;
  /** Called right before the head is written. Throws if the writer's deadline is over. */
  inTime?(): void;
}

/**
 * Reads the head, decides, inserts the record and writes the head. If another request changed the job in between, it starts
 * again. `decide` returns the change, or undefined if there is nothing to change.
 */
export async function changeJob(
  context: Context,
  { who, jobId, what, note, guard }: ChangeRequest,
  decide: (head: Head) => Promise<Decision | undefined> | Decision | undefined,
): Promise<{ head: Head; changed: boolean }> {
  const { store, clock } = context;
  const result = await retryConflicts(context, REQUEST_RETRY, async () => {
    const head = await requireJob(context, who, jobId);
    guard?.admit(head);
    const decision = await decide(head);
    if (!decision) return { head, changed: false };
    const version = head.version + 1;
    const { what: kind = what } = decision;
    const record = { jobId, version, by: who.userId, what: kind, note, previous: lastChange(head) };
    const sides = difference(head, version, decision, clock.now());
    const end = endOfJob(head);
    const next = endOfJob({ ...head, ...decision.set, updatedAt: clock.now() });
    const updatedAt = await recordChange(context, { ...record, ...sides }, clock.now(), next);
    const [definition, all] = bytesOfJob(head);
    const [inForce, added] = decision.bytes ?? [definition, bytesOfRecord(note)];
    const pauseEnded = (head.pausedUntil ?? Number.POSITIVE_INFINITY) <= updatedAt;
    const written = {
      ...(pauseEnded && { pausedUntil: undefined }), // a smaller head: an update bills the whole item
      ...decision.set,
      bytes: [inForce, all + added] as const,
      ...{ version, updatedAt, changedAt: undefined },
    };
    // nothing beside the head expires before it
    if (isOtherEnd(end, next) && isLaterEnd(end, next)) await store.expireBeside(head, next);
    decision.inTime?.();
    guard?.inTime?.();
    if (!(await writeHead(context, head, written))) return CONFLICT;
    const changed = { ...head, ...written };
    if (isOtherEnd(end, next)) await expireWith(context, changed);
    return { head: changed, changed: true };
  });
  if (result === CONFLICT) throw new Conflict(`job ${jobId} is being changed by other requests; try again`);
  return result;
}

/** The bytes of the record of a pause, a resume or a cancel. */
export const bytesOfRecord = (note: string | undefined): number => bytesOfChange({ note });

/** The change that led to this head. */
export const lastChange = ({ version, updatedAt, changedAt }: Head): ChangeKey =>
  changedAt === undefined ? { version, at: updatedAt } : { version: version - 1, at: changedAt };

/** Records of one version within one millisecond. Each gets a time of its own, one millisecond later than the last. */
const MAX_RECORDS_AT_ONCE = 1000;

/**
 * Inserts the record of a change before the head is written. Returns the time of the record, which the head must have too.
 * 1 WRU below 1 KB.
 */
export async function recordChange(
  { store }: Context,
  change: Omit<Change, 'at'>,
  now: number,
  end: number | undefined,
): Promise<number> {
  for (let at = now; at < now + MAX_RECORDS_AT_ONCE; at++)
    if (await store.insertChange({ ...change, at }, end)) return at;
  throw new Conflict(`job ${change.jobId} is being changed by other requests; try again`);
}

/** The changed fields before and after. Other fields are left out, so that the record stays below 1 KB. */
function difference(
  head: Head,
  version: number,
  { set, replaces = [] }: Decision,
  now: number,
): Pick<Change, 'before' | 'after'> {
  const [before, after] = [shown(head, now), shown({ ...head, ...set }, now)];
  const fields = RECORDED_FIELDS.filter(
    (name) => fingerprint(after[name] ?? null) !== fingerprint(before[name] ?? null),
  );
  const sideOf = (from: ReturnType<typeof shown>, definition: number): ChangedFields | undefined => {
    const side = [
      ...fields.map((name) => [name, from[name]] as const).filter(([, value]) => value !== undefined),
      ...replaces.map((name) => [name, { version: definition }] as const),
    ];
    return side.length > 0 ? Object.fromEntries(side) : undefined;
  };
  return { before: sideOf(before, versionOfDefinition(head)), after: sideOf(after, version) };
}

/** The head as the API shows it. A pause with an end has the stored status `active`. */
const shown = (head: Head, now: number) => ({
  ...head,
  status: isPaused(head, now) ? ('paused' as const) : head.status,
  pausedUntil: (head.pausedUntil ?? 0) > now ? new Date(head.pausedUntil ?? 0).toISOString() : undefined,
});
