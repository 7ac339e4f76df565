import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { aJobId, anId, aRow, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };

export function executionsConformance(subject: Subject): void {
  describe('rows', () => {
    test('a row is read as it was written', async () => {
      const store = subject();
      const row = aRow({
        error: { name: 'Überlauf', message: '日本 🕐' },
        checkpoint: { at: [1, 2, { three: null }], huge: 1e300, big: 2 ** 60 },
        result: { '': '', list: [] },
        reason: '',
      });
      expect(await store.insertRow(row)).toBe(true);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toStrictEqual(row);
      expect(await store.readRow(row.jobId, row.due, { consistent: false })).toStrictEqual(row);
      expect(await store.readRow(row.jobId, dueKey(T0 + 1), CONSISTENT)).toBeUndefined();
    });

    test.each([null, 0, '', false, [], {}, 'text', 2 ** 63])('the result %j is a result', async (result) => {
      const store = subject();
      const row = aRow({ result });
      await store.insertRow(row);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toStrictEqual(row);
    });

    test('undefined values are not stored', async () => {
      const store = subject();
      const row = aRow({ fence: undefined, result: undefined, workerId: undefined });
      await store.insertRow(row);
      const { fence, result, workerId, ...rest } = row;
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toStrictEqual(rest);
    });

    test('a result of 300 KB', async () => {
      const store = subject();
      const row = aRow({ result: 'ü'.repeat(150_000) });
      await store.insertRow(row);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toStrictEqual(row);
    });

    test('the second insert is refused and the first stays, also with concurrent inserts', async () => {
      const store = subject();
      const row = aRow();
      const tries = Array.from({ length: 8 }, () => ({ ...row, fence: anId(12) }));
      const done = await Promise.all(tries.map((one) => store.insertRow(one)));
      expect(done.filter(Boolean)).toHaveLength(1);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toEqual(tries[done.indexOf(true)]);
      expect(await store.insertRow(row)).toBe(false);
    });

    test('no field of a replaced row stays', async () => {
      const store = subject();
      const row = aRow({
        status: 'RETRYING',
        error: { name: 'E', message: 'm' },
        checkpoint: { n: 1 },
        nextAttemptAt: T0,
      });
      await store.insertRow(row);
      const { jobId, due, userId, revision, maxAttempts } = row;
      const next = { jobId, due, userId, revision, maxAttempts, status: 'QUEUED' as const, attempt: 0 };
      expect(await store.updateRow({ status: 'RETRYING', fence: row.fence }, next)).toBe(true);
      expect(await store.readRow(jobId, due, CONSISTENT)).toStrictEqual(next);
    });

    test.each([
      ['another status', { status: 'RUNNING', fence: 'f1' }],
      ['another fence', { status: 'QUEUED', fence: 'f2' }],
      ['no fence', { status: 'QUEUED' }],
    ] as const)('an update that saw %s is refused', async (_what, seen) => {
      const store = subject();
      const row = aRow({ status: 'QUEUED', fence: 'f1' });
      await store.insertRow(row);
      expect(await store.updateRow(seen, { ...row, status: 'CANCELLED' })).toBe(false);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toEqual(row);
    });

    test('a row without a fence is updated if no fence was seen, and not otherwise', async () => {
      const store = subject();
      const row = aRow({ status: 'QUEUED', fence: undefined });
      await store.insertRow(row);
      const next = { ...row, status: 'RUNNING' as const, fence: 'mine' };
      expect(await store.updateRow({ status: 'QUEUED', fence: 'mine' }, next)).toBe(false);
      expect(await store.updateRow({ status: 'QUEUED', fence: undefined }, next)).toBe(true);
      expect((await store.readRow(row.jobId, row.due, CONSISTENT))?.fence).toBe('mine');
    });

    test('an update never creates', async () => {
      const store = subject();
      const row = aRow();
      expect(await store.updateRow({ status: 'RUNNING', fence: row.fence }, row)).toBe(false);
      expect(await store.updateRow({ status: 'QUEUED' }, row)).toBe(false);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toBeUndefined();
    });

    test('of many updates with the same condition exactly one succeeds', async () => {
      const store = subject();
      const row = aRow({ status: 'QUEUED', fence: undefined });
      await store.insertRow(row);
      const fences = Array.from({ length: 12 }, () => anId(12));
      const done = await Promise.all(
        fences.map((fence) => store.updateRow({ status: 'QUEUED' }, { ...row, status: 'RUNNING', fence })),
      );
      expect(done.filter(Boolean)).toHaveLength(1);
      expect((await store.readRow(row.jobId, row.due, CONSISTENT))?.fence).toBe(fences[done.indexOf(true)]);
    });

    test('more than 16 MB of rows are read, each once, without missing ones', async () => {
      const store = subject();
      const rows = Array.from({ length: 110 }, (_, i) => aRow({ result: `${i}${'x'.repeat(170_000)}` }));
      await Promise.all(rows.map((row) => store.insertRow(row)));
      const keys = rows.map(({ jobId, due }) => ({ jobId, due }));
      const read = await store.readRows(
        [...keys, { jobId: aJobId(), due: dueKey(T0) }, ...keys.slice(0, 4)],
        CONSISTENT,
      );
      expect(read).toHaveLength(110);
      expect(new Set(read.map((row) => row.result))).toEqual(new Set(rows.map((row) => row.result)));
      expect(await store.readRows([], CONSISTENT)).toEqual([]);
    });
  });
}
