// Holds: heartbeats of all holds, and the hold items of `overlap: allow`.
import type { Hold, HoldItem } from '../../domain/jobs/job.ts';
import { holdFromItem, holdPartToItem } from '../items.ts';
import type { JobsStore } from '../store.ts';
import { changing, type Reader, returning, type Value, type Writer } from './statements.ts';
import { firstRow, isOne, orNull } from './values.ts';

type Holds = Pick<
  JobsStore,
  'heartbeat' | 'insertHoldItem' | 'readHoldItem' | 'updateHoldItem' | 'removeHoldItem' | 'listHoldItems'
>;

const COLUMNS = ['jobId', 'due', 'stamp', 'hold', 'holder', 'leaseUntil'] as const;
const BEAT_HEAD = returning(
  'UPDATE heads SET leaseUntil = ?, stamp = ? WHERE jobId = ? AND holder = ? RETURNING hold, holder, leaseUntil',
);
const BEAT_ITEM = returning(
  `UPDATE holds SET leaseUntil = ?, stamp = ? WHERE jobId = ? AND due = ? AND holder = ?
   RETURNING hold, holder, leaseUntil`,
);
const INSERT = changing(
  `INSERT INTO holds (${COLUMNS}, expiresAt) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
);
const UPDATE = changing(
  `UPDATE holds SET stamp = ?, hold = ?, holder = ?, leaseUntil = ?, expiresAt = ?
   WHERE jobId = ? AND due = ? AND stamp = ?`,
);
const REMOVE = changing('DELETE FROM holds WHERE jobId = ? AND due = ? AND stamp = ?');
const READ = `SELECT ${COLUMNS} FROM holds WHERE jobId = ? AND due = ?`;
const LIST = `SELECT ${COLUMNS} FROM holds WHERE jobId = ? ORDER BY due`;

export function holdOperations(reader: Reader, writer: Writer): Holds {
  return {
    async heartbeat(jobId, place, token, leaseUntil, stamp) {
      const answer =
        place === 'head'
          ? await writer.write(BEAT_HEAD, [leaseUntil, stamp, jobId, token], 'start', '')
          : await writer.write(BEAT_ITEM, [leaseUntil, stamp, jobId, place.due, token], 'start', '');
      const row = firstRow(answer);
      return row && holdOf(row);
    },
    async insertHoldItem({ jobId, due, stamp, hold }) {
      return isOne(await writer.write(INSERT, [jobId, due, stamp, ...textOf(hold)], 'start', ''));
    },
    async readHoldItem(jobId, due) {
      const row = reader.one(READ, jobId, due);
      return row && itemOf(row);
    },
    async updateHoldItem(jobId, due, seen, { hold, stamp }) {
      return isOne(await writer.write(UPDATE, [stamp, ...textOf(hold), jobId, due, seen], 'start', ''));
    },
    async removeHoldItem(jobId, due, seen) {
      return isOne(await writer.write(REMOVE, [jobId, due, seen], 'start', ''));
    },
    async listHoldItems(jobId) {
      return reader.all(LIST, jobId).map(itemOf);
    },
  };
}

/** The values of hold, holder, leaseUntil, expiresAt. */
function textOf(hold: Hold): Value[] {
  const item = holdPartToItem(hold);
  return [item.hold, item.holder, item.leaseUntil, item.expiresAt].map(orNull);
}

const holdOf = ([hold, holder, leaseUntil]: Value[]): Hold =>
  holdFromItem({ hold, holder, leaseUntil }) as Hold;

const itemOf = ([jobId, due, stamp, ...hold]: Value[]): HoldItem => ({
  jobId: String(jobId),
  due: String(due),
  stamp: String(stamp),
  hold: holdOf(hold),
});
