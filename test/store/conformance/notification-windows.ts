import { describe, expect, test } from 'vitest';
import type { NotificationWindow } from '../../../src/store/store.ts';
import { anId, aRow } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const aWindow = (jobId: string, more: Partial<NotificationWindow> = {}): NotificationWindow => ({
  jobId,
  event: 'failed',
  stamp: anId(12),
  until: 1_796_119_200_000,
  openedBy: 'a',
  suppressed: 0,
  recent: ['a'],
  ...more,
});

export function notificationWindowsConformance(subject: Subject): void {
  describe('notification windows', () => {
    test('are replaced only if they are as seen, per job and event', async () => {
      const store = subject();
      const jobId = `job_${anId(20)}`;
      const first = aWindow(jobId);
      expect(await store.readNotificationWindow(jobId, 'failed')).toBeUndefined();
      expect(await store.writeNotificationWindow(undefined, first, 9e9)).toBe(true);
      expect(await store.writeNotificationWindow(undefined, aWindow(jobId), 9e9)).toBe(false);
      expect(await store.readNotificationWindow(jobId, 'failed')).toEqual(first);
      expect(await store.readNotificationWindow(jobId, 'late')).toBeUndefined();

      const second = aWindow(jobId, { suppressed: 3, last: '1796119200000', recent: ['a', 'b'] });
      expect(await store.writeNotificationWindow(first, second, 9e9)).toBe(true);
      expect(await store.writeNotificationWindow(first, aWindow(jobId), 9e9)).toBe(false);
      const third = aWindow(jobId, { summary: { suppressed: 2, last: '1796119200000' }, recent: [] });
      expect(await store.writeNotificationWindow(second, third, 9e9)).toBe(true);
      expect(await store.readNotificationWindow(jobId, 'failed')).toEqual(third);
    });

    test('mark the row as notified, if status and number are as seen', async () => {
      const store = subject();
      const failed = aRow({ status: 'FAILED', number: 7, notifies: 'f' });
      const skipped = aRow({ status: 'SKIPPED', number: 0 });
      for (const row of [failed, skipped]) await store.insertRow(row);
      const told = async ({ jobId, due }: typeof failed) =>
        (await store.readRow(jobId, due, { consistent: true }))?.told;
      expect(await store.markNotified(failed.jobId, failed.due, { status: 'FAILED', number: 8 })).toBe(false);
      expect(await store.markNotified(failed.jobId, failed.due, { status: 'FAILED', number: 0 })).toBe(false);
      expect(await store.markNotified(failed.jobId, failed.due, { status: 'SUCCEEDED', number: 7 })).toBe(
        false,
      );
      expect(await told(failed)).toBeUndefined();
      expect(await store.markNotified(failed.jobId, failed.due, failed)).toBe(true);
      expect(await store.markNotified(skipped.jobId, skipped.due, skipped)).toBe(true);
      expect(await told(failed)).toBe(true);
      expect(await store.readRow(failed.jobId, failed.due, { consistent: true })).toEqual({
        ...failed,
        told: true,
      });
      expect(await told(skipped)).toBe(true);
      expect(await store.markNotified('none', failed.due, failed)).toBe(false);
      expect(await store.readRow('none', failed.due, { consistent: true })).toBeUndefined();
    });
  });
}
