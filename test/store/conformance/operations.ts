import { describe, expect, test } from 'vitest';
import type { BackfillOperation, Operation } from '../../../src/domain/jobs/background-operation.ts';
import type { Store } from '../../../src/store/store.ts';
import { aJobId, anId, aUser, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const anOperation = (more: Partial<BackfillOperation> = {}): BackfillOperation => ({
  id: `op_${anId(20)}`,
  kind: 'backfill',
  params: { jobId: aJobId(), from: '1796119200000', to: '1796119260000', schedule: anId(16) },
  userId: aUser(),
  status: 'pending',
  done: 0,
  total: 60,
  refused: [],
  createdAt: T0,
  updatedAt: T0,
  stamp: anId(12),
  leaseUntil: 0,
  ...more,
});

const MANY = 10_000;

export function operationsConformance(subject: Subject): void {
  describe('operations', () => {
    const listed = async (store: Store, operations: readonly Operation[]) => {
      const ids = new Set(operations.map(({ id }) => id));
      return (await store.listOpenOperations(MANY)).filter(({ id }) => ids.has(id));
    };

    test('are read as they were written', async () => {
      const store = subject();
      const operation = anOperation({
        next: '1796119230000',
        refused: [{ id: `${aJobId()}.1796119200000`, reason: 'geht nicht: 日本' }],
        reason: 'because',
      });
      expect(await store.readOperation(operation.id)).toBeUndefined();
      await store.putOperation(operation);
      expect(await store.readOperation(operation.id)).toStrictEqual(operation);
    });

    test('are replaced if the stamp is as seen', async () => {
      const store = subject();
      const first = anOperation({ reason: 'for now' });
      await store.putOperation(first);
      const { reason: _, ...second } = { ...first, done: 7, next: 'x', stamp: anId(12) };
      expect(await store.replaceOperation({ ...first, stamp: 'other' }, second)).toBe(false);
      expect(await store.replaceOperation(first, second)).toBe(true);
      expect(await store.replaceOperation(first, { ...second, done: 8 })).toBe(false);
      expect(await store.readOperation(first.id)).toStrictEqual(second);
    });

    test('that do not exist are not created by a replacement', async () => {
      const store = subject();
      const operation = anOperation();
      expect(await store.replaceOperation(operation, { ...operation, stamp: anId(12) })).toBe(false);
      expect(await store.readOperation(operation.id)).toBeUndefined();
    });

    test('of many concurrent replacements exactly one succeeds', async () => {
      const store = subject();
      const operation = anOperation();
      await store.putOperation(operation);
      const stamps = Array.from({ length: 8 }, () => anId(12));
      const done = await Promise.all(
        stamps.map((stamp) => store.replaceOperation(operation, { ...operation, stamp })),
      );
      expect(done.filter(Boolean)).toHaveLength(1);
      expect((await store.readOperation(operation.id))?.stamp).toBe(stamps[done.indexOf(true)]);
    });

    test('are listed oldest first until they are removed from the list, and stay readable', async () => {
      const store = subject();
      const operations = [3, 1, 2, 0].map((after) => anOperation({ createdAt: T0 - 1e9 + after }));
      for (const operation of operations) await store.putOperation(operation);
      const byAge = operations.toSorted((a, b) => a.createdAt - b.createdAt);
      const keys = byAge.map(({ id, createdAt, userId }) => ({ id, createdAt, userId }));
      expect(await listed(store, operations)).toStrictEqual(keys);

      const [oldest, ...others] = byAge as [Operation, ...Operation[]];
      const ended = { ...oldest, status: 'done' as const, stamp: anId(12), updatedAt: T0 + 9 };
      await store.replaceOperation(oldest, ended);
      expect(await listed(store, operations), 'a replacement leaves the list alone').toStrictEqual(keys);
      await store.delistOperation(ended);
      await store.delistOperation(ended);
      await store.delistOperation(anOperation());
      expect(await listed(store, operations)).toStrictEqual(keys.slice(1));
      expect(await store.readOperation(oldest.id)).toStrictEqual(ended);
      expect(await store.readOperation(others[0]?.id ?? '')).toStrictEqual(others[0]);
    });

    test('that have ended are not listed', async () => {
      const store = subject();
      const operation = anOperation({ status: 'done' });
      await store.putOperation(operation);
      expect(await listed(store, [operation])).toEqual([]);
      expect(await store.readOperation(operation.id)).toStrictEqual(operation);
    });

    test('a list has at most `limit` operations, the oldest', async () => {
      const store = subject();
      const operations = Array.from({ length: 20 }, (_, i) => anOperation({ createdAt: T0 - 2e9 + i }));
      for (const operation of operations.toReversed()) await store.putOperation(operation);
      const oldest = operations.slice(0, 7).map(({ id }) => id);
      expect((await store.listOpenOperations(7)).map(({ id }) => id)).toEqual(oldest);
    });

    test('are not part of any job', async () => {
      const store = subject();
      const operation = anOperation();
      await store.putOperation(operation);
      expect((await store.listHeads(operation.userId, { limit: 10 })).items).toEqual([]);
      expect(await store.readHead(operation.id, { consistent: true })).toBeUndefined();
    });
  });
}
