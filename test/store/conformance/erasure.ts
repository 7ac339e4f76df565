import { describe, expect, test } from 'vitest';
import { aUser } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

export function erasureConformance(subject: Subject): void {
  describe('erasure of an owner', () => {
    test('leaves a user whose id begins with that of the owner', async () => {
      const store = subject();
      const user = aUser();
      const longer = `${user}#b`;
      for (const userId of [user, longer]) {
        await store.addToQuota(userId, 'creates', 3);
        await store.takeStored(userId, { jobs: 1, bytes: 9 }, { jobs: 9, bytes: 99 });
      }
      const name = { userId: longer, namespace: 'n', name: 'x', jobId: 'j', stamp: 's' };
      await store.writeName(undefined, name, undefined);
      await store.eraseOwner(user, { operation: 'op_other', limits: true });
      expect(await store.readQuota(user, 'creates')).toBe(0);
      expect(await store.readQuota(longer, 'creates')).toBe(3);
      expect(await store.readStored(longer)).toEqual({ jobs: 1, bytes: 9 });
      expect(await store.readName(longer, 'n', 'x')).toEqual(name);
    });

    test('removes the limits only if it is told to', async () => {
      const store = subject();
      const user = aUser();
      await store.putLimits(user, { values: {}, updatedAt: 1, updatedBy: 'olga' } as never);
      await store.addToQuota(user, 'creates', 3);
      await store.eraseOwner(user, { operation: 'op_other', limits: false });
      expect(await store.readQuota(user, 'creates')).toBe(0);
      expect(await store.readLimits(user, { consistent: true })).toBeDefined();
      await store.eraseOwner(user, { operation: 'op_other', limits: true });
      expect(await store.readLimits(user, { consistent: true })).toBeUndefined();
    });
  });
}
