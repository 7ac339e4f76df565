// The permissions of each role on the tables. A role lists the store operations that its runtime uses, and the IAM actions
// follow from them. A new store operation does not compile until OPERATIONS has it.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { TableName } from '../../src/store/dynamodb/table-schemas.ts';
import type { Store } from '../../src/store/store.ts';
import type { Storage } from '../data/storage.ts';

type Action =
  | 'GetItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'Query'
  | 'Scan'
  | 'BatchGetItem'
  | 'BatchWriteItem'
  | 'PartiQLInsert'
  | 'PartiQLUpdate';

interface Access {
  readonly table: TableName;
  readonly actions: readonly Action[];
  readonly index?: string;
  /** Whether only counters are changed, which are items of their own. */
  readonly isCounter?: true;
}

const on = (table: TableName, ...actions: Action[]): Access => ({ table, actions });
const onIndex = (table: TableName, index: string, ...actions: Action[]): Access => ({
  table,
  index,
  actions,
});

const onCounters: Access = { ...on('jobs', 'UpdateItem'), isCounter: true };

/** Group commit sends these as a batch if several arrive together, else one by one (src/store/dynamodb/group-commit.ts). */
const GET = ['GetItem', 'BatchGetItem'] as const;
const INSERT = ['PutItem', 'PartiQLInsert'] as const;
const CHANGE = ['UpdateItem', 'PartiQLUpdate'] as const;

/** `claim` is made of other operations. */
const OPERATIONS: Readonly<Record<Exclude<keyof Store, 'claim'>, Access>> = {
  putDefinition: on('jobs', 'BatchWriteItem'),
  readDefinition: on('jobs', ...GET),
  readDefinitions: on('jobs', 'BatchGetItem'),

  insertHead: on('jobs', ...INSERT),
  readHead: on('jobs', ...GET),
  readHeads: on('jobs', 'BatchGetItem'),
  updateHead: on('jobs', ...CHANGE),
  takeLock: on('jobs', ...CHANGE),
  keepHead: on('jobs', ...CHANGE),
  expireBeside: on('jobs', 'Query', 'UpdateItem'),
  listHeads: onIndex('jobs', 'byUser', 'Query'),
  listAllHeads: onIndex('jobs', 'byUser', 'Scan'),

  putEntries: on('timetable', 'BatchWriteItem'),
  readSlot: on('timetable', 'Query'),
  hasEntry: on('timetable', ...GET),

  insertRow: on('executions', ...INSERT),
  updateRow: on('executions', 'PutItem', ...CHANGE),
  extendLease: on('executions', 'UpdateItem'),
  requestCancel: on('executions', 'UpdateItem'),
  markNotified: on('executions', ...CHANGE),
  dismissRow: on('executions', ...CHANGE),
  readRow: on('executions', ...GET),
  readRows: on('executions', 'BatchGetItem'),
  listRows: on('executions', 'Query'),
  listRowKeys: onIndex('executions', 'byUser', 'Query'),
  listFailedKeys: onIndex('executions', 'failed', 'Query'),
  listAllFailedKeys: onIndex('executions', 'failed', 'Scan'),

  insertShard: on('control', ...INSERT),
  readShard: on('control', ...GET),
  takeShard: on('control', 'UpdateItem'),
  commitShard: on('control', ...GET, 'UpdateItem'),
  resetShard: on('control', 'UpdateItem'),
  putWorker: on('control', 'PutItem'),
  removeWorker: on('control', 'DeleteItem'),
  readWorker: on('control', ...GET),
  listWorkers: on('control', 'Scan'),

  takeFromQuota: onCounters,
  readQuota: on('jobs', ...GET),
  addToQuota: onCounters,
  takeStored: on('jobs', 'UpdateItem'),
  readStored: on('jobs', ...GET),
  replaceStored: on('jobs', 'UpdateItem'),
  putLimits: on('jobs', 'PutItem'),
  readLimits: on('jobs', ...GET),

  readNotificationWindow: on('jobs', ...GET),
  writeNotificationWindow: on('jobs', 'PutItem'),

  insertChange: on('jobs', ...INSERT),
  listChanges: on('jobs', 'Query'),

  readName: on('jobs', ...GET),
  writeName: on('jobs', 'PutItem'),

  putOperation: on('jobs', 'BatchWriteItem'),
  readOperation: on('jobs', ...GET),
  replaceOperation: on('jobs', 'PutItem'),
  listOpenOperations: on('jobs', 'Query'),
  delistOperation: on('jobs', 'DeleteItem'),

  readSeats: on('jobs', 'Query'),
  writeSeat: on('jobs', ...INSERT, ...CHANGE),

  putCheckpoint: on('jobs', 'PutItem'),
  readCheckpoint: on('jobs', ...GET),
  putWait: on('jobs', 'BatchWriteItem'),
  firstWait: on('jobs', 'Query'),
  removeWait: on('jobs', 'DeleteItem'),

  eraseRows: on('executions', 'BatchWriteItem'),
  eraseJobs: on('jobs', 'Query', 'BatchWriteItem'),
  eraseOwner: on('jobs', 'Query', 'BatchWriteItem'),
};

/** Lists read the recorded number of index partitions, and writes of indexed items record it (docs/decisions/0041). */
const READ_PARTITIONS = on('jobs', 'GetItem');
const RECORD_PARTITIONS = on('jobs', 'UpdateItem');
const BESIDES: Partial<Record<keyof Store, Access>> = {
  listHeads: READ_PARTITIONS,
  listRowKeys: READ_PARTITIONS,
  listFailedKeys: READ_PARTITIONS,
  insertHead: RECORD_PARTITIONS,
  insertRow: RECORD_PARTITIONS,
  updateRow: RECORD_PARTITIONS,
  eraseJobs: on('timetable', 'BatchWriteItem'),
};

/** The writes of `claimStepByStep`. */
const CLAIM = ['insertRow', 'updateRow', 'writeSeat', 'takeLock'] as const;

export const accessesOf = (operation: keyof Store): readonly Access[] =>
  operation === 'claim'
    ? CLAIM.flatMap(accessesOf)
    : [OPERATIONS[operation], BESIDES[operation]].filter((access) => access !== undefined);

const CREATE = [
  'insertHead',
  'insertChange',
  'putDefinition',
  'putEntries',
  'readDefinition',
  'readHead',
  'addToQuota',
] as const satisfies readonly (keyof Store)[];

const ERASE = [
  'eraseRows',
  'eraseJobs',
  'eraseOwner',
  'listRows',
  'listRowKeys',
] as const satisfies readonly (keyof Store)[];

export const ROLES = {
  /** Read only, but for the counters of requests. */
  query: [
    'takeFromQuota',
    'addToQuota',
    'readDefinition',
    'readDefinitions',
    'readHead',
    'readHeads',
    'listHeads',
    'listChanges',
    'readName',
    'readOperation',
    'readSlot',
    'hasEntry',
    'readRow',
    'readRows',
    'listRows',
    'listRowKeys',
    'listFailedKeys',
    'listAllFailedKeys',
    'readShard',
    'readWorker',
    'listWorkers',
    'readLimits',
    'readQuota',
    'readStored',
  ],
  scheduler: [
    ...CREATE,
    'takeFromQuota',
    'readQuota',
    'takeStored',
    'readStored',
    'replaceStored',
    'readLimits',
    'listHeads',
    'updateHead',
    'keepHead',
    'expireBeside',
    'readName',
    'writeName',
    'listChanges',
    'putLimits',
    'putOperation',
    'readOperation',
    'listOpenOperations',
    'replaceOperation',
    'delistOperation',
    'readDefinitions',
    'readHeads',
    'hasEntry',
    'insertRow',
    'updateRow',
    'requestCancel',
    'firstWait',
    'removeWait',
    'dismissRow',
    'readRow',
    'readRows',
    'listRows',
    'listFailedKeys',
    'listAllFailedKeys',
    ...ERASE,
  ],
  ingest: CREATE,
  watcher: [
    'readSlot',
    'putEntries',
    'hasEntry',
    'readHead',
    'readHeads',
    'updateHead',
    'expireBeside',
    'insertRow',
    'readRow',
    'readRows',
    'insertShard',
    'readShard',
    'takeShard',
    'commitShard',
    'resetShard',
    'listOpenOperations',
    'readOperation',
    'replaceOperation',
    'delistOperation',
    'listHeads',
    'listAllHeads',
    'insertChange',
    ...ERASE,
  ],
  worker: [
    'readDefinition',
    'readHead',
    'updateHead',
    'keepHead',
    'expireBeside',
    'putEntries',
    'hasEntry',
    'insertRow',
    'updateRow',
    'readRow',
    'readRows',
    'claim',
    'extendLease',
    'putCheckpoint',
    'readCheckpoint',
    'putWait',
    'firstWait',
    'removeWait',
    'readSeats',
    'listWorkers',
    'readLimits',
    'putWorker',
    'removeWorker',
  ],
  notifier: [
    'readDefinition',
    'readHead',
    'readRow',
    'markNotified',
    'readNotificationWindow',
    'writeNotificationWindow',
  ],
  /** The canary calls the API only. */
  canary: [],
  /** The console and the documentation are files. */
  console: [],
  docs: [],
} as const satisfies Record<string, readonly (keyof Store)[]>;
export type RoleName = keyof typeof ROLES;

/** One statement for each table and index, with exactly the actions that the role uses there. */
export function tableStatements(storage: Storage, role: RoleName): PolicyStatement[] {
  const operations: readonly (keyof Store)[] = ROLES[role];
  const accesses = operations.flatMap(accessesOf);
  const resourceOf = ({ table, index }: Access) => (index ? `${table}/index/${index}` : table);
  // a role that may update every item needs no further right for counters
  const mayUpdate = new Set(
    accesses.filter((one) => !one.isCounter && one.actions.includes('UpdateItem')).map(resourceOf),
  );
  const isLimited = (one: Access) => one.isCounter === true && !mayUpdate.has(resourceOf(one));
  const groups = Map.groupBy(accesses, (one) => `${resourceOf(one)}${isLimited(one) ? COUNTERS : ''}`);
  return [...groups].sort().map(([group, own]) => {
    const [table = '', ...index] = group.replace(COUNTERS, '').split('/');
    return new PolicyStatement({
      actions: [...new Set(own.flatMap(({ actions }) => actions))].sort().map((a) => `dynamodb:${a}`),
      resources: [[storage.tables[table as TableName].tableArn, ...index].join('/')],
      ...(group.endsWith(COUNTERS) && { conditions: ONLY_COUNTERS }),
    });
  });
}

const COUNTERS = ' counters';

/** The items and attributes of counters (src/store/dynamodb/quotas.ts). Limits of owners are in items with the same key, as `record`. */
const ONLY_COUNTERS = {
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['quota#*'] },
  'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['jobId', 'part', 'used', 'expiresAt'] },
  StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
};
