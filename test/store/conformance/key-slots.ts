import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import type { KeySlot } from '../../../src/domain/jobs/concurrency-key.ts';
import { aJobId, anId, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };

const aSlot = (change: Partial<KeySlot> = {}): KeySlot => ({
  ...{ owner: anId(8), key: 'db', n: 0, jobId: aJobId(), due: dueKey(T0), token: anId(12) },
  leaseUntil: T0 + 30_000,
  ...change,
});

export function keySlotsConformance(subject: Subject): void {
  describe('slots of concurrency keys', () => {
    test('a slot is inserted once, and read as it was written', async () => {
      const store = subject();
      const slot = aSlot();
      expect(await store.readKeySlots(slot, CONSISTENT)).toEqual([]);
      expect(await store.writeKeySlot(undefined, slot)).toBe(true);
      expect(await store.writeKeySlot(undefined, { ...slot, token: 'other' })).toBe(false);
      expect(await store.readKeySlots(slot, CONSISTENT)).toEqual([slot]);
    });

    test('a slot is replaced only by a writer that has seen its last content', async () => {
      const store = subject();
      const first = aSlot();
      await store.writeKeySlot(undefined, first);
      const second = aSlot({ ...first, jobId: aJobId(), token: anId(12), leaseUntil: T0 + 60_000 });
      expect(await store.writeKeySlot(aSlot({ ...first, token: 'wrong' }), second)).toBe(false);
      expect(await store.writeKeySlot(first, second)).toBe(true);
      expect(await store.writeKeySlot(first, { ...second, token: 'late' })).toBe(false);
      expect(await store.readKeySlots(first, CONSISTENT)).toEqual([second]);
    });

    test('a slot that does not exist is not replaced', async () => {
      const store = subject();
      const slot = aSlot();
      expect(await store.writeKeySlot(slot, { ...slot, token: 'new' })).toBe(false);
      expect(await store.readKeySlots(slot, CONSISTENT)).toEqual([]);
    });

    test('a slot is removed only with its token', async () => {
      const store = subject();
      const slot = aSlot();
      await store.writeKeySlot(undefined, slot);
      expect(await store.removeKeySlot({ ...slot, token: 'other' })).toBe(false);
      expect(await store.removeKeySlot(slot)).toBe(true);
      expect(await store.removeKeySlot(slot)).toBe(false);
      expect(await store.readKeySlots(slot, CONSISTENT)).toEqual([]);
      expect(await store.writeKeySlot(undefined, slot)).toBe(true);
    });

    test('slots are listed by number, and each key and owner has its own', async () => {
      const store = subject();
      const slot = aSlot();
      const numbers = [0, 2, 9, 10, 99];
      for (const n of [10, 99, 0, 9, 2]) await store.writeKeySlot(undefined, { ...slot, n });
      await store.writeKeySlot(undefined, { ...slot, key: 'db2' });
      await store.writeKeySlot(undefined, { ...slot, key: 'a # key' });
      await store.writeKeySlot(undefined, { ...slot, owner: anId(8) });
      expect((await store.readKeySlots(slot, CONSISTENT)).map(({ n }) => n)).toEqual(numbers);
      expect(await store.readKeySlots({ ...slot, key: 'a # key' }, CONSISTENT)).toEqual([
        { ...slot, key: 'a # key' },
      ]);
    });
  });
}
