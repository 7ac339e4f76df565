// Counters of quotas, and notices of what was told of a job's events.
import type { Notice, NoticeStore, QuotaStore } from '../store.ts';
import { changing, type Reader, returning, type Writer } from './statements.ts';
import { firstRow, isOne, orNull } from './values.ts';

const ADD = returning(
  `INSERT INTO quotas (userId, quota, used, expiresAt) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
   SET used = used + excluded.used, expiresAt = ifnull(excluded.expiresAt, expiresAt) RETURNING used`,
);
const REPLACE = changing('UPDATE quotas SET used = ? WHERE userId = ? AND quota = ? AND used = ?');

export function quotaOperations(writer: Writer): QuotaStore {
  return {
    async addToQuota(userId, quota, count, expiresAt) {
      const answer = await writer.write(ADD, [userId, quota, count, orNull(expiresAt)], 'person', userId);
      return Number(firstRow(answer)?.[0]);
    },
    async replaceQuota(userId, quota, seen, used) {
      return isOne(await writer.write(REPLACE, [used, userId, quota, seen], 'person', userId));
    },
  };
}

const READ_NOTICE = 'SELECT record FROM notices WHERE jobId = ? AND event = ?';
const INSERT_NOTICE = changing(
  `INSERT INTO notices (stamp, record, expiresAt, jobId, event) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
);
const UPDATE_NOTICE = changing(
  'UPDATE notices SET stamp = ?, record = ?, expiresAt = ? WHERE jobId = ? AND event = ? AND stamp = ?',
);

export function noticeOperations(reader: Reader, writer: Writer): NoticeStore {
  return {
    async readNotice(jobId, event) {
      const row = reader.one(READ_NOTICE, jobId, event);
      return row && (JSON.parse(String(row[0])) as Notice);
    },
    async writeNotice(seen, notice, expiresAt) {
      const values = [notice.stamp, JSON.stringify(notice), expiresAt, notice.jobId, notice.event];
      return isOne(
        seen
          ? await writer.write(UPDATE_NOTICE, [...values, seen.stamp], 'record', '')
          : await writer.write(INSERT_NOTICE, values, 'record', ''),
      );
    },
  };
}
