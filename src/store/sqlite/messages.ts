// Queues in a table. A message is on the disk when `send` returns. It is delivered again until it is deleted.
import type { Reader, Value, Writer } from './statements.ts';
import { changing, returning } from './statements.ts';
import { isOne } from './values.ts';

export interface StoredMessage {
  readonly id: number;
  readonly body: string;
  /** Number of receives, this one included. */
  readonly times: number;
}

/** `visibleAt` and `until` are epoch milliseconds, `expiresAt` is epoch seconds. */
export interface Messages {
  /** One commit for all bodies. */
  send(queue: string, bodies: readonly string[], visibleAt: number, expiresAt: number): Promise<void>;
  /** At most `max` messages that are visible at `now`, oldest first. They are hidden until `until`. */
  receive(queue: string, max: number, now: number, until: number, receipt: string): Promise<StoredMessage[]>;
  /** The time when the next message becomes visible. Undefined: the queue is empty. */
  nextVisibleAt(queue: string): number | undefined;
  remove(id: number): Promise<void>;
  /** False: the message was received again since, or is deleted. */
  hide(id: number, receipt: string, until: number): Promise<boolean>;
  /** Moves the message to another queue and stores the reason. */
  move(id: number, queue: string, reason: string, visibleAt: number, expiresAt: number): Promise<void>;
}

const SEND = changing(
  'INSERT INTO messages (queue, body, visibleAt, expiresAt) SELECT ?, value, ?, ? FROM json_each(?)',
);
const RECEIVE = returning(
  `UPDATE messages SET visibleAt = ?, receipt = ?, times = times + 1 WHERE id IN (
     SELECT id FROM messages WHERE queue = ? AND visibleAt <= ? ORDER BY visibleAt, id LIMIT ?)
   RETURNING id, body, times`,
);
const NEXT = 'SELECT min(visibleAt) FROM messages WHERE queue = ?';
const REMOVE = changing('DELETE FROM messages WHERE id = ?');
const HIDE = changing('UPDATE messages SET visibleAt = ? WHERE id = ? AND receipt = ?');
const MOVE = changing(
  `UPDATE messages SET queue = ?, reason = ?, visibleAt = ?, expiresAt = ?, times = 0, receipt = NULL WHERE id = ?`,
);

export function messageOperations(reader: Reader, writer: Writer): Messages {
  return {
    async send(queue, bodies, visibleAt, expiresAt) {
      if (bodies.length === 0) return;
      await writer.write(SEND, [queue, visibleAt, expiresAt, JSON.stringify(bodies)], 'person', queue);
    },
    async receive(queue, max, now, until, receipt) {
      const rows = await writer.write(RECEIVE, [until, receipt, queue, now, max], 'person', queue);
      return Array.isArray(rows) ? rows.map(messageOf).sort((a, b) => a.id - b.id) : [];
    },
    nextVisibleAt(queue) {
      const at = reader.one(NEXT, queue)?.[0];
      return typeof at === 'number' ? at : undefined;
    },
    async remove(id) {
      await writer.write(REMOVE, [id], 'record', '');
    },
    async hide(id, receipt, until) {
      return isOne(await writer.write(HIDE, [until, id, receipt], 'record', ''));
    },
    async move(id, queue, reason, visibleAt, expiresAt) {
      await writer.write(MOVE, [queue, reason, visibleAt, expiresAt, id], 'record', '');
    },
  };
}

const messageOf = ([id, body, times]: Value[]): StoredMessage => ({
  id: Number(id),
  body: String(body),
  times: Number(times),
});
