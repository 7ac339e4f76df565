// The Store port in memory, for the simulator. Conditions have the same semantics as on DynamoDB, which the conformance suite
// checks. The simulator decides which reads are stale. Every method takes effect when it is called. Values are copied and
// frozen on write, so no alias can hide a bug.

import { errorKeyOf } from '../../domain/executions/error-key.ts';
import { type DueKey, shardOf } from '../../domain/executions/ids.ts';
import type { Progress } from '../../domain/executions/progress.ts';
import { isTerminal, type Row, type RowSeen } from '../../domain/executions/row.ts';
import { type Entry, entryKey, minuteOf, slotKey } from '../../domain/executions/slots.ts';
import { isOpen, type OpenOperation, type Operation } from '../../domain/jobs/background-operation.ts';
import type { Change, ChangeKey } from '../../domain/jobs/change.ts';
import { type KeyName, MAX_CONCURRENT, type Seat } from '../../domain/jobs/concurrency-key.ts';
import type { Definition, Head, HeadChange } from '../../domain/jobs/job.ts';
import type { NamePointer } from '../../domain/jobs/job-name.ts';
import type { NotifyEvent } from '../../domain/jobs/notify-events.ts';
import type { LimitsOfOwner } from '../../domain/jobs/owner-limits.ts';
import {
  DUE,
  decodeCursor,
  encodeCursor,
  FAILED_AND_OWNER,
  JOB,
  TIME_AND_JOB,
  userRowCursor,
} from '../cursors.ts';
import { createdKey, dueKeyOf, lockNumberOf } from '../items.ts';
import type {
  ClaimAnswer,
  ClaimWrites,
  ErasureScope,
  ExecutionKey,
  Extended,
  FailedKey,
  HeadSummary,
  ListOptions,
  ListRowsOptions,
  LockTaking,
  NotificationWindow,
  Page,
  ReadOptions,
  Shard,
  ShardChange,
  Store,
  Stored,
  WorkerRow,
} from '../store.ts';
import { frozen } from './frozen.ts';
import { Versioned } from './versioned.ts';

export interface MemoryStoreOptions {
  readonly shards: number;
  /** Called at every read that is not consistent. True: the read returns the version before the last write. Default: never. */
  readonly stale?: () => boolean;
  /** Entries in a page of a slot. */
  readonly slotPage?: number;
}

const failedKey = (row: Row, cursor: string): FailedKey => ({
  jobId: row.jobId,
  due: row.due,
  errorKey: errorKeyOf(row),
  ...(row.dismissed && { dismissed: row.dismissed }),
  cursor,
});

export class MemoryStore implements Store {
  /** By job id. */
  readonly heads: Versioned<Head>;
  /** By `rowKey`. */
  readonly rows: Versioned<Row>;
  /** By `rowKey`. */
  readonly checkpoints = new Map<string, { readonly number: number; readonly checkpoint: unknown }>();
  /** The executions that wait, by job: since when, by due key. */
  readonly waits = new Map<string, Map<DueKey, number>>();
  readonly definitions = new Map<string, Definition>();
  /** By slot, then by key. */
  readonly slots = new Map<string, Map<string, Entry>>();
  readonly shards = new Map<number, Shard>();
  readonly workers = new Map<string, WorkerRow>();
  /** By `quotaKey`. */
  readonly quotas = new Map<string, number>();
  readonly stored = new Map<string, Stored>();
  /** The limits that operators have set, by user. */
  readonly limits = new Map<string, LimitsOfOwner>();
  /** By job and event. */
  readonly notificationWindows = new Map<string, NotificationWindow>();
  /** By job, then by version and time. */
  readonly changes = new Map<string, Map<string, Change>>();
  /** By user, namespace and name. */
  readonly names = new Map<string, NamePointer>();
  readonly operations = new Map<string, Operation>();
  /** The listed operations, by id. */
  readonly openOperations = new Map<string, OpenOperation>();
  /** By owner, key and number. */
  readonly seats: Versioned<Seat>;
  readonly #options: MemoryStoreOptions;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
    this.heads = new Versioned(options.stale);
    this.rows = new Versioned(options.stale);
    this.seats = new Versioned(options.stale);
  }

  /** All data, for checkers. */
  snapshot(): { heads: Head[]; rows: Row[]; entries: Entry[]; shards: Shard[] } {
    return {
      heads: this.heads.all(),
      rows: this.rows.all(),
      entries: [...this.slots.values()].flatMap((slot) => [...slot.values()]),
      shards: [...this.shards.values()],
    };
  }

  async putDefinition(definition: Definition): Promise<void> {
    this.definitions.set(`${definition.jobId}#${definition.version}`, frozen(definition));
  }

  async readDefinition(jobId: string, version: number): Promise<Definition | undefined> {
    return this.definitions.get(`${jobId}#${version}`);
  }

  async readDefinitions(keys: readonly { jobId: string; version: number }[]): Promise<Definition[]> {
    const names = new Set(keys.map(({ jobId, version }) => `${jobId}#${version}`));
    return [...names].flatMap((name) => this.definitions.get(name) ?? []);
  }

  async insertHead(head: Head): Promise<boolean> {
    if (this.heads.get(head.jobId)) return false;
    this.heads.set(head.jobId, frozen(head));
    return true;
  }

  async readHead(jobId: string, options: ReadOptions): Promise<Head | undefined> {
    return this.heads.read(jobId, options.consistent);
  }

  async readHeads(jobIds: readonly string[], options: ReadOptions): Promise<Head[]> {
    return [...new Set(jobIds)].flatMap((jobId) => this.heads.read(jobId, options.consistent) ?? []);
  }

  async updateHead({ jobId, version }: Head, change: HeadChange): Promise<boolean> {
    const head = this.heads.get(jobId);
    if (/* [rule head-version] */ head?.version !== version) return false;
    this.heads.set(jobId, frozen({ ...head, ...change }));
    return true;
  }

  async takeLock(taking: LockTaking): Promise<boolean> {
    if (!this.#isLock(taking)) return false;
    this.#putLock(taking);
    return true;
  }

  #isLock({ seen }: LockTaking): boolean {
    const head = this.heads.get(seen.jobId);
    return (
      /* [rule lock-version] */ head?.version === seen.version &&
      /* [rule lock-number] */ lockNumberOf(head) === lockNumberOf(seen)
    );
  }

  #putLock({ seen, lock, coveredUntil }: LockTaking): void {
    const head = this.heads.get(seen.jobId) as Head;
    this.heads.set(seen.jobId, frozen({ ...head, lock, coveredUntil }));
  }

  /** Nothing expires in memory. */
  async keepHead({ jobId, version }: Head): Promise<boolean> {
    return this.heads.get(jobId)?.version === version;
  }

  async expireBeside(): Promise<void> {}

  async listHeads(userId: string, options: ListOptions): Promise<Page<HeadSummary>> {
    const before = decodeCursor(options.cursor, TIME_AND_JOB);
    const found = this.heads
      .all()
      .filter((head) => head.userId === userId && isBefore(createdKey(head), before));
    return pageOf(found.sort(by(createdKey)).reverse(), options.limit, createdKey, summaryOf);
  }

  async listAllHeads({ limit, cursor }: ListOptions): Promise<Page<HeadSummary>> {
    const keyOf = ({ jobId }: Head) => jobId;
    const after = decodeCursor(cursor, JOB) ?? '';
    const found = this.heads.all().filter((head) => keyOf(head) > after);
    return pageOf(found.sort(by(keyOf)), limit, keyOf, summaryOf);
  }

  async putEntries(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      const slot = this.#slotOf(entry);
      const keys = this.slots.get(slot) ?? new Map<string, Entry>();
      this.slots.set(slot, keys.set(entryKey(entry), frozen(entry)));
    }
  }

  async readSlot(minute: number, shard: number, cursor?: string): Promise<Page<Entry>> {
    const after = decodeCursor(cursor, /^\d{13}#/);
    const entries = [...(this.slots.get(slotKey(minute, shard)) ?? [])]
      .filter(([key]) => after === undefined || key > after)
      .sort(by(([key]) => key));
    return pageOf(
      entries,
      this.#options.slotPage ?? 5_000,
      ([key]) => key,
      ([, entry]) => entry,
    );
  }

  async hasEntry(entry: Entry): Promise<boolean> {
    return this.slots.get(this.#slotOf(entry))?.has(entryKey(entry)) ?? false;
  }

  async insertRow(row: Row): Promise<boolean> {
    if (/* [rule row-absent] */ this.rows.get(rowKey(row))) return false;
    this.rows.set(rowKey(row), frozen(row));
    return true;
  }

  async updateRow(seen: RowSeen, row: Row): Promise<boolean> {
    const old = this.rows.get(rowKey(row));
    if (!old || !isAsSeen(old, seen)) return false;
    this.#putRow(old, row);
    return true;
  }

  #putRow(old: Row | undefined, row: Row): void {
    // a request to cancel stays in an open row, as on the other stores
    const isKept = old && !isTerminal(old.status) && /* [rule cancel-stays] */ old.cancelRequested;
    this.rows.set(rowKey(row), frozen({ ...row, ...(isKept && { cancelRequested: true as const }) }));
  }

  async extendLease(
    key: ExecutionKey,
    number: number,
    leaseUntil: number,
    progress: Progress | undefined,
  ): Promise<Extended | undefined> {
    const row = this.rows.get(rowKey(key));
    if (/* [rule beat-as-read] */ !isClaim(row, number)) return undefined;
    if (/* [rule beat-longer] */ (row.leaseUntil ?? 0) >= leaseUntil) return undefined;
    this.rows.set(rowKey(key), frozen({ ...row, leaseUntil, ...(progress && { progress }) }));
    return { cancelRequested: row.cancelRequested === true };
  }

  async requestCancel(key: ExecutionKey, number: number): Promise<boolean> {
    const row = this.rows.get(rowKey(key));
    if (/* [rule cancel-as-read] */ !isClaim(row, number)) return false;
    this.rows.set(rowKey(key), frozen({ ...row, cancelRequested: true as const }));
    return true;
  }

  /** All or nothing, as in SQLite. The simulator makes a claim of single writes where the store is DynamoDB. */
  async claim({ seen, row, seat, lock }: ClaimWrites): Promise<ClaimAnswer> {
    const old = this.rows.get(rowKey(row));
    const isOpenable = seen ? old && isAsSeen(old, seen) : !old;
    if (!isOpenable || (seat && !this.#isSeat(seat.seen, seat.seat)) || (lock && !this.#isLock(lock)))
      return 'refused';
    this.#putRow(old, row);
    if (seat) this.seats.set(seatKey(seat.seat), frozen(seat.seat));
    if (lock) this.#putLock(lock);
    return 'done';
  }

  async putCheckpoint(key: ExecutionKey, number: number, checkpoint: unknown): Promise<boolean> {
    if (/* [rule checkpoint-number] */ (this.checkpoints.get(rowKey(key))?.number ?? 0) > number)
      return false;
    this.checkpoints.set(rowKey(key), frozen({ number, checkpoint }));
    return true;
  }

  async readCheckpoint(key: ExecutionKey): Promise<unknown> {
    return this.checkpoints.get(rowKey(key))?.checkpoint;
  }

  async putWait({ jobId, due }: ExecutionKey, at: number): Promise<void> {
    this.waits.set(jobId, (this.waits.get(jobId) ?? new Map()).set(due, at));
  }

  async firstWait(jobId: string): Promise<{ due: DueKey; at: number } | undefined> {
    const [first] = [...(this.waits.get(jobId) ?? [])].sort(by(([due]) => due));
    return first && { due: first[0], at: first[1] };
  }

  async removeWait({ jobId, due }: ExecutionKey, at: number): Promise<void> {
    const ofJob = this.waits.get(jobId);
    if (ofJob?.get(due) === at) ofJob.delete(due);
  }

  async markNotified(jobId: string, due: DueKey, seen: RowSeen): Promise<boolean> {
    const row = this.rows.get(rowKey({ jobId, due }));
    return row !== undefined && this.updateRow(seen, { ...row, told: true });
  }

  async dismissRow(row: Row): Promise<boolean> {
    const found = this.rows.get(rowKey(row));
    const seen = { status: 'FAILED', number: row.number } as const;
    return found !== undefined && this.updateRow(seen, { ...found, dismissed: true });
  }

  async readRow(jobId: string, due: DueKey, options: ReadOptions): Promise<Row | undefined> {
    return this.rows.read(rowKey({ jobId, due }), options.consistent);
  }

  async readRows(keys: readonly ExecutionKey[], options: ReadOptions): Promise<Row[]> {
    return [...new Set(keys.map(rowKey))].flatMap((key) => this.rows.read(key, options.consistent) ?? []);
  }

  async listRows(jobId: string, options: ListOptions & ListRowsOptions): Promise<Page<Row>> {
    const cursor = decodeCursor(options.cursor, DUE);
    const found = this.rows
      .all()
      .filter(
        (row) => row.jobId === jobId && row.due >= (options.from ?? '') && isBefore(row.due, options.to),
      )
      .filter(({ due }) => cursor === undefined || (options.newestFirst ? due < cursor : due > cursor))
      .sort(by((row) => row.due));
    return pageOf(options.newestFirst ? found.reverse() : found, options.limit, (row) => row.due, same);
  }

  async listRowKeys(
    userId: string,
    options: ListOptions & { from?: DueKey; to?: DueKey },
  ): Promise<Page<ExecutionKey>> {
    return this.#keys(
      (row) => row.userId === userId,
      options,
      ({ jobId, due }) => ({ jobId, due }),
    );
  }

  async listFailedKeys(
    userId: string,
    options: ListOptions & { from?: DueKey; to?: DueKey },
  ): Promise<Page<FailedKey>> {
    const belongs = (row: Row) => row.userId === userId && row.status === 'FAILED';
    return this.#keys(belongs, options, (row) => failedKey(row, userRowCursor(row)));
  }

  async listAllFailedKeys({ limit, cursor }: ListOptions): Promise<Page<FailedKey>> {
    const keyOf = (row: Row) => `${dueKeyOf(row)}@${row.userId}`;
    const after = decodeCursor(cursor, FAILED_AND_OWNER) ?? '';
    const found = this.rows.all().filter((row) => row.status === 'FAILED' && keyOf(row) > after);
    return pageOf(found.sort(by(keyOf)), limit, keyOf, (row) => failedKey(row, encodeCursor(keyOf(row))));
  }

  #keys<Key>(
    belongs: (row: Row) => boolean,
    { from = '', to, cursor, limit }: ListOptions & { from?: DueKey; to?: DueKey },
    shown: (row: Row) => Key,
  ): Page<Key> {
    const before = decodeCursor(cursor, TIME_AND_JOB);
    const found = this.rows
      .all()
      .filter((row) => belongs(row) && row.due >= from && isBefore(row.due, to))
      .filter((row) => isBefore(dueKeyOf(row), before))
      .sort(by(dueKeyOf))
      .reverse();
    return pageOf(found, limit, dueKeyOf, shown);
  }

  async insertShard(shard: Shard): Promise<boolean> {
    if (this.shards.has(shard.shard)) return false;
    this.shards.set(shard.shard, frozen(shard));
    return true;
  }

  async readShard(shard: number): Promise<Shard | undefined> {
    return this.shards.get(shard);
  }

  async takeShard(
    shard: number,
    seenToken: string | undefined,
    token: string,
    leaseUntil: number,
  ): Promise<boolean> {
    const row = this.shards.get(shard);
    if (!row || row.token !== seenToken) return false;
    this.shards.set(shard, frozen({ ...row, token, leaseUntil }));
    return true;
  }

  async commitShard(
    shard: number,
    token: string,
    { leaseUntil, rebuild, ...change }: ShardChange,
  ): Promise<boolean> {
    const row = this.shards.get(shard);
    if (row?.token !== token) return false;
    const dispatchedUntil = Math.max(row.dispatchedUntil, change.dispatchedUntil ?? row.dispatchedUntil);
    const settledUntil = Math.max(row.settledUntil, change.settledUntil ?? row.settledUntil);
    const moved = { ...row, dispatchedUntil, settledUntil, leaseUntil };
    this.shards.set(shard, frozen(rebuild ? { ...moved, rebuild } : moved));
    return true;
  }

  async resetShard(
    shard: number,
    token: string,
    cursors: { dispatchedUntil: number; settledUntil: number },
  ): Promise<boolean> {
    const row = this.shards.get(shard);
    if (row?.token !== token) return false;
    this.shards.set(shard, frozen({ ...row, ...cursors }));
    return true;
  }

  async putWorker(worker: WorkerRow): Promise<void> {
    this.workers.set(worker.workerId, frozen(worker));
  }

  async removeWorker(workerId: string): Promise<void> {
    this.workers.delete(workerId);
  }

  async readWorker(workerId: string): Promise<WorkerRow | undefined> {
    return this.workers.get(workerId);
  }

  async listWorkers(since: number, limit?: number): Promise<WorkerRow[]> {
    return [...this.workers.values()].filter((worker) => worker.beatAt >= since).slice(0, limit);
  }

  async addToQuota(userId: string, quota: string, count: number): Promise<number> {
    const used = (this.quotas.get(quotaKey(userId, quota)) ?? 0) + count;
    this.quotas.set(quotaKey(userId, quota), used);
    return used;
  }

  async takeFromQuota(
    userId: string,
    quota: string,
    count: number,
    max: number,
  ): Promise<number | undefined> {
    const used = (this.quotas.get(quotaKey(userId, quota)) ?? 0) + count;
    if (used > max) return undefined;
    this.quotas.set(quotaKey(userId, quota), used);
    return used;
  }

  async readQuota(userId: string, quota: string): Promise<number> {
    return this.quotas.get(quotaKey(userId, quota)) ?? 0;
  }

  async putLimits(userId: string, limits: LimitsOfOwner): Promise<void> {
    this.limits.set(userId, limits);
  }

  async readLimits(userId: string): Promise<LimitsOfOwner | undefined> {
    return this.limits.get(userId);
  }

  async takeStored(userId: string, more: Stored, max: Stored): Promise<Stored | undefined> {
    const was = this.stored.get(userId) ?? { jobs: 0, bytes: 0 };
    const stored = { jobs: was.jobs + more.jobs, bytes: was.bytes + more.bytes };
    if ((more.jobs > 0 && stored.jobs > max.jobs) || stored.bytes > max.bytes) return undefined;
    this.stored.set(userId, stored);
    return stored;
  }

  async readStored(userId: string): Promise<Stored> {
    return this.stored.get(userId) ?? { jobs: 0, bytes: 0 };
  }

  async replaceStored(userId: string, seen: Stored, stored: Stored): Promise<boolean> {
    const was = this.stored.get(userId);
    if (was?.jobs !== seen.jobs || was.bytes !== seen.bytes) return false;
    this.stored.set(userId, stored);
    return true;
  }

  async readNotificationWindow(jobId: string, event: NotifyEvent): Promise<NotificationWindow | undefined> {
    return this.notificationWindows.get(`${jobId}#${event}`);
  }

  async writeNotificationWindow(
    seen: NotificationWindow | undefined,
    window: NotificationWindow,
  ): Promise<boolean> {
    const key = `${window.jobId}#${window.event}`;
    if (this.notificationWindows.get(key)?.stamp !== seen?.stamp) return false;
    this.notificationWindows.set(key, frozen(window));
    return true;
  }

  async insertChange(change: Change): Promise<boolean> {
    const ofJob = this.changes.get(change.jobId) ?? new Map<string, Change>();
    if (ofJob.has(changeOrder(change))) return false;
    this.changes.set(change.jobId, ofJob.set(changeOrder(change), frozen(change)));
    return true;
  }

  async listChanges(jobId: string, from: ChangeKey, limit: number): Promise<Change[]> {
    const found = [...(this.changes.get(jobId)?.values() ?? [])].filter(
      (change) => changeOrder(change) <= changeOrder(from),
    );
    return found.sort(by(changeOrder)).reverse().slice(0, limit);
  }

  async readName(userId: string, namespace: string, name: string): Promise<NamePointer | undefined> {
    return this.names.get(nameKey({ userId, namespace, name }));
  }

  async writeName(seen: NamePointer | undefined, pointer: NamePointer): Promise<boolean> {
    if (/* [rule name-as-read] */ this.names.get(nameKey(pointer))?.stamp !== seen?.stamp) return false;
    this.names.set(nameKey(pointer), frozen(pointer));
    return true;
  }

  async putOperation(operation: Operation): Promise<void> {
    const { id, createdAt, userId } = operation;
    this.operations.set(id, frozen(operation));
    if (isOpen(operation)) this.openOperations.set(id, { id, createdAt, userId });
  }

  async readOperation(id: string): Promise<Operation | undefined> {
    return this.operations.get(id);
  }

  async replaceOperation({ id, stamp }: Operation, operation: Operation): Promise<boolean> {
    if (/* [rule operation-as-read] */ this.operations.get(id)?.stamp !== stamp) return false;
    this.operations.set(id, frozen(operation));
    return true;
  }

  async listOpenOperations(limit: number): Promise<OpenOperation[]> {
    const order = ({ id, createdAt }: OpenOperation) => `${String(createdAt).padStart(13, '0')}#${id}`;
    return [...this.openOperations.values()].sort(by(order)).slice(0, limit);
  }

  async delistOperation({ id }: OpenOperation): Promise<void> {
    this.openOperations.delete(id);
  }

  async readSeats({ owner, key }: KeyName, { consistent }: ReadOptions): Promise<Seat[]> {
    const numbers = Array.from({ length: MAX_CONCURRENT }, (_, n) => n);
    return numbers.flatMap((n) => this.seats.read(seatKey({ owner, key, n }), consistent) ?? []);
  }

  async writeSeat(seen: Seat | undefined, seat: Seat): Promise<boolean> {
    if (/* [rule seat-as-read] */ !this.#isSeat(seen, seat)) return false;
    this.seats.set(seatKey(seat), frozen(seat));
    return true;
  }

  #isSeat(seen: Seat | undefined, seat: Seat): boolean {
    const found = this.seats.get(seatKey(seat));
    return found?.number === seen?.number && found?.jobId === seen?.jobId && found?.due === seen?.due;
  }

  async eraseRows(keys: readonly ExecutionKey[]): Promise<void> {
    for (const { jobId, due } of keys) {
      this.rows.delete(rowKey({ jobId, due }));
      this.checkpoints.delete(rowKey({ jobId, due }));
      this.waits.get(jobId)?.delete(due);
    }
  }

  async eraseJobs(heads: readonly Head[]): Promise<void> {
    const ids = new Set(heads.map(({ jobId }) => jobId));
    const erase = <T>(map: Map<string, T>, isMeant: (value: T) => boolean) => {
      for (const [key, value] of map) if (isMeant(value)) map.delete(key);
    };
    for (const slot of this.slots.values()) erase(slot, ({ jobId }) => ids.has(jobId));
    erase(this.definitions, ({ jobId }) => ids.has(jobId));
    erase(this.notificationWindows, ({ jobId }) => ids.has(jobId));
    erase(this.names, ({ jobId }) => ids.has(jobId));
    for (const seat of this.seats.all()) if (ids.has(seat.jobId)) this.seats.delete(seatKey(seat));
    for (const id of ids) {
      this.changes.delete(id);
      this.waits.delete(id);
      this.heads.delete(id);
    }
  }

  async eraseOwner(userId: string, { operation, limits }: ErasureScope): Promise<void> {
    for (const key of this.quotas.keys()) if (JSON.parse(key)[0] === userId) this.quotas.delete(key);
    for (const [key, name] of this.names) if (name.userId === userId) this.names.delete(key);
    this.stored.delete(userId);
    if (limits) this.limits.delete(userId);
    for (const one of this.operations.values()) {
      const isOwn = one.userId === userId || ('owner' in one.params && one.params.owner === userId);
      if (!isOwn || one.id === operation || (one.kind === 'erasure' && isOpen(one))) continue;
      this.operations.delete(one.id);
      this.openOperations.delete(one.id);
    }
  }

  #slotOf(entry: Entry): string {
    return slotKey(minuteOf(entry.at), shardOf(entry.jobId, this.#options.shards));
  }
}

const changeOrder = ({ version, at }: ChangeKey): string =>
  `${String(version).padStart(10, '0')}#${String(at).padStart(13, '0')}`;

const quotaKey = (userId: string, quota: string): string => JSON.stringify([userId, quota]);

const nameKey = ({ userId, namespace, name }: Pick<NamePointer, 'userId' | 'namespace' | 'name'>): string =>
  JSON.stringify([userId, namespace, name]);

export const rowKey = ({ jobId, due }: ExecutionKey): string => `${jobId}#${due}`;

const seatKey = ({ owner, key, n }: KeyName & { n: number }): string => `${owner}#${key}#${n}`;

const isClaim = (row: Row | undefined, number: number): row is Row =>
  row?.status === 'RUNNING' && row.number === number;

const isAsSeen = (row: Row, seen: RowSeen): boolean =>
  /* [rule row-status] */ row.status === seen.status &&
  /* [rule row-number] */ row.number === seen.number &&
  (seen.leaseUntil === undefined || row.leaseUntil === seen.leaseUntil);

function summaryOf(head: Head): HeadSummary {
  const { lock, coveredUntil, ...summary } = head;
  return frozen(summary);
}

const same = <T>(value: T): T => value;
const isBefore = (key: string, bound: string | undefined): boolean => bound === undefined || key < bound;
const by =
  <T>(keyOf: (value: T) => string) =>
  (a: T, b: T): number =>
    keyOf(a) < keyOf(b) ? -1 : 1;

function pageOf<T, U>(
  found: T[],
  limit: number,
  keyOf: (value: T) => string,
  toItem: (value: T) => U,
): Page<U> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { items: items.map(toItem), next: more ? encodeCursor(keyOf(last)) : undefined };
}
