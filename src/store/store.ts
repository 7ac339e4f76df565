// What the use cases may ask of the store. Each function is one DynamoDB call (or one call per batch), so that every
// pair of calls is a place where another process may come in between. Implementations: `dynamodb/`
// and `sqlite/`, and one in memory for the simulator. One conformance suite runs against all of them.
//
// Conditional writes answer `false` when the condition does not hold; anything else that goes wrong is thrown.
// A thrown error may mean that the write was done (lost response): callers read again and recognise their own token.

import type { DueKey } from '../domain/executions/ids.ts';
import type { Row, RowSeen } from '../domain/executions/row.ts';
import type { Entry } from '../domain/executions/slots.ts';
import type { OpenOperation, Operation } from '../domain/jobs/background-operation.ts';
import type { Change, ChangeKey } from '../domain/jobs/change.ts';
import type { Definition, Head, HeadChange, Hold, HoldItem } from '../domain/jobs/job.ts';
import type { NotifyEvent } from '../domain/jobs/notify-events.ts';

/** `consistent: false` may be trusted only as docs/protocol.md#reads allows. */
export interface ReadOptions {
  readonly consistent: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Opaque; absent on the last page. */
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
  /** Where the list goes on after this row. */
  readonly cursor: string;
}

/** Where a hold lives: in the head, or (overlap: allow) in an item of its own. */
export type HoldPlace = 'head' | { readonly due: DueKey };

export interface JobsStore {
  /** Immutable per version; writing it twice is writing it once. 1 WRU per KB. */
  putDefinition(definition: Definition): Promise<void>;
  readDefinition(jobId: string, version: number): Promise<Definition | undefined>;
  readDefinitions(keys: readonly { jobId: string; version: number }[]): Promise<Definition[]>;

  /** If absent. 1 WRU + 1 for the index. */
  insertHead(head: Head): Promise<boolean>;
  readHead(jobId: string, options: ReadOptions): Promise<Head | undefined>;
  /** In no order; what does not exist is left out. */
  readHeads(jobIds: readonly string[], options: ReadOptions): Promise<Head[]>;
  /** Compare-and-set on the stamp. A key present with the value `undefined` is removed. 1 WRU below 1 KB. */
  updateHead(seen: Head, change: HeadChange): Promise<boolean>;

  /** overlap: allow. If absent. */
  insertHoldItem(item: HoldItem): Promise<boolean>;
  readHoldItem(jobId: string, due: DueKey): Promise<HoldItem | undefined>;
  updateHoldItem(
    jobId: string,
    due: DueKey,
    stamp: string,
    change: { hold: Hold; stamp: string },
  ): Promise<boolean>;
  /** Where the stamp is as seen. */
  removeHoldItem(jobId: string, due: DueKey, seen: string): Promise<boolean>;
  /** Consistent; every page is read. */
  listHoldItems(jobId: string): Promise<HoldItem[]>;

  /** Sets the lease and a fresh stamp where `hold.token = token`; the hold as it is then, or undefined if refused. */
  heartbeat(
    jobId: string,
    place: HoldPlace,
    token: string,
    leaseUntil: number,
    stamp: string,
  ): Promise<Hold | undefined>;

  /** Newest first, from the index (eventually consistent), merged over its partitions. */
  listHeads(userId: string, options: ListOptions): Promise<Page<HeadSummary>>;
}

/** What the index projects: all that a list filters by, nothing that a run changes. */
export type HeadSummary = Omit<Head, 'stamp' | 'hold' | 'rowsUntil' | 'note' | 'coveredUntil'>;

export interface ListOptions {
  readonly limit: number;
  readonly cursor?: string;
}

export interface TimetableStore {
  /** Insert or overwrite with the same: entries are immutable. 1 WRU each. Returns when all are written. */
  putEntries(entries: readonly Entry[]): Promise<void>;
  /** Consistent. In key order. `next` continues. */
  readSlot(minute: number, shard: number, cursor?: string): Promise<Page<Entry>>;
  /** Consistent. */
  hasEntry(entry: Entry): Promise<boolean>;
}

export interface ExecutionsStore {
  /** If absent. 1 WRU below 1 KB + 1 for the index, + 1 if FAILED. */
  insertRow(row: Row): Promise<boolean>;
  /** Replaces the row where status and fence are as seen. 1 WRU below 1 KB; + 1 if it becomes FAILED or was. */
  updateRow(seen: RowSeen, row: Row): Promise<boolean>;
  /** Where status and fence are as seen. 1 WRU below 1 KB. */
  markNotified(jobId: string, due: DueKey, seen: RowSeen): Promise<boolean>;
  readRow(jobId: string, due: DueKey, options: ReadOptions): Promise<Row | undefined>;
  readRows(keys: readonly ExecutionKey[], options: ReadOptions): Promise<Row[]>;
  /** Of one job, `from` ≤ due < `to`, in either direction. */
  listRows(jobId: string, options: ListOptions & ListRowsOptions): Promise<Page<Row>>;
  /** Of one user over all jobs, newest first, from the index (keys only). */
  listRowKeys(
    userId: string,
    options: ListOptions & { from?: DueKey; to?: DueKey },
  ): Promise<Page<ExecutionKey>>;
  /** FAILED rows of one user, newest first, from an index that has nothing else. */
  listFailedKeys(
    userId: string,
    options: ListOptions & { from?: DueKey; to?: DueKey },
  ): Promise<Page<FailedKey>>;
  /** FAILED rows of all users, in no order, each once. A page may be short of `limit`. */
  listAllFailedKeys(options: ListOptions): Promise<Page<FailedKey>>;
}

export interface ListRowsOptions extends ReadOptions {
  readonly from?: DueKey;
  readonly to?: DueKey;
  readonly newestFirst: boolean;
}

/** A shard's row: who watches it and how far it has come. Cursors are minutes; `dispatchedUntil` itself is done. */
export interface Shard {
  readonly shard: number;
  readonly token?: string;
  readonly leaseUntil: number;
  readonly dispatchedUntil: number;
  readonly settledUntil: number;
}

/** An execution that a worker runs, in the worker's own row. */
export interface RunningExecution {
  readonly id: string;
  /** When it began. */
  readonly since: number;
  /** `ownerHash` of the job's user. Absent in rows of workers of earlier versions. */
  readonly owner?: string;
}

export interface WorkerRow {
  readonly workerId: string;
  readonly startedAt: number;
  readonly beatAt: number;
  /** Bounded by the worker's concurrency. */
  readonly running: readonly RunningExecution[];
  readonly host: string;
}

export interface ControlStore {
  /** Inserts the shard's row if it is absent. */
  insertShard(shard: Shard): Promise<boolean>;
  readShard(shard: number): Promise<Shard | undefined>;
  /** Takes the lease where its token is as seen (absent included). */
  takeShard(
    shard: number,
    seenToken: string | undefined,
    token: string,
    leaseUntil: number,
  ): Promise<boolean>;
  /** Moves cursors (and the lease) where the token is still mine. Cursors never go back. */
  commitShard(
    shard: number,
    token: string,
    change: { dispatchedUntil?: number; settledUntil?: number; leaseUntil: number },
  ): Promise<boolean>;
  /** Sets both cursors where the token is still mine, also to earlier minutes. */
  resetShard(
    shard: number,
    token: string,
    cursors: { dispatchedUntil: number; settledUntil: number },
  ): Promise<boolean>;
  putWorker(worker: WorkerRow): Promise<void>;
  removeWorker(workerId: string): Promise<void>;
  readWorker(workerId: string): Promise<WorkerRow | undefined>;
  /** Those whose last beat is not older than `since`. */
  listWorkers(since: number): Promise<WorkerRow[]>;
}

export interface QuotaStore {
  /** Adds to what a user has used of a quota, and answers with the sum. `expiresAt`: epoch seconds. 1 WRU. */
  addToQuota(userId: string, quota: string, count: number, expiresAt?: number): Promise<number>;
  /** Sets the sum where it is still as seen. 1 WRU. */
  replaceQuota(userId: string, quota: string, seen: number, used: number): Promise<boolean>;
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

/** What people changed. Written before the head that it leads to, so some records are of changes that never came. */
export interface ChangeStore {
  /** If absent, by job, version and time. 1 WRU per KB. */
  insertChange(change: Change): Promise<boolean>;
  /** `from` itself and what is less: by version, then by time, newest first, at most `limit`. Consistent. */
  listChanges(jobId: string, from: ChangeKey, limit: number): Promise<Change[]>;
}

/** Background operations, and a list of those that have not ended. Ended ones are removed at `operationExpiresAt`. */
export interface OperationStore {
  /**
   * Writes it, and lists it unless it has ended: two writes of one request, of which one may be lost when the request
   * fails. 2 WRU.
   */
  putOperation(operation: Operation): Promise<void>;
  /** Consistent: 1 RRU. */
  readOperation(id: string): Promise<Operation | undefined>;
  /** Replaces the one seen, compared by its stamp; it stays listed. 1 WRU below 1 KB. */
  replaceOperation(seen: Operation, operation: Operation): Promise<boolean>;
  /** Oldest first, at most `limit`. May lag behind the writes. */
  listOpenOperations(limit: number): Promise<OpenOperation[]>;
  /** Takes it off the list; one that is not listed is no error. 1 WRU. */
  delistOperation(operation: OpenOperation): Promise<void>;
}

export interface Store
  extends JobsStore,
    TimetableStore,
    ExecutionsStore,
    ControlStore,
    QuotaStore,
    NotificationWindowStore,
    ChangeStore,
    OperationStore {}
