import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import type { Change } from '../../../src/domain/jobs/change.ts';
import { aHead, aJobId, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const aChange = (jobId: string, version: number, at: number, more: Partial<Change> = {}): Change => ({
  jobId,
  version,
  at,
  by: 'ann',
  what: 'edited',
  ...more,
});

export function changesConformance(subject: Subject): void {
  describe('changes', () => {
    test('are read as they were written', async () => {
      const store = subject();
      const jobId = aJobId();
      const { retry, misfire, tags } = aHead();
      const change = aChange(jobId, 2, T0, {
        what: 'paused',
        note: 'ausgesetzt: 日本 🕐',
        before: { status: 'active', retry, misfire, tags, params: { version: 1 } },
        after: { status: 'paused', schedule: { at: '2026-12-01T10:00:00Z' }, params: { version: 2 } },
        previous: { version: 1, at: T0 - 1 },
      });
      expect(await store.insertChange(change)).toBe(true);
      expect(await store.listChanges(jobId, change, 10)).toStrictEqual([change]);
    });

    test('are never overwritten: one per version and time', async () => {
      const store = subject();
      const jobId = aJobId();
      const first = aChange(jobId, 1, T0);
      expect(await store.insertChange(first)).toBe(true);
      expect(await store.insertChange({ ...first, by: 'bob' })).toBe(false);
      expect(await store.insertChange({ ...first, at: T0 + 1 })).toBe(true);
      expect(await store.insertChange({ ...first, jobId: aJobId() })).toBe(true);
      expect(await store.listChanges(jobId, first, 10)).toStrictEqual([first]);
    });

    test('are listed newest first from the given one on, by version and then by time', async () => {
      const store = subject();
      const jobId = aJobId();
      const keys = [
        [1, T0],
        [2, T0 - 5],
        [2, T0 + 7],
        [9, T0 + 8],
        [10, T0 + 1],
        [123_456, T0 + 2],
      ] as const;
      for (const [version, at] of keys.toReversed()) await store.insertChange(aChange(jobId, version, at));
      const listed = async (version: number, at: number, limit: number) =>
        (await store.listChanges(jobId, { version, at }, limit)).map((change) => [change.version, change.at]);
      expect(await listed(123_456, T0 + 2, 100)).toEqual(keys.toReversed());
      expect(await listed(123_456, T0 + 2, 2)).toEqual([keys[5], keys[4]]);
      expect(await listed(2, T0 + 7, 100)).toEqual([keys[2], keys[1], keys[0]]);
      expect(await listed(2, T0 - 6, 100)).toEqual([keys[0]]);
      expect(await listed(1, T0 - 1, 100)).toEqual([]);
    });

    test('are not part of other lists of the job', async () => {
      const store = subject();
      const head = aHead();
      await store.insertHead(head);
      await store.putDefinition({ jobId: head.jobId, version: 1, params: {}, notify: [] });
      await store.putWait({ jobId: head.jobId, due: dueKey(T0 + 1) }, T0);
      await store.insertChange(aChange(head.jobId, 1, T0));
      expect(await store.readHead(head.jobId, { consistent: true })).toEqual(head);
      expect((await store.listHeads(head.userId, { limit: 10 })).items).toHaveLength(1);
      expect((await store.firstWait(head.jobId))?.due).toBe(dueKey(T0 + 1));
      expect(await store.listChanges(head.jobId, { version: 99, at: T0 }, 10)).toHaveLength(1);
    });
  });
}
