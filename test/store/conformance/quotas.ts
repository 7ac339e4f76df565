import { describe, expect, test } from 'vitest';
import { aUser } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };

export function quotasConformance(subject: Subject): void {
  describe('quotas', () => {
    test('concurrent additions are all counted, per user and quota', async () => {
      const store = subject();
      const user = aUser();
      const sums = await Promise.all(Array.from({ length: 10 }, () => store.addToQuota(user, 'a', 2, 9e9)));
      expect(sums.sort((a, b) => a - b)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
      expect(await store.addToQuota(user, 'b', 1)).toBe(1);
      expect(await store.addToQuota(aUser(), 'a', 1)).toBe(1);
    });

    test('is replaced only if it is as seen', async () => {
      const store = subject();
      const user = aUser();
      await store.addToQuota(user, 'a', 5);
      expect(await store.replaceQuota(user, 'a', 4, 1)).toBe(false);
      expect(await store.replaceQuota(user, 'a', 5, 1)).toBe(true);
      expect(await store.addToQuota(user, 'a', 1)).toBe(2);
      expect(await store.replaceQuota(user, 'none', 0, 1)).toBe(false);
    });

    test('what is taken never exceeds the limit, however many take at once', async () => {
      const store = subject();
      const user = aUser();
      const taken = await Promise.all(
        Array.from({ length: 10 }, () => store.takeFromQuota(user, 'a', 2, 13, 9e9)),
      );
      expect(taken.filter((used) => used !== undefined).sort((a, b) => a - b)).toEqual([2, 4, 6, 8, 10, 12]);
      expect(await store.readQuota(user, 'a')).toBe(12);
      expect(await store.takeFromQuota(user, 'a', 1, 13)).toBe(13);
      expect(await store.takeFromQuota(user, 'a', 1, 13)).toBeUndefined();
      expect(await store.takeFromQuota(user, 'a', 1, 14)).toBe(14);
      expect(await store.takeFromQuota(user, 'b', 5, 5)).toBe(5);
      expect(await store.readQuota(user, 'none')).toBe(0);
    });

    test('limits of a user are replaced as a whole', async () => {
      const store = subject();
      const user = aUser();
      expect(await store.readLimits(user, CONSISTENT)).toBeUndefined();
      const first = { limits: { activeJobs: 5, createsPerMinute: 0 }, updatedAt: 1, updatedBy: 'op "é"' };
      await store.putLimits(user, first);
      expect(await store.readLimits(user, CONSISTENT)).toEqual(first);
      const second = { limits: { requestsPerSecond: 7 }, updatedAt: 2, updatedBy: 'other' };
      await store.putLimits(user, second);
      expect(await store.readLimits(user, CONSISTENT)).toEqual(second);
      expect(await store.readLimits(aUser(), CONSISTENT)).toBeUndefined();
      // a counter of the user is another item
      await store.addToQuota(user, 'active', 1);
      expect(await store.readLimits(user, CONSISTENT)).toEqual(second);
    });

    test('is not a job', async () => {
      const store = subject();
      const user = aUser();
      await store.addToQuota(user, 'a', 5);
      expect((await store.listHeads(user, { limit: 5 })).items).toEqual([]);
    });
  });
}
