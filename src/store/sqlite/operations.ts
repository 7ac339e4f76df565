// Background operations. `isListed` marks those that have not ended.
import { isOpen, type Operation, operationExpiresAt } from '../../domain/jobs/background-operation.ts';
import type { OperationStore } from '../store.ts';
import { changing, type Reader, type Value, type Writer } from './statements.ts';
import { isOne, orNull } from './values.ts';

const PUT = changing(
  `INSERT OR REPLACE INTO operations (stamp, record, expiresAt, id, createdAt, isListed)
   VALUES (?, ?, ?, ?, ?, ?)`,
);
const REPLACE = changing(
  'UPDATE operations SET stamp = ?, record = ?, expiresAt = ? WHERE id = ? AND stamp = ?',
);
const DELIST = changing('UPDATE operations SET isListed = 0 WHERE id = ? AND isListed = 1');
const READ = 'SELECT id, stamp, record FROM operations WHERE id = ?';
const LIST = `SELECT id, createdAt, json_extract(record, '$.userId') FROM operations
  WHERE isListed = 1 ORDER BY createdAt, id LIMIT ?`;

export function operationOperations(reader: Reader, writer: Writer): OperationStore {
  return {
    async putOperation(operation) {
      const { id, createdAt } = operation;
      const values = [...textOf(operation), id, createdAt, isOpen(operation) ? 1 : 0];
      await writer.write(PUT, values, 'person', operation.userId);
    },
    async readOperation(id) {
      const row = reader.one(READ, id);
      return row && operationOf(row);
    },
    async replaceOperation(seen, operation) {
      const values = [...textOf(operation), seen.id, seen.stamp];
      return isOne(await writer.write(REPLACE, values, 'person', operation.userId));
    },
    async listOpenOperations(limit) {
      return reader.all(LIST, limit).map(([id, createdAt, userId]) => ({
        id: String(id),
        createdAt: Number(createdAt),
        userId: String(userId),
      }));
    },
    async delistOperation({ id }) {
      await writer.write(DELIST, [id], 'record', '');
    },
  };
}

/** The values of stamp, record, expiresAt. */
function textOf(operation: Operation): Value[] {
  const { id: _, stamp, ...record } = operation;
  return [stamp, JSON.stringify(record), orNull(operationExpiresAt(operation))];
}

const operationOf = ([id, stamp, record]: Value[]): Operation =>
  Object.assign(JSON.parse(String(record)), { id, stamp });
