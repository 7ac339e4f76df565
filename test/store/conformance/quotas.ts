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

    test('stored jobs and bytes are taken together or not at all, and replaced only if they are as seen', async () => {
      const store = subject();
      const user = aUser();
      const max = { jobs: 3, bytes: 1_000 };
      expect(await store.readStored(user)).toEqual({ jobs: 0, bytes: 0 });
      expect(await store.replaceStored(user, { jobs: 0, bytes: 0 }, { jobs: 1, bytes: 1 })).toBe(false);
      const taken = await Promise.all(
        Array.from({ length: 5 }, () => store.takeStored(user, { jobs: 1, bytes: 100 }, max)),
      );
      expect(taken.filter((one) => one !== undefined)).toHaveLength(3);
      expect(await store.takeStored(user, { jobs: 1, bytes: 1 }, max)).toBeUndefined();
      expect(await store.takeStored(user, { jobs: 0, bytes: 701 }, max)).toBeUndefined();
      expect(await store.takeStored(user, { jobs: 0, bytes: 700 }, max)).toEqual({ jobs: 3, bytes: 1_000 });
      // a lower limit of jobs does not refuse bytes alone
      expect(await store.takeStored(user, { jobs: 0, bytes: 1 }, { jobs: 2, bytes: 1_001 })).toEqual({
        jobs: 3,
        bytes: 1_001,
      });
      expect(await store.replaceStored(user, { jobs: 3, bytes: 1 }, { jobs: 1, bytes: 7 })).toBe(false);
      expect(await store.replaceStored(user, { jobs: 3, bytes: 1_001 }, { jobs: 1, bytes: 7 })).toBe(true);
      expect(await store.readStored(user)).toEqual({ jobs: 1, bytes: 7 });
      expect(await store.readStored(aUser())).toEqual({ jobs: 0, bytes: 0 });
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
