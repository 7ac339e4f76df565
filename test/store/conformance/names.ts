import { describe, expect, test } from 'vitest';
import type { NamePointer } from '../../../src/domain/jobs/job-name.ts';
import { aUser } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const pointer = (userId: string, change: Partial<NamePointer> = {}): NamePointer => ({
  ...{ userId, namespace: 'billing', name: 'nightly', jobId: 'job_1', stamp: 's1' },
  ...change,
});

export function namesConformance(subject: Subject): void {
  describe('names', () => {
    test('is inserted once, whoever is first', async () => {
      const store = subject();
      const user = aUser();
      expect(await store.readName(user, 'billing', 'nightly')).toBeUndefined();
      const writes = Array.from({ length: 8 }, (_, i) =>
        store.writeName(undefined, pointer(user, { jobId: `job_${i}`, stamp: `s${i}` })),
      );
      const done = await Promise.all(writes);
      expect(done.filter(Boolean)).toHaveLength(1);
      const winner = done.indexOf(true);
      expect(await store.readName(user, 'billing', 'nightly')).toEqual(
        pointer(user, { jobId: `job_${winner}`, stamp: `s${winner}` }),
      );
    });

    test('is replaced only if the stamp is as seen, and previous is removed if it is absent', async () => {
      const store = subject();
      const user = aUser();
      const first = pointer(user);
      await store.writeName(undefined, first);
      const second = pointer(user, { jobId: 'job_2', previous: 'job_1', stamp: 's2' });
      expect(await store.writeName(pointer(user, { stamp: 'other' }), second)).toBe(false);
      expect(await store.writeName(first, second)).toBe(true);
      expect(await store.writeName(first, pointer(user, { stamp: 's3' }))).toBe(false);
      expect(await store.writeName(undefined, pointer(user, { stamp: 's3' }))).toBe(false);
      expect(await store.readName(user, 'billing', 'nightly')).toEqual(second);
      const third = pointer(user, { jobId: 'job_3', stamp: 's3' });
      expect(await store.writeName(second, third)).toBe(true);
      expect(await store.readName(user, 'billing', 'nightly')).toEqual(third);
    });

    test('is refused if it is to replace an item that does not exist', async () => {
      const user = aUser();
      expect(await subject().writeName(pointer(user), pointer(user, { stamp: 's2' }))).toBe(false);
      expect(await subject().readName(user, 'billing', 'nightly')).toBeUndefined();
    });

    test('belongs to one user, namespace and name', async () => {
      const store = subject();
      const user = `${aUser()}#a`;
      await store.writeName(undefined, pointer(user));
      for (const [other, namespace, name] of [
        [aUser(), 'billing', 'nightly'],
        [user, 'Billing', 'nightly'],
        [user, 'billing', 'nightly2'],
      ] as const)
        expect(await store.readName(other, namespace, name)).toBeUndefined();
      expect(await store.readName(user, 'billing', 'nightly')).toEqual(pointer(user));
    });

    test('is not a job', async () => {
      const store = subject();
      const user = aUser();
      await store.writeName(undefined, pointer(user));
      expect((await store.listHeads(user, { limit: 5 })).items).toEqual([]);
    });
  });
}
