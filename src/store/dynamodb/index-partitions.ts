// The number of index partitions per user (docs/decisions/0041). Writers record their number before they use it. Lists read at
// least the recorded number, so that a lowered setting hides nothing.

import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../items.ts';
import { INDEX_PARTITIONS, MAX_INDEX_PARTITIONS } from '../user-index.ts';
import type { ItemCalls, On } from './item-calls.ts';

export interface IndexPartitionSettings {
  /** The number that lists read. Default and minimum: 4. */
  readonly indexPartitions?: number;
  /** The number that items are written to. At most `indexPartitions`. Default and minimum: 4. */
  readonly indexPartitionsWritten?: number;
}

export interface IndexPartitions {
  readonly written: number;
  /** Resolves when the number is recorded. Undefined if it is, or if it is the minimum, which needs no record. 1 WRU once. */
  record(): Promise<unknown> | undefined;
  /** The number that lists read. 0.5 RRU once a minute. */
  toRead(): Promise<number>;
}

interface Calls extends Pick<ItemCalls, 'get'> {
  update(on: On, input: Omit<UpdateCommandInput, 'TableName'>): Promise<Item | undefined>;
}

const KEY = { jobId: 'settings', part: 'indexPartitions' };
/** A process learns of a higher number that others write after this time at the latest. */
const READ_AGAIN_MS = 60_000;

/** Throws RangeError if a number is not allowed. */
export function createIndexPartitions(
  db: Calls,
  { indexPartitions = INDEX_PARTITIONS, indexPartitionsWritten = INDEX_PARTITIONS }: IndexPartitionSettings,
  monotonic: () => number,
): IndexPartitions {
  for (const [name, given] of Object.entries({ indexPartitions, indexPartitionsWritten })) {
    if (!Number.isInteger(given) || given < INDEX_PARTITIONS || given > MAX_INDEX_PARTITIONS)
      throw new RangeError(
        `${name} must be a whole number from ${INDEX_PARTITIONS} to ${MAX_INDEX_PARTITIONS}, got ${given}`,
      );
  }
  if (indexPartitionsWritten > indexPartitions)
    throw new RangeError(
      `indexPartitionsWritten must be at most indexPartitions (${indexPartitions}), got ${indexPartitionsWritten}: lists would miss items`,
    );

  let isRecorded = indexPartitionsWritten === INDEX_PARTITIONS;
  let recording: Promise<unknown> | undefined;
  async function record(): Promise<void> {
    await db.update(
      { operation: 'recordIndexPartitions', table: 'jobs' },
      {
        Key: KEY,
        UpdateExpression: 'SET written = :written',
        ConditionExpression: 'attribute_not_exists(written) OR written < :written',
        ExpressionAttributeValues: { ':written': indexPartitionsWritten },
      },
    );
    isRecorded = true;
  }

  let known = INDEX_PARTITIONS;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  async function read(): Promise<void> {
    const began = monotonic();
    const item = await db.get({ operation: 'readIndexPartitions', table: 'jobs' }, KEY);
    known = Math.max(known, Number(item?.written ?? 0));
    readAt = began;
  }

  return {
    written: indexPartitionsWritten,
    record() {
      if (isRecorded) return undefined;
      recording ??= record().finally(() => {
        recording = undefined;
      });
      return recording;
    },
    async toRead() {
      if (monotonic() - readAt >= READ_AGAIN_MS) {
        reading ??= read().finally(() => {
          reading = undefined;
        });
        await reading;
      }
      return Math.max(indexPartitions, known);
    },
  };
}
