import { describe, expect, test } from 'vitest';
import { dueKey, manualKey } from '../../../src/domain/executions/ids.ts';
import { aJobId, aRow, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const aKey = (due = dueKey(T0)) => ({ jobId: aJobId(), due });

export function savedAndWaitingConformance(subject: Subject): void {
  describe('checkpoints', () => {
    test.each([
      { at: [1, 2, { three: null }], huge: 1e300, big: 2 ** 60, '': 'Überlauf 日本 🕐' },
      null,
      0,
      '',
      false,
      'ü'.repeat(16_000),
    ])('%# is read as it was saved', async (checkpoint) => {
      const key = aKey();
      expect(await subject().readCheckpoint(key)).toBeUndefined();
      expect(await subject().putCheckpoint(key, T0, checkpoint)).toBe(true);
      expect(await subject().readCheckpoint(key)).toStrictEqual(checkpoint);
    });

    test('the claim that saved the last one, or a later one, replaces it', async () => {
      const key = aKey();
      for (const number of [T0, T0, T0 + 1]) {
        expect(await subject().putCheckpoint(key, number, { number })).toBe(true);
        expect(await subject().readCheckpoint(key)).toEqual({ number });
      }
    });

    test('a claim with a smaller number is refused', async () => {
      const key = aKey();
      await subject().putCheckpoint(key, T0, 'mine');
      expect(await subject().putCheckpoint(key, T0 - 1, 'late')).toBe(false);
      expect(await subject().readCheckpoint(key)).toBe('mine');
    });

    test('each execution has its own, beside its row', async () => {
      const store = subject();
      const row = aRow({ status: 'RUNNING', leaseUntil: T0 });
      const { jobId, due } = row;
      await store.insertRow(row);
      await store.putCheckpoint({ jobId, due }, T0, 1);
      await store.putCheckpoint({ jobId, due: manualKey(T0, 'k3f9a1') }, T0, 2);
      await store.putCheckpoint({ jobId: aJobId(), due }, T0, 3);
      expect(await store.readCheckpoint({ jobId, due })).toBe(1);
      expect(await store.readRow(jobId, due, { consistent: true })).toStrictEqual(row);
    });
  });

  describe('executions that wait', () => {
    test('the oldest by its due time is the first, in whatever order they began to wait', async () => {
      const store = subject();
      const jobId = aJobId();
      expect(await store.firstWait(jobId)).toBeUndefined();
      const dues = [dueKey(T0), manualKey(T0, 'k3f9a1'), dueKey(T0 + 1), dueKey(T0 + 60_000)];
      for (const i of [2, 0, 3, 1]) await store.putWait({ jobId, due: dues[i] ?? '' }, T0 + i);
      for (const [i, due] of dues.entries()) {
        expect(await store.firstWait(jobId)).toEqual({ due, at: T0 + i });
        await store.removeWait({ jobId, due }, T0 + i);
      }
      expect(await store.firstWait(jobId)).toBeUndefined();
    });

    test('one that waits again has the later time', async () => {
      const key = aKey();
      await subject().putWait(key, T0);
      await subject().putWait(key, T0 + 5);
      expect(await subject().firstWait(key.jobId)).toEqual({ due: key.due, at: T0 + 5 });
      // who has found the earlier one does not remove it
      await subject().removeWait(key, T0);
      expect(await subject().firstWait(key.jobId)).toEqual({ due: key.due, at: T0 + 5 });
      await subject().removeWait(key, T0 + 5);
      expect(await subject().firstWait(key.jobId)).toBeUndefined();
    });

    test('each job has its own, and a removal of none has no effect', async () => {
      const store = subject();
      const [key, other] = [aKey(), aKey()];
      await store.putWait(key, T0);
      await store.removeWait(other, T0);
      await store.removeWait({ ...key, due: dueKey(T0 + 1) }, T0);
      expect(await store.firstWait(key.jobId)).toEqual({ due: key.due, at: T0 });
      expect(await store.firstWait(other.jobId)).toBeUndefined();
    });

    test('many at once are all there', async () => {
      const jobId = aJobId();
      const dues = Array.from({ length: 40 }, (_, i) => dueKey(T0 + i));
      await Promise.all(dues.toReversed().map((due) => subject().putWait({ jobId, due }, T0)));
      await Promise.all(dues.slice(0, -1).map((due) => subject().removeWait({ jobId, due }, T0)));
      expect((await subject().firstWait(jobId))?.due).toBe(dues.at(-1));
    });
  });
}
