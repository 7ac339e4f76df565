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

    test('mark the row as notified, if status and fence are as seen', async () => {
      const store = subject();
      const held = aRow({ status: 'FAILED', fence: 'f', notifies: 'f' });
      const skipped = aRow({ status: 'SKIPPED', fence: undefined });
      for (const row of [held, skipped]) await store.insertRow(row);
      const told = async ({ jobId, due }: typeof held) =>
        (await store.readRow(jobId, due, { consistent: true }))?.told;
      expect(await store.markNotified(held.jobId, held.due, { status: 'FAILED', fence: 'other' })).toBe(
        false,
      );
      expect(await store.markNotified(held.jobId, held.due, { status: 'FAILED' })).toBe(false);
      expect(await store.markNotified(held.jobId, held.due, { status: 'SUCCEEDED', fence: 'f' })).toBe(false);
      expect(await told(held)).toBeUndefined();
      expect(await store.markNotified(held.jobId, held.due, held)).toBe(true);
      expect(await store.markNotified(skipped.jobId, skipped.due, { status: 'SKIPPED' })).toBe(true);
      expect(await told(held)).toBe(true);
      expect(await store.readRow(held.jobId, held.due, { consistent: true })).toEqual({
        ...held,
        told: true,
      });
      expect(await told(skipped)).toBe(true);
      expect(await store.markNotified('none', held.due, held)).toBe(false);
      expect(await store.readRow('none', held.due, { consistent: true })).toBeUndefined();
    });
  });
}
