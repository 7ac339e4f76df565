// Shards with their cursors and leases, and the rows of workers.
import { seconds } from '../items.ts';
import type { ControlStore, Shard, WorkerRow } from '../store.ts';
import { changing, type Reader, type Value, type Writer } from './statements.ts';
import { isOne, orNull } from './values.ts';

const WORKER_KEPT_MS = 86_400_000;
const SHARD = 'shard, token, leaseUntil, dispatchedUntil, settledUntil, rebuild';
const INSERT_SHARD = changing(
  `INSERT INTO shards (${SHARD}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
);
const READ_SHARD = `SELECT ${SHARD} FROM shards WHERE shard = ?`;
const TAKE_SHARD = changing('UPDATE shards SET token = ?, leaseUntil = ? WHERE shard = ? AND token IS ?');
const COMMIT_SHARD = changing(
  `UPDATE shards SET leaseUntil = ?, dispatchedUntil = max(dispatchedUntil, ifnull(?, dispatchedUntil)),
   settledUntil = max(settledUntil, ifnull(?, settledUntil)), rebuild = ifnull(?, rebuild) WHERE shard = ? AND token = ?`,
);
const RESET_SHARD = changing(
  'UPDATE shards SET dispatchedUntil = ?, settledUntil = ? WHERE shard = ? AND token = ?',
);
const PUT_WORKER = changing(
  'INSERT OR REPLACE INTO workers (workerId, beatAt, record, expiresAt) VALUES (?, ?, ?, ?)',
);
const REMOVE_WORKER = changing('DELETE FROM workers WHERE workerId = ?');
const READ_WORKER = 'SELECT record FROM workers WHERE workerId = ?';
/** SQLite's word for no limit. */
const NO_LIMIT = -1;
const LIST_WORKERS = 'SELECT record FROM workers WHERE beatAt >= ? LIMIT ?';

export function controlOperations(reader: Reader, writer: Writer): ControlStore {
  return {
    async insertShard({ shard, token, leaseUntil, dispatchedUntil, settledUntil, rebuild }) {
      const values = [
        ...[shard, orNull(token), leaseUntil, dispatchedUntil, settledUntil],
        orNull(rebuild && JSON.stringify(rebuild)),
      ];
      return isOne(await writer.write(INSERT_SHARD, values, 'start', ''));
    },
    async readShard(shard) {
      const row = reader.one(READ_SHARD, shard);
      return row && shardOf(row);
    },
    async takeShard(shard, seenToken, token, leaseUntil) {
      const values = [token, leaseUntil, shard, orNull(seenToken)];
      return isOne(await writer.write(TAKE_SHARD, values, 'start', ''));
    },
    async commitShard(shard, token, { leaseUntil, dispatchedUntil, settledUntil, rebuild }) {
      const values = [
        ...[leaseUntil, orNull(dispatchedUntil), orNull(settledUntil)],
        ...[orNull(rebuild && JSON.stringify(rebuild)), shard, token],
      ];
      return isOne(await writer.write(COMMIT_SHARD, values, 'start', ''));
    },
    async resetShard(shard, token, { dispatchedUntil, settledUntil }) {
      const values = [dispatchedUntil, settledUntil, shard, token];
      return isOne(await writer.write(RESET_SHARD, values, 'start', ''));
    },
    async putWorker(worker) {
      const { workerId, beatAt } = worker;
      const expiresAt = seconds(beatAt + WORKER_KEPT_MS);
      await writer.write(PUT_WORKER, [workerId, beatAt, JSON.stringify(worker), expiresAt], 'record', '');
    },
    async removeWorker(workerId) {
      await writer.write(REMOVE_WORKER, [workerId], 'record', '');
    },
    async readWorker(workerId) {
      const row = reader.one(READ_WORKER, workerId);
      return row && workerOf(row);
    },
    async listWorkers(since, limit = NO_LIMIT) {
      return reader.all(LIST_WORKERS, since, limit).map(workerOf);
    },
  };
}

const shardOf = ([shard, token, leaseUntil, dispatchedUntil, settledUntil, rebuild]: Value[]): Shard => ({
  shard: Number(shard),
  ...(token !== null && { token: String(token) }),
  leaseUntil: Number(leaseUntil),
  dispatchedUntil: Number(dispatchedUntil),
  settledUntil: Number(settledUntil),
  ...(rebuild !== null && { rebuild: JSON.parse(String(rebuild)) }),
});

const workerOf = ([record]: Value[]): WorkerRow => JSON.parse(String(record));
