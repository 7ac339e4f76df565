// Holds: heartbeats of all holds, and the hold items of `overlap: allow`.
import type { Hold, HoldItem } from '../../domain/jobs/job.ts';
import { holdFromItem, holdPartToItem, progressToItem } from '../items.ts';
import type { JobsStore } from '../store.ts';
import { changing, type Reader, returning, type Value, type Writer } from './statements.ts';
import { firstRow, isOne, orNull } from './values.ts';

type Holds = Pick<
  JobsStore,
  'heartbeat' | 'insertHoldItem' | 'readHoldItem' | 'updateHoldItem' | 'removeHoldItem' | 'listHoldItems'
>;

const COLUMNS = ['jobId', 'due', 'stamp', 'hold', 'holder', 'leaseUntil', 'progress'] as const;
const BEAT_HEAD = returning(
  `UPDATE heads SET leaseUntil = ?, stamp = ?, progress = ifnull(?, progress) WHERE jobId = ? AND holder = ?
   RETURNING hold, holder, leaseUntil, progress`,
);
const BEAT_ITEM = returning(
  `UPDATE holds SET leaseUntil = ?, stamp = ?, progress = ifnull(?, progress) WHERE jobId = ? AND due = ? AND holder = ?
   RETURNING hold, holder, leaseUntil, progress`,
);
const INSERT = changing(
  `INSERT INTO holds (${COLUMNS}, expiresAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
);
const UPDATE = changing(
  `UPDATE holds SET stamp = ?, hold = ?, holder = ?, leaseUntil = ?, progress = ?, expiresAt = ?
   WHERE jobId = ? AND due = ? AND stamp = ?`,
);
const REMOVE = changing('DELETE FROM holds WHERE jobId = ? AND due = ? AND stamp = ?');
const READ = `SELECT ${COLUMNS} FROM holds WHERE jobId = ? AND due = ?`;
const LIST = `SELECT ${COLUMNS} FROM holds WHERE jobId = ? AND leaseUntil >= ? ORDER BY due`;

export function holdOperations(reader: Reader, writer: Writer): Holds {
  return {
    async heartbeat(jobId, place, token, leaseUntil, stamp, progress) {
      const change = [leaseUntil, stamp, progress ? progressToItem(progress) : null];
      const answer =
        place === 'head'
          ? await writer.write(BEAT_HEAD, [...change, jobId, token], 'start', '')
          : await writer.write(BEAT_ITEM, [...change, jobId, place.due, token], 'start', '');
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
    async listHoldItems(jobId, leasedUntil = 0) {
      return reader.all(LIST, jobId, leasedUntil).map(itemOf);
    },
  };
}

/** The values of hold, holder, leaseUntil, progress, expiresAt. */
function textOf(hold: Hold): Value[] {
  const item = holdPartToItem(hold);
  return [item.hold, item.holder, item.leaseUntil, item.progress, item.expiresAt].map(orNull);
}

const holdOf = ([hold, holder, leaseUntil, progress]: Value[]): Hold =>
  holdFromItem({ hold, holder, leaseUntil, progress }) as Hold;

const itemOf = ([jobId, due, stamp, ...hold]: Value[]): HoldItem => ({
  jobId: String(jobId),
  due: String(due),
  stamp: String(stamp),
  hold: holdOf(hold),
});
