import { describe, expect, test } from 'vitest';
import { aUser } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

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

    test('is not a job', async () => {
      const store = subject();
      const user = aUser();
      await store.addToQuota(user, 'a', 5);
      expect((await store.listHeads(user, { limit: 5 })).items).toEqual([]);
    });
  });
}
