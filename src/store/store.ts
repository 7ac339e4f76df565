// The port to the store. Each function is one DynamoDB call, or one call per batch. Another process may write between any two
// calls. The implementations are `dynamodb/`, `sqlite/`, and `memory/` for the simulator. One conformance suite runs
// against all of them.
//
// A conditional write returns false if its condition does not hold. Every other failure is thrown. After a thrown error the
// write may have been applied, because the response may be lost. Callers read again and look for their own token
// (scheduling/records/confirm-write.ts).

import type { DueKey } from '../domain/executions/ids.ts';
import type { Progress } from '../domain/executions/progress.ts';
import type { Row, RowSeen } from '../domain/executions/row.ts';
import type { Entry } from '../domain/executions/slots.ts';
import type { OpenOperation, Operation } from '../domain/jobs/background-operation.ts';
import type { Change, ChangeKey } from '../domain/jobs/change.ts';
import type { KeyName, Seat } from '../domain/jobs/concurrency-key.ts';
import type { Definition, Head, HeadChange, Lock } from '../domain/jobs/job.ts';
import type { NamePointer } from '../domain/jobs/job-name.ts';
import type { NotifyEvent } from '../domain/jobs/notify-events.ts';
import type { LimitsOfOwner } from '../domain/jobs/owner-limits.ts';

/** docs/protocol.md#reads says where `consistent: false` is allowed. */
export interface ReadOptions {
  readonly consistent: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** An opaque cursor. Absent on the last page. */
  readonly next?: string;
}

export interface ExecutionKey {
  readonly jobId: string;
  readonly due: DueKey;
}

/** A FAILED row in the index of failed rows. */
export interface FailedKey extends ExecutionKey {
  /** `errorKeyOf` the row's error. Absent in rows of earlier versions. */
  readonly errorKey?: string;
  /** Absent if the row is a dead letter. */
  readonly dismissed?: true;
  /** The cursor after this row. */
  readonly cursor: string;
}

/**
 * A job expires some time after `endOfJob`, with all that is stored of it. What stands beside the head is written with this
 * time, if it has one. The stores add the retention.
 */
export interface JobsStore {
  /** A definition is immutable per version, so the write is idempotent. 1 WRU per KB. */
  putDefinition(definition: Definition, end?: number): Promise<void>;
  readDefinition(jobId: string, version: number): Promise<Definition | undefined>;
  readDefinitions(keys: readonly { jobId: string; version: number }[]): Promise<Definition[]>;

  /** False if the job exists. 1 WRU, and 1 for the index. */
  insertHead(head: Head): Promise<boolean>;
  readHead(jobId: string, options: ReadOptions): Promise<Head | undefined>;
  /** In no order. Jobs that do not exist are left out. */
  readHeads(jobIds: readonly string[], options: ReadOptions): Promise<Head[]>;
  /** Succeeds if the version is as seen. A field of `change` with the value `undefined` is removed. 1 WRU below 1 KB. */
  updateHead(seen: Head, change: HeadChange): Promise<boolean>;
  /** Takes the lock of the job. False if its version or the number of its lock is not as seen. 1 WRU below 1 KB. */
  takeLock(taking: LockTaking): Promise<boolean>;
  /** Lets the head expire as if the job had ended at `end`. False if its version is not as seen. 1 WRU below 1 KB. */
  keepHead(seen: Head, end: number): Promise<boolean>;
  /**
   * Lets what stands beside the head expire as if the job had ended at `end`: definitions, changes and the name. They do not
   * expire if it is undefined. 1 WRU per item and KB. Nothing to do where they are removed together with their head.
   */
  expireBeside(
    job: Pick<Head, 'jobId' | 'userId' | 'namespace' | 'name'>,
    end: number | undefined,
  ): Promise<void>;

  /** Newest first, from the index. Eventually consistent. */
  listHeads(userId: string, options: ListOptions): Promise<Page<HeadSummary>>;
  /** The heads of all users, in no order, each once, from the index. A page may have fewer than `limit`. Eventually consistent. */
  listAllHeads(options: ListOptions): Promise<Page<HeadSummary>>;
}

/** The fields of a head in the index: those that a list filters by, and none that a run changes. */
export type HeadSummary = Omit<Head, 'lock' | 'coveredUntil'>;

export interface LockTaking {
  readonly seen: Pick<Head, 'jobId' | 'userId' | 'version' | 'lock' | 'coveredUntil'>;
  readonly lock: Lock;
  /** The new value. Undefined if no occurrence is covered. */
  readonly coveredUntil: DueKey | undefined;
}

export interface ListOptions {
  readonly limit: number;
  readonly cursor?: string;
}

export interface TimetableStore {
  /** Entries are immutable, so the write is idempotent. Returns when all are written. 1 WRU each. */
  putEntries(entries: readonly Entry[]): Promise<void>;
  /** In the order of the keys. Consistent unless the options say otherwise. */
  readSlot(minute: number, shard: number, cursor?: string, options?: ReadOptions): Promise<Page<Entry>>;
  /** Consistent. */
  hasEntry(entry: Entry): Promise<boolean>;
}

export interface ExecutionsStore {
  /** False if the row exists. 1 WRU below 1 KB, 1 for the index, and 1 more if the row is FAILED. */
  insertRow(row: Row): Promise<boolean>;
  /**
   * Replaces the row if it is as seen. A request to cancel stays in a row that was open, also if it came since the row was read.
   * 1 WRU below 1 KB, and 1 more if it is or was FAILED.
   */
  updateRow(seen: RowSeen, row: Row): Promise<boolean>;
  /**
   * Lengthens the lease of a RUNNING row with this number, and sets the given progress. Undefined if it has another number or
   * status, or a later lease. 1 WRU below 1 KB.
   */
  extendLease(
    key: ExecutionKey,
    number: number,
    leaseUntil: number,
    progress: Progress | undefined,
  ): Promise<Extended | undefined>;
  /** Asks the worker of a RUNNING row to stop. False if the row has another number or status. 1 WRU below 1 KB. */
  requestCancel(key: ExecutionKey, number: number): Promise<boolean>;
  /** False if the row has another status or number than `seen`. 1 WRU below 1 KB. */
  markNotified(jobId: string, due: DueKey, seen: RowSeen): Promise<boolean>;
  /** Dismisses a FAILED row. False if it is not FAILED, or has another number. 1 WRU below 1 KB, and 1 for the index. */
  dismissRow(row: Row): Promise<boolean>;
  readRow(jobId: string, due: DueKey, options: ReadOptions): Promise<Row | undefined>;
  readRows(keys: readonly ExecutionKey[], options: ReadOptions): Promise<Row[]>;
  /** The rows of one job with `from` ≤ due < `to`. */
  listRows(jobId: string, options: ListOptions & ListRowsOptions): Promise<Page<Row>>;
  /** The rows of all jobs of one user, newest first, from the index. */
  listRowKeys(
    userId: string,
    options: ListOptions & { from?: DueKey; to?: DueKey },
  ): Promise<Page<ExecutionKey>>;
  /** The FAILED rows of one user, newest first, from an index of their own. */
  listFailedKeys(
    userId: string,
    options: ListOptions & { from?: DueKey; to?: DueKey },
  ): Promise<Page<FailedKey>>;
  /** The FAILED rows of all users, in no order, each once. A page may have fewer than `limit`. */
  listAllFailedKeys(options: ListOptions): Promise<Page<FailedKey>>;
}

export interface Extended {
  readonly cancelRequested: boolean;
}

/**
 * What a task has saved, beside its row, so that a heartbeat does not rewrite it.
 */
export interface CheckpointStore {
  /** False if a claim with a larger number has saved one. 1 WRU per KB. */
  putCheckpoint(key: ExecutionKey, number: number, checkpoint: unknown): Promise<boolean>;
  /** Consistent: 1 RRU per 4 KB. Undefined if the task has saved none. */
  readCheckpoint(key: ExecutionKey): Promise<unknown>;
}

/** Executions that wait for another one of their job (docs/protocol.md#waiting). */
export interface WaitStore {
  /** `at`: the present time. Replaces the time of an earlier one. 1 WRU. */
  putWait(key: ExecutionKey, at: number): Promise<void>;
  /** The oldest one by due time, and when it was put. Consistent: 1 RRU. */
  firstWait(jobId: string): Promise<{ readonly due: DueKey; readonly at: number } | undefined>;
  /** Has no effect if it was put again since `at`. 1 WRU. */
  removeWait(key: ExecutionKey, at: number): Promise<void>;
}

/** The writes of a claim, in their order. */
export interface ClaimWrites {
  /** The row as it was read. Undefined if there was none. */
  readonly seen: RowSeen | undefined;
  /** The row as RUNNING. */
  readonly row: Row;
  /** The seat of the concurrency key. Undefined if the job has no limit. */
  readonly seat: { readonly seen: Seat | undefined; readonly seat: Seat } | undefined;
  /** Undefined with `overlap: allow`, unless the run covers missed occurrences. */
  readonly lock: LockTaking | undefined;
}

/** `refused`: nothing was written. `opened`: the row is open, and must be given back. */
export type ClaimAnswer = 'done' | 'refused' | 'opened';

export interface ClaimStore {
  /** Opens the row, then takes the seat and the lock. One transaction in SQLite, single writes on DynamoDB. */
  claim(writes: ClaimWrites): Promise<ClaimAnswer>;
}

/**
 * The numbers that claims may have. A claim does not wait for the disk, so a power failure may take it back, although a task has
 * passed its number on. The next start of the server begins above all numbers that were reserved before it.
 */
export interface NumberReserve {
  /** No claim gets a smaller number. */
  readonly floor: number;
  /** Resolves when the numbers up to this one are on the disk. Undefined if they are already. */
  reserve(number: number): Promise<void> | undefined;
}

/** A claim as single writes, for stores without a transaction that costs no more. */
export async function claimStepByStep(
  store: Pick<Store, 'insertRow' | 'updateRow' | 'writeSeat' | 'takeLock'>,
  { seen, row, seat, lock }: ClaimWrites,
): Promise<ClaimAnswer> {
  // [rule row-first]
  if (!(await (seen ? store.updateRow(seen, row) : store.insertRow(row)))) return 'refused';
  if (seat && !(await store.writeSeat(seat.seen, seat.seat))) return 'opened';
  return !lock || (await store.takeLock(lock)) ? 'done' : 'opened';
}

export interface ListRowsOptions extends ReadOptions {
  readonly from?: DueKey;
  readonly to?: DueKey;
  readonly newestFirst: boolean;
}

/** The row of a shard: its lease and its cursors. A cursor is the last minute that was dispatched or settled. */
export interface Shard {
  readonly shard: number;
  readonly token?: string;
  readonly leaseUntil: number;
  readonly dispatchedUntil: number;
  readonly settledUntil: number;
  /** The last rebuild of its entries. */
  readonly rebuild?: Rebuild;
}

/** A rebuild of the entries of a shard (scheduling/planning/rebuild.ts). */
export interface Rebuild {
  readonly beganAt: number;
  /** The cursor of the next page of heads. Absent if the rebuild has ended. */
  readonly next?: string | undefined;
}

/** What the holder of a shard commits. Fields that are absent stay. */
export interface ShardChange {
  readonly dispatchedUntil?: number;
  readonly settledUntil?: number;
  readonly rebuild?: Rebuild;
  readonly leaseUntil: number;
}

/** An execution that a worker runs, in the worker's own row. */
export interface RunningExecution {
  readonly id: string;
  /** The start of the attempt. */
  readonly since: number;
  /** `ownerHash` of the job's user. Absent in rows of workers of earlier versions. */
  readonly owner?: string;
}

/** The number of executions that a worker has ended in one minute, by outcome. An outcome that is absent had none. */
export interface EndedPerMinute {
  /** Minutes since the epoch. */
  readonly minute: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly skipped?: number;
  readonly cancelled?: number;
}

/** The optional fields are absent in rows of workers of earlier versions. */
export interface WorkerRow {
  readonly workerId: string;
  readonly startedAt: number;
  readonly beatAt: number;
  /** Bounded by the worker's concurrency. */
  readonly running: readonly RunningExecution[];
  readonly host: string;
  /** The number of places. */
  readonly concurrency?: number;
  /** The version of Punctual. */
  readonly version?: string;
  /** The worker receives no more messages and will stop. */
  readonly draining?: true;
  /** The last minutes in which executions have ended, newest first. */
  readonly ended?: readonly EndedPerMinute[];
}

export interface ControlStore {
  /** Inserts the shard's row if it is absent. */
  insertShard(shard: Shard): Promise<boolean>;
  readShard(shard: number): Promise<Shard | undefined>;
  /** Takes the lease. False if the token is not `seenToken`. Undefined stands for a shard without a token. */
  takeShard(
    shard: number,
    seenToken: string | undefined,
    token: string,
    leaseUntil: number,
  ): Promise<boolean>;
  /** Advances the cursors and sets the lease. Cursors never move back. False if the token is not `token`. */
  commitShard(shard: number, token: string, change: ShardChange): Promise<boolean>;
  /** Sets both cursors, also to earlier minutes. False if the token is not `token`. */
  resetShard(
    shard: number,
    token: string,
    cursors: { dispatchedUntil: number; settledUntil: number },
  ): Promise<boolean>;
  putWorker(worker: WorkerRow): Promise<void>;
  removeWorker(workerId: string): Promise<void>;
  readWorker(workerId: string): Promise<WorkerRow | undefined>;
  /** The workers with a heartbeat at or after `since`. With `limit`, at most that many of them. */
  listWorkers(since: number, limit?: number): Promise<WorkerRow[]>;
}

/** What a user has stored: active and paused jobs, and the bytes of all jobs. Both are in one item. */
export interface Stored {
  readonly jobs: number;
  readonly bytes: number;
}

export interface QuotaStore {
  /**
   * Adds to a user's usage of a quota, unless the sum would exceed `max`. Returns the new usage. Undefined if nothing was added.
   * `count` is at most `max`. `expiresAt`: epoch seconds. 1 WRU.
   */
  takeFromQuota(
    userId: string,
    quota: string,
    count: number,
    max: number,
    expiresAt?: number,
  ): Promise<number | undefined>;
  /** Consistent: 1 RRU. 0 if nothing was used. */
  readQuota(userId: string, quota: string): Promise<number>;
  /** Adds to a user's usage of a quota. Returns the new usage. `expiresAt`: epoch seconds. 1 WRU. */
  addToQuota(userId: string, quota: string, count: number, expiresAt?: number): Promise<number>;
  /**
   * Adds to what a user has stored, unless a sum would exceed `max`. Returns the sums. Undefined if nothing was added.
   * `more` is at most `max`. 1 WRU.
   */
  takeStored(userId: string, more: Stored, max: Stored): Promise<Stored | undefined>;
  /** Consistent: 1 RRU. */
  readStored(userId: string): Promise<Stored>;
  /** False if the sums are not `seen`. 1 WRU. */
  replaceStored(userId: string, seen: Stored, stored: Stored): Promise<boolean>;
  /** Replaces the limits that operators have set for a user. 1 WRU. */
  putLimits(userId: string, limits: LimitsOfOwner): Promise<void>;
  /** Undefined if operators have set none. 1 RRU, half of it if not consistent. */
  readLimits(userId: string, options: ReadOptions): Promise<LimitsOfOwner | undefined>;
}

/** The time in which further events of one kind and job are counted instead of sent. */
export interface NotificationWindow {
  readonly jobId: string;
  readonly event: NotifyEvent;
  readonly stamp: string;
  /** The end of the window. Epoch milliseconds. */
  readonly until: number;
  /** The key of the event or the id of the summary whose notification opened the window. */
  readonly openedBy: string;
  /** The number of events that were counted and not sent since. */
  readonly suppressed: number;
  /** The execution of the last suppressed event. */
  readonly last?: DueKey;
  /** The keys of the latest events, so that a message that is delivered twice is counted once. */
  readonly recent: readonly string[];
  /** The content of the notification that opened the window, if it reports events of an earlier window. */
  readonly summary?: { readonly suppressed: number; readonly last: DueKey };
}

export interface NotificationWindowStore {
  /** Consistent: 1 RRU. */
  readNotificationWindow(jobId: string, event: NotifyEvent): Promise<NotificationWindow | undefined>;
  /** Replaces `seen`, compared by its stamp. If `seen` is undefined, inserts if absent. `expiresAt`: epoch seconds. 1 WRU. */
  writeNotificationWindow(
    seen: NotificationWindow | undefined,
    window: NotificationWindow,
    expiresAt: number,
  ): Promise<boolean>;
}

/** Records of changes that people made. A record is written before its head, so some are of changes that failed. */
export interface ChangeStore {
  /** False if there is a record of this job, version and time. 1 WRU per KB. */
  insertChange(change: Change, end?: number): Promise<boolean>;
  /** At most `limit` records from `from` on, newest first: by version, then by time. Consistent. */
  listChanges(jobId: string, from: ChangeKey, limit: number): Promise<Change[]>;
}

/** Which job has a name (docs/decisions/0044). */
export interface NameStore {
  /** Consistent: 1 RRU. */
  readName(userId: string, namespace: string, name: string): Promise<NamePointer | undefined>;
  /** Replaces `seen`, compared by its stamp. If `seen` is undefined, inserts if absent. 1 WRU. */
  writeName(seen: NamePointer | undefined, pointer: NamePointer, end?: number): Promise<boolean>;
}

/** Background operations, and a list of those that have not ended. Ended ones are removed at `operationExpiresAt`. */
export interface OperationStore {
  /**
   * Writes the operation, and lists it unless it has ended. Both writes are one request. If the request fails, one of them
   * may have been applied. 2 WRU.
   */
  putOperation(operation: Operation): Promise<void>;
  /** Consistent: 1 RRU. */
  readOperation(id: string): Promise<Operation | undefined>;
  /** Compare-and-set on the stamp. The operation stays listed. 1 WRU below 1 KB. */
  replaceOperation(seen: Operation, operation: Operation): Promise<boolean>;
  /** Oldest first, at most `limit`. May lag behind the writes. */
  listOpenOperations(limit: number): Promise<OpenOperation[]>;
  /** Removes the operation from the list. Has no effect if it is not listed. 1 WRU. */
  delistOperation(operation: OpenOperation): Promise<void>;
}

/** The seats of concurrency keys. A seat that was never taken has no item. TTL removes seats long after their last use. */
export interface SeatStore {
  /** All seats of the key, in the order of their numbers. 0.5 RRU per 4 KB, twice that if consistent. */
  readSeats(name: KeyName, options: ReadOptions): Promise<Seat[]>;
  /** Replaces `seen`, compared by its execution and number. If `seen` is undefined, inserts if absent. 1 WRU. */
  writeSeat(seen: Seat | undefined, seat: Seat): Promise<boolean>;
}

/**
 * Removes what belongs to an owner: first rows, then jobs, then the rest. Each call may be repeated, also after a part of it was
 * done. None of them looks whether something is in use.
 */
export interface ErasureStore {
  /** Rows, with their log lines. */
  eraseRows(keys: readonly ExecutionKey[]): Promise<void>;
  /** All that is stored of these jobs besides rows, and the heads last. `entries`: those that are still to come. */
  eraseJobs(heads: readonly Head[], entries: readonly Entry[]): Promise<void>;
  /** Counters and what else names the owner. Erasures that are open stay. */
  eraseOwner(userId: string, scope: ErasureScope): Promise<void>;
}

export interface ErasureScope {
  /** The operation that erases. It stays. */
  readonly operation: string;
  /** Whether the limits that operators have set are removed. */
  readonly limits: boolean;
}

export interface Store
  extends JobsStore,
    TimetableStore,
    ExecutionsStore,
    ControlStore,
    QuotaStore,
    NotificationWindowStore,
    ChangeStore,
    NameStore,
    OperationStore,
    SeatStore,
    CheckpointStore,
    WaitStore,
    ClaimStore,
    ErasureStore {}
