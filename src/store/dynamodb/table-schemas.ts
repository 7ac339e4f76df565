// The tables with their keys and indexes. CDK and local mode create them from here. The file needs no SDK.
export type TableName = 'timetable' | 'jobs' | 'executions' | 'control';

export interface IndexSchema {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Projected attributes besides the keys. KEYS_ONLY if empty. */
  readonly include: readonly string[];
}

export interface TableSchema {
  readonly name: TableName;
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly indexes: readonly IndexSchema[];
}

/** The TTL attribute of every table, in epoch seconds. Expired items may stay readable for days. */
export const TTL_ATTRIBUTE = 'expiresAt';

/** Every key attribute is a string. */
export const TABLES: readonly TableSchema[] = [
  { name: 'timetable', partitionKey: 'slot', sortKey: 'key', indexes: [] },
  {
    name: 'jobs',
    partitionKey: 'jobId',
    sortKey: 'part',
    // the fields that a list shows and filters by, and none that a run changes: a claim does not write the index
    indexes: [{ name: 'byUser', partitionKey: 'owner', sortKey: 'createdKey', include: ['spec'] }],
  },
  {
    name: 'executions',
    partitionKey: 'jobId',
    sortKey: 'due',
    indexes: [
      { name: 'byUser', partitionKey: 'owner', sortKey: 'dueKey', include: [] },
      // sparse: only failed rows have this key, so a success costs nothing; `errorKey` counts failures without their rows
      { name: 'failed', partitionKey: 'failedOwner', sortKey: 'dueKey', include: ['errorKey'] },
    ],
  },
  { name: 'control', partitionKey: 'pk', indexes: [] },
];
