import { describe, expect, test } from 'vitest';
import type { Notice } from '../../../src/store/store.ts';
import { anId, aRow } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const aNotice = (jobId: string, more: Partial<Notice> = {}): Notice => ({
  jobId,
  event: 'failed',
  stamp: anId(12),
  until: 1_796_119_200_000,
  opener: 'a',
  folded: 0,
  recent: ['a'],
  ...more,
});

export function noticesConformance(subject: Subject): void {
  describe('notices', () => {
    test('are written only over the one that was seen, per job and event', async () => {
      const store = subject();
      const jobId = `job_${anId(20)}`;
      const first = aNotice(jobId);
      expect(await store.readNotice(jobId, 'failed')).toBeUndefined();
      expect(await store.writeNotice(undefined, first, 9e9)).toBe(true);
      expect(await store.writeNotice(undefined, aNotice(jobId), 9e9)).toBe(false);
      expect(await store.readNotice(jobId, 'failed')).toEqual(first);
      expect(await store.readNotice(jobId, 'late')).toBeUndefined();

      const second = aNotice(jobId, { folded: 3, last: '1796119200000', recent: ['a', 'b'] });
      expect(await store.writeNotice(first, second, 9e9)).toBe(true);
      expect(await store.writeNotice(first, aNotice(jobId), 9e9)).toBe(false);
      const third = aNotice(jobId, { summary: { folded: 2, last: '1796119200000' }, recent: [] });
      expect(await store.writeNotice(second, third, 9e9)).toBe(true);
      expect(await store.readNotice(jobId, 'failed')).toEqual(third);
    });

    test('of what was told stand in the row, where status and fence are as seen', async () => {
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
