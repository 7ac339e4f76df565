// The slots of concurrency keys.
import type { KeySlot } from '../../domain/jobs/concurrency-key.ts';
import { holdExpiresAt } from '../items.ts';
import type { KeySlotStore } from '../store.ts';
import { changing, type Reader, type Value, type Writer } from './statements.ts';
import { isOne } from './values.ts';

const COLUMNS = ['owner', 'key', 'n', 'jobId', 'due', 'token', 'leaseUntil'] as const;
const READ = `SELECT ${COLUMNS} FROM keySlots WHERE owner = ? AND key = ? ORDER BY n`;
const INSERT = changing(
  `INSERT INTO keySlots (jobId, due, token, leaseUntil, expiresAt, owner, key, n)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
);
const REPLACE = changing(
  `UPDATE keySlots SET jobId = ?, due = ?, token = ?, leaseUntil = ?, expiresAt = ?
   WHERE owner = ? AND key = ? AND n = ? AND token = ?`,
);
const REMOVE = changing('DELETE FROM keySlots WHERE owner = ? AND key = ? AND n = ? AND token = ?');

export function keySlotOperations(reader: Reader, writer: Writer): KeySlotStore {
  return {
    async readKeySlots({ owner, key }) {
      return reader.all(READ, owner, key).map(slotOf);
    },
    async writeKeySlot(seen, { owner, key, n, jobId, due, token, leaseUntil }) {
      const values = [jobId, due, token, leaseUntil, holdExpiresAt(leaseUntil), owner, key, n];
      return isOne(
        seen
          ? await writer.write(REPLACE, [...values, seen.token], 'start', '')
          : await writer.write(INSERT, values, 'start', ''),
      );
    },
    async removeKeySlot({ owner, key, n, token }) {
      return isOne(await writer.write(REMOVE, [owner, key, n, token], 'start', ''));
    },
  };
}

const slotOf = ([owner, key, n, jobId, due, token, leaseUntil]: Value[]): KeySlot => ({
  ...{ owner: String(owner), key: String(key), n: Number(n) },
  ...{ jobId: String(jobId), due: String(due), token: String(token), leaseUntil: Number(leaseUntil) },
});
