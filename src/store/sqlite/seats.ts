// The seats of concurrency keys.
import type { Seat } from '../../domain/jobs/concurrency-key.ts';
import { seatExpiresAt } from '../items.ts';
import type { SeatStore } from '../store.ts';
import { changing, type Reader, type Value, type Write, type Writer } from './statements.ts';

const COLUMNS = ['owner', 'key', 'n', 'jobId', 'due', 'number'] as const;
const READ = `SELECT ${COLUMNS} FROM seats WHERE owner = ? AND key = ? ORDER BY n`;
const INSERT = changing(
  `INSERT INTO seats (jobId, due, number, expiresAt, owner, key, n)
   VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
);
const REPLACE = changing(
  `UPDATE seats SET jobId = ?, due = ?, number = ?, expiresAt = ?
   WHERE owner = ? AND key = ? AND n = ? AND jobId = ? AND due = ? AND number = ?`,
);

export function seatOperations(reader: Reader, writer: Writer): SeatStore {
  return {
    async readSeats({ owner, key }) {
      return reader.all(READ, owner, key).map(seatOf);
    },
    async writeSeat(seen, seat) {
      return writer.transact([seatWrite(seen, seat)], 'start', '');
    },
  };
}

export function seatWrite(seen: Seat | undefined, seat: Seat): Write {
  const { owner, key, n, jobId, due, number } = seat;
  const values = [jobId, due, number, seatExpiresAt(seat), owner, key, n];
  return seen
    ? { statement: REPLACE, values: [...values, seen.jobId, seen.due, seen.number] }
    : { statement: INSERT, values };
}

const seatOf = ([owner, key, n, jobId, due, number]: Value[]): Seat => ({
  ...{ owner: String(owner), key: String(key), n: Number(n) },
  ...{ jobId: String(jobId), due: String(due), number: Number(number) },
});
