// The Store port on DynamoDB: the operations of this folder, put together.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Store } from '../store.ts';
import type { Meter } from './capacity-meter.ts';
import * as changes from './changes.ts';
import * as control from './control.ts';
import { openDatabase } from './database.ts';
import * as definitions from './definitions.ts';
import * as executions from './executions.ts';
import * as holds from './holds.ts';
import type { IndexPartitionSettings } from './index-partitions.ts';
import * as jobs from './jobs.ts';
import * as keySlots from './key-slots.ts';
import * as names from './names.ts';
import * as windows from './notification-windows.ts';
import * as operations from './operations.ts';
import * as quotas from './quotas.ts';
import type { Pauses } from './retry-unprocessed.ts';
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
  /** Milliseconds since any time. Default: time stands still, so that a process reads the number of index partitions once. */
  readonly monotonic?: () => number;
  /** The pauses between the rounds of a batch that was processed in part. Default: real time, no jitter. */
  readonly backoff?: Pauses;
}

const DEFAULT_BACKOFF: Pauses = {
  random: () => 0.5,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export function createDynamoStore(options: DynamoStoreOptions): Store {
  const { client, tablePrefix, shards, meter, backoff = DEFAULT_BACKOFF } = options;
  const { groupCommit = true, indexPartitions, indexPartitionsWritten, monotonic = () => 0 } = options;
  const retentionMs = (options.retentionDays ?? 90) * 86_400_000;
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
  return {
    putDefinition: (definition) => definitions.putDefinition(db, definition),
    readDefinition: (jobId, version) => definitions.readDefinition(db, jobId, version),
    readDefinitions: (keys) => definitions.readDefinitions(db, keys),

    insertHead: (head) => jobs.insertHead(db, head),
    readHead: (jobId, read) => jobs.readHead(db, jobId, read),
    readHeads: (jobIds, read) => jobs.readHeads(db, jobIds, read),
    updateHead: (seen, change) => jobs.updateHead(db, seen, change),
    listHeads: (userId, list) => jobs.listHeads(db, userId, list),

    insertHoldItem: (item) => holds.insertHoldItem(db, item),
    readHoldItem: (jobId, due) => holds.readHoldItem(db, jobId, due),
    updateHoldItem: (jobId, due, stamp, change) => holds.updateHoldItem(db, jobId, due, stamp, change),
    removeHoldItem: (jobId, due, seen) => holds.removeHoldItem(db, jobId, due, seen),
    listHoldItems: (jobId, leasedUntil) => holds.listHoldItems(db, jobId, leasedUntil),
    heartbeat: (jobId, place, token, leaseUntil, stamp, progress) =>
      holds.heartbeat(db, jobId, place, token, leaseUntil, stamp, progress),

    putEntries: (entries) => timetable.putEntries(db, shards, entries),
    readSlot: (minute, shard, cursor, options = { consistent: true }) =>
      timetable.readSlot(db, minute, shard, cursor, options),
    hasEntry: (entry) => timetable.hasEntry(db, shards, entry),

    insertRow: (row) => executions.insertRow(db, retentionMs, row),
    updateRow: (seen, row) => executions.updateRow(db, retentionMs, seen, row),
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

    insertChange: (change) => changes.insertChange(db, change),
    listChanges: (jobId, from, limit) => changes.listChanges(db, jobId, from, limit),

    readName: (userId, namespace, name) => names.readName(db, userId, namespace, name),
    writeName: (seen, pointer) => names.writeName(db, seen, pointer),

    putOperation: (operation) => operations.putOperation(db, operation),
    readOperation: (id) => operations.readOperation(db, id),
    replaceOperation: (seen, operation) => operations.replaceOperation(db, seen, operation),
    listOpenOperations: (limit) => operations.listOpenOperations(db, limit),
    delistOperation: (operation) => operations.delistOperation(db, operation),

    readKeySlots: (name, read) => keySlots.readKeySlots(db, name, read),
    writeKeySlot: (seen, slot) => keySlots.writeKeySlot(db, seen, slot),
    removeKeySlot: (seen) => keySlots.removeKeySlot(db, seen),
  };
}
