// Background operations in the table of jobs: one item each, and one list item for each that has not ended. The list is
// not an index, because a provisioned index would cost more than all operations.
import {
  isOpen,
  type OpenOperation,
  type Operation,
  operationExpiresAt,
} from '../../domain/jobs/background-operation.ts';
import type { Item } from '../items.ts';
import { ownerOf, ownersOf } from '../user-index.ts';
import type { Database } from './database.ts';

const table = 'jobs';
const PREFIX = 'op#';
/** The list is spread over partitions like a user's jobs. */
const LIST = 'operations';

const keyOf = (id: string) => ({ jobId: `${PREFIX}${id}`, part: 'op' });
/** Sorts by the time of creation. */
const listKeyOf = ({ id, createdAt }: OpenOperation) => ({
  jobId: ownerOf(LIST, id),
  part: `${String(createdAt).padStart(13, '0')}#${id}`,
});

function operationToItem(operation: Operation): Item {
  const { id, stamp, ...record } = operation;
  const expiresAt = operationExpiresAt(operation);
  return { ...keyOf(id), stamp, record: JSON.stringify(record), expiresAt };
}

const operationFromItem = ({ jobId, stamp, record }: Item): Operation =>
  Object.assign(JSON.parse(String(record)), {
    id: String(jobId).slice(PREFIX.length),
    stamp: String(stamp),
  });

/** Operation and list item in one request, without a transaction. 2 WRU, or 1 if the operation has ended. */
export async function putOperation(db: Database, operation: Operation): Promise<void> {
  const place = { ...listKeyOf(operation), userId: operation.userId };
  const items = isOpen(operation) ? [operationToItem(operation), place] : [operationToItem(operation)];
  await db.putAll({ operation: 'putOperation', table }, items);
}

/** Consistent: 1 RRU. */
export async function readOperation(db: Database, id: string): Promise<Operation | undefined> {
  const item = await db.get({ operation: 'readOperation', table }, keyOf(id), true);
  return item && operationFromItem(item);
}

/** False if the stamp is not as seen. 1 WRU per KB. */
export function replaceOperation(db: Database, seen: Operation, operation: Operation): Promise<boolean> {
  return db.put(
    { operation: 'replaceOperation', table },
    {
      Item: operationToItem(operation),
      ConditionExpression: 'stamp = :seen',
      ExpressionAttributeValues: { ':seen': seen.stamp },
    },
  );
}

/** Eventually consistent. 0.5 RRU for each of the 4 partitions. */
export async function listOpenOperations(db: Database, limit: number): Promise<OpenOperation[]> {
  const pages = await Promise.all(
    ownersOf(LIST).map((partition) =>
      db.query(
        { operation: 'listOpenOperations', table },
        {
          KeyConditionExpression: 'jobId = :partition',
          ExpressionAttributeValues: { ':partition': partition },
          Limit: limit,
        },
      ),
    ),
  );
  return pages
    .flatMap(({ items }) => items)
    .sort((a, b) => (String(a.part) < String(b.part) ? -1 : 1))
    .slice(0, limit)
    .map(openOperationFromItem);
}

function openOperationFromItem({ part, userId }: Item): OpenOperation {
  const [createdAt, id] = String(part).split('#');
  return { id: String(id), createdAt: Number(createdAt), userId: String(userId) };
}

/** Removes it from the list. 1 WRU. */
export async function delistOperation(db: Database, operation: OpenOperation): Promise<void> {
  await db.remove({ operation: 'delistOperation', table }, { Key: listKeyOf(operation) });
}
