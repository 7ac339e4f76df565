// Counters of quotas, the limits of owners, and notification windows.
import type { LimitsOfOwner } from '../../domain/jobs/owner-limits.ts';
import { type Item, windowFromItem, windowToItem } from '../items.ts';
import type { NotificationWindowStore, QuotaStore } from '../store.ts';
import { changing, type Reader, returning, type Writer } from './statements.ts';
import { firstRow, isOne, orNull } from './values.ts';

const ADD = returning(
  `INSERT INTO quotas (userId, quota, used, expiresAt) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
   SET used = used + excluded.used, expiresAt = ifnull(excluded.expiresAt, expiresAt) RETURNING used`,
);
const TAKE = returning(
  `INSERT INTO quotas (userId, quota, used, expiresAt) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
   SET used = used + excluded.used, expiresAt = ifnull(excluded.expiresAt, expiresAt)
   WHERE used + excluded.used <= ? RETURNING used`,
);
const READ = 'SELECT used FROM quotas WHERE userId = ? AND quota = ?';
/** The row of what a user has stored. */
const STORED = 'active';
const TAKE_STORED = returning(
  `INSERT INTO quotas (userId, quota, used, bytes) VALUES (?1, '${STORED}', ?2, ?3) ON CONFLICT DO UPDATE
   SET used = used + excluded.used, bytes = bytes + excluded.bytes
   WHERE (excluded.used = 0 OR used + excluded.used <= ?4) AND bytes + excluded.bytes <= ?5 RETURNING used, bytes`,
);
const READ_STORED = `SELECT used, bytes FROM quotas WHERE userId = ? AND quota = '${STORED}'`;
const REPLACE_STORED = changing(
  `UPDATE quotas SET used = ?, bytes = ? WHERE userId = ? AND quota = '${STORED}' AND used = ? AND bytes = ?`,
);

const PUT_LIMITS = changing(
  'INSERT INTO limits (userId, record) VALUES (?, ?) ON CONFLICT DO UPDATE SET record = excluded.record',
);
const READ_LIMITS = 'SELECT record FROM limits WHERE userId = ?';

export function quotaOperations(reader: Reader, writer: Writer): QuotaStore {
  return {
    async takeFromQuota(userId, quota, count, max, expiresAt) {
      const values = [userId, quota, count, orNull(expiresAt), max];
      const row = firstRow(await writer.write(TAKE, values, 'person', userId));
      return row && Number(row[0]);
    },
    readQuota: async (userId, quota) => Number(reader.one(READ, userId, quota)?.[0] ?? 0),
    async putLimits(userId, limits) {
      await writer.write(PUT_LIMITS, [userId, JSON.stringify(limits)], 'person', '');
    },
    async readLimits(userId) {
      const row = reader.one(READ_LIMITS, userId);
      return row && (JSON.parse(String(row[0])) as LimitsOfOwner);
    },
    async addToQuota(userId, quota, count, expiresAt) {
      const answer = await writer.write(ADD, [userId, quota, count, orNull(expiresAt)], 'person', userId);
      return Number(firstRow(answer)?.[0]);
    },
    async takeStored(userId, more, max) {
      const values = [userId, more.jobs, more.bytes, max.jobs, max.bytes];
      const row = firstRow(await writer.write(TAKE_STORED, values, 'person', userId));
      return row && { jobs: Number(row[0]), bytes: Number(row[1]) };
    },
    async readStored(userId) {
      const [jobs, bytes] = reader.one(READ_STORED, userId) ?? [];
      return { jobs: Number(jobs ?? 0), bytes: Number(bytes ?? 0) };
    },
    async replaceStored(userId, seen, stored) {
      const values = [stored.jobs, stored.bytes, userId, seen.jobs, seen.bytes];
      return isOne(await writer.write(REPLACE_STORED, values, 'person', userId));
    },
  };
}

const READ_WINDOW = 'SELECT record FROM notices WHERE jobId = ? AND event = ?';
const INSERT_WINDOW = changing(
  `INSERT INTO notices (stamp, record, expiresAt, jobId, event) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
);
const UPDATE_WINDOW = changing(
  'UPDATE notices SET stamp = ?, record = ?, expiresAt = ? WHERE jobId = ? AND event = ? AND stamp = ?',
);

export function windowOperations(reader: Reader, writer: Writer): NotificationWindowStore {
  return {
    async readNotificationWindow(jobId, event) {
      const row = reader.one(READ_WINDOW, jobId, event);
      return row && windowFromItem(JSON.parse(String(row[0])) as Item);
    },
    async writeNotificationWindow(seen, window, expiresAt) {
      const record = JSON.stringify(windowToItem(window));
      const values = [window.stamp, record, expiresAt, window.jobId, window.event];
      return isOne(
        seen
          ? await writer.write(UPDATE_WINDOW, [...values, seen.stamp], 'record', '')
          : await writer.write(INSERT_WINDOW, values, 'record', ''),
      );
    },
  };
}
