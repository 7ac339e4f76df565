// What stands beside the rows of executions: the checkpoints of tasks, and the executions that wait for another one.
import type { CheckpointStore, WaitStore } from '../store.ts';
import { changing, type Reader, type Writer } from './statements.ts';
import { isOne } from './values.ts';

const PUT_CHECKPOINT = changing(
  `INSERT INTO checkpoints (jobId, due, number, checkpoint) VALUES (?, ?, ?, ?)
   ON CONFLICT DO UPDATE SET number = excluded.number, checkpoint = excluded.checkpoint
   WHERE checkpoints.number <= excluded.number`,
);
const READ_CHECKPOINT = 'SELECT checkpoint FROM checkpoints WHERE jobId = ? AND due = ?';
const PUT_WAIT = changing('INSERT OR REPLACE INTO waits (jobId, due, at) VALUES (?, ?, ?)');
const FIRST_WAIT = 'SELECT due, at FROM waits WHERE jobId = ? ORDER BY due LIMIT 1';
const REMOVE_WAIT = changing('DELETE FROM waits WHERE jobId = ? AND due = ? AND at = ?');

export function savedAndWaiting(reader: Reader, writer: Writer): CheckpointStore & WaitStore {
  return {
    async putCheckpoint({ jobId, due }, number, checkpoint) {
      const values = [jobId, due, number, JSON.stringify(checkpoint)];
      return isOne(await writer.write(PUT_CHECKPOINT, values, 'record', ''));
    },
    async readCheckpoint({ jobId, due }) {
      const row = reader.one(READ_CHECKPOINT, jobId, due);
      return row && JSON.parse(String(row[0]));
    },
    async putWait({ jobId, due }, at) {
      await writer.write(PUT_WAIT, [jobId, due, at], 'start', '');
    },
    async firstWait(jobId) {
      const row = reader.one(FIRST_WAIT, jobId);
      return row && { due: String(row[0]), at: Number(row[1]) };
    },
    async removeWait({ jobId, due }, at) {
      await writer.write(REMOVE_WAIT, [jobId, due, at], 'record', '');
    },
  };
}
