// The Store port on DynamoDB: the operations of this folder, put together.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { claimStepByStep, type Store } from '../store.ts';
import type { Meter } from './capacity-meter.ts';
import * as changes from './changes.ts';
import * as control from './control.ts';
import { openDatabase } from './database.ts';
import * as definitions from './definitions.ts';
import { eraseJobs, eraseOwner, eraseRows } from './erasure.ts';
import * as executions from './executions.ts';
import { expireBeside } from './expiry.ts';
import type { IndexPartitionSettings } from './index-partitions.ts';
import * as jobs from './jobs.ts';
import * as names from './names.ts';
import * as windows from './notification-windows.ts';
import * as operations from './operations.ts';
import * as quotas from './quotas.ts';
import type { Pauses } from './retry-unprocessed.ts';
import * as beside from './saved-and-waiting.ts';
import * as seats from './seats.ts';
import * as timetable from './timetable.ts';

/** Index partitions may be raised and never lowered. Every reading process must have the new number before items are written with it. */
export interface DynamoStoreOptions extends IndexPartitionSettings {
  readonly client: DynamoDBClient;
  /** The prefix of the table names. */
  readonly tablePrefix: string;
  /** Number of shards of the timetable (`Settings.shards`). All writers and watchers must use the same number. */
  readonly shards: number;
  /** Retention of terminal executions. Default 90. */
  readonly retentionDays?: number;
  readonly meter?: Meter;
  /**
   * Whether concurrent reads and conditional writes share requests (BatchGetItem and PartiQL's BatchExecuteStatement).
   * Default true.
   */
  readonly groupCommit?: boolean;
  /** Epoch milliseconds. An entry that is written late is kept from then on. Default: entries are kept from their own times on. */
  readonly now?: () => number;
  /** Milliseconds since any time. Default: time stands still, so that a process reads the number of index partitions once. */
  readonly monotonic?: () => number;
  /** The pauses between the rounds of a batch that was processed in part. Default: real time, no jitter. */
  readonly backoff?: Pauses;
}

const DAY_MS = 86_400_000;
/** TTL knows nothing of an occurrence that nobody has seen yet. So a job stays at least as long as the entries of the timetable. */
const OUTAGE_DAYS = 31;
/** TTL may delete a row days later than it expires, and an execution may end later than its job (`isLateFor`). */
const MARGIN_DAYS = 7;

/** For tools that have no clock. */
const DEFAULT_BACKOFF: Pauses = {
  random: () => 0.5,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timeout = setTimeout(resolve, ms);
      const end = () => {
        clearTimeout(timeout);
        resolve();
      };
      signal?.addEventListener('abort', end, { once: true });
    }),
};

export function createDynamoStore(options: DynamoStoreOptions): Store {
  const { client, tablePrefix, shards, meter, backoff = DEFAULT_BACKOFF } = options;
  const {
    groupCommit = true,
    indexPartitions,
    indexPartitionsWritten,
    monotonic = () => 0,
    now = () => 0,
  } = options;
  const retentionDays = options.retentionDays ?? 90;
  const retentionMs = retentionDays * DAY_MS;
  const keptMs = (Math.max(retentionDays, OUTAGE_DAYS) + MARGIN_DAYS) * DAY_MS;
  const db = openDatabase({
    ...{
      client,
      tablePrefix,
      meter,
      backoff,
      groupCommit,
      indexPartitions,
      indexPartitionsWritten,
      monotonic,
    },
  });
  const primitives: Omit<Store, 'claim'> = {
    putDefinition: (definition, end) => definitions.putDefinition(db, keptMs, definition, end),
    readDefinition: (jobId, version) => definitions.readDefinition(db, jobId, version),
    readDefinitions: (keys) => definitions.readDefinitions(db, keys),

    insertHead: (head) => jobs.insertHead(db, keptMs, head),
    readHead: (jobId, read) => jobs.readHead(db, jobId, read),
    readHeads: (jobIds, read) => jobs.readHeads(db, jobIds, read),
    updateHead: (seen, change) => jobs.updateHead(db, keptMs, seen, change),
    takeLock: (taking) => jobs.takeLock(db, taking),
    keepHead: (seen, end) => jobs.keepHead(db, keptMs, seen, end),
    expireBeside: (job, end) => expireBeside(db, keptMs, job, end),
    listHeads: (userId, list) => jobs.listHeads(db, userId, list),
    listAllHeads: (list) => jobs.listAllHeads(db, list),

    putEntries: (entries) => timetable.putEntries(db, shards, now(), entries),
    readSlot: (minute, shard, cursor, options = { consistent: true }) =>
      timetable.readSlot(db, minute, shard, cursor, options),
    hasEntry: (entry) => timetable.hasEntry(db, shards, entry),

    insertRow: (row) => executions.insertRow(db, retentionMs, row),
    updateRow: (seen, row) => executions.updateRow(db, retentionMs, seen, row),
    extendLease: (key, number, leaseUntil, progress) =>
      executions.extendLease(db, key, number, leaseUntil, progress),
    requestCancel: (key, number) => executions.requestCancel(db, key, number),
    dismissRow: (row) => executions.dismissRow(db, row),
    markNotified: (jobId, due, seen) => executions.markNotified(db, jobId, due, seen),
    readRow: (jobId, due, read) => executions.readRow(db, jobId, due, read),
    readRows: (keys, read) => executions.readRows(db, keys, read),
    listRows: (jobId, list) => executions.listRows(db, jobId, list),
    listRowKeys: (userId, list) => executions.listRowKeys(db, userId, list),
    listFailedKeys: (userId, list) => executions.listFailedKeys(db, userId, list),
    listAllFailedKeys: (list) => executions.listAllFailedKeys(db, list),

    insertShard: (shard) => control.insertShard(db, shard),
    readShard: (shard) => control.readShard(db, shard),
    takeShard: (shard, seen, token, leaseUntil) => control.takeShard(db, shard, seen, token, leaseUntil),
    commitShard: (shard, token, change) => control.commitShard(db, shard, token, change),
    resetShard: (shard, token, cursors) => control.resetShard(db, shard, token, cursors),
    putWorker: (worker) => control.putWorker(db, worker),
    removeWorker: (workerId) => control.removeWorker(db, workerId),
    readWorker: (workerId) => control.readWorker(db, workerId),
    listWorkers: (since, limit) => control.listWorkers(db, since, limit),

    takeFromQuota: (userId, quota, count, max, expiresAt) =>
      quotas.takeFromQuota(db, userId, quota, count, max, expiresAt),
    readQuota: (userId, quota) => quotas.readQuota(db, userId, quota),
    addToQuota: (userId, quota, count, expiresAt) => quotas.addToQuota(db, userId, quota, count, expiresAt),
    takeStored: (userId, more, max) => quotas.takeStored(db, userId, more, max),
    readStored: (userId) => quotas.readStored(db, userId),
    replaceStored: (userId, seen, stored) => quotas.replaceStored(db, userId, seen, stored),
    putLimits: (userId, limits) => quotas.putLimits(db, userId, limits),
    readLimits: (userId, read) => quotas.readLimits(db, userId, read),

    readNotificationWindow: (jobId, event) => windows.readNotificationWindow(db, jobId, event),
    writeNotificationWindow: (seen, window, expiresAt) =>
      windows.writeNotificationWindow(db, seen, window, expiresAt),

    insertChange: (change, end) => changes.insertChange(db, keptMs, change, end),
    listChanges: (jobId, from, limit) => changes.listChanges(db, jobId, from, limit),

    readName: (userId, namespace, name) => names.readName(db, userId, namespace, name),
    writeName: (seen, pointer, end) => names.writeName(db, keptMs, seen, pointer, end),

    putOperation: (operation) => operations.putOperation(db, operation),
    readOperation: (id) => operations.readOperation(db, id),
    replaceOperation: (seen, operation) => operations.replaceOperation(db, seen, operation),
    listOpenOperations: (limit) => operations.listOpenOperations(db, limit),
    delistOperation: (operation) => operations.delistOperation(db, operation),

    readSeats: (name, read) => seats.readSeats(db, name, read),
    writeSeat: (seen, seat) => seats.writeSeat(db, seen, seat),

    putCheckpoint: (key, number, checkpoint) =>
      beside.putCheckpoint(db, retentionMs, key, number, checkpoint),
    readCheckpoint: (key) => beside.readCheckpoint(db, key),
    putWait: (key, at) => beside.putWait(db, key, at),
    firstWait: (jobId) => beside.firstWait(db, jobId),
    removeWait: (key, at) => beside.removeWait(db, key, at),

    eraseRows: (keys) => eraseRows(db, keys),
    eraseJobs: (heads, entries) => eraseJobs(db, shards, heads, entries),
    eraseOwner: (userId, scope) => eraseOwner(db, userId, scope),
  };
  return { ...primitives, claim: (writes) => claimStepByStep(primitives, writes) };
}
