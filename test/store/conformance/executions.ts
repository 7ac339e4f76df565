import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { aJobId, aRow, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };

export function executionsConformance(subject: Subject): void {
  describe('rows', () => {
    test('a row is read as it was written', async () => {
      const store = subject();
      const row = aRow({
        error: { name: 'Überlauf', message: '日本 🕐' },
        result: { '': '', list: [], at: [1, 2, { three: null }], huge: 1e300, big: 2 ** 60 },
        progress: { fraction: 0.5, text: 'half of "it" \n 半分', at: T0 },
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
      const row = aRow({ leaseUntil: undefined, result: undefined, workerId: undefined });
      await store.insertRow(row);
      const { leaseUntil, result, workerId, ...rest } = row;
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
      const tries = Array.from({ length: 8 }, (_, i) => ({ ...row, claimId: `claim ${i}` }));
      const done = await Promise.all(tries.map((one) => store.insertRow(one)));
      expect(done.filter(Boolean)).toHaveLength(1);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toEqual(tries[done.indexOf(true)]);
      expect(await store.insertRow(row)).toBe(false);
    });

    const OLD = {
      error: { name: 'E', message: 'm' },
      progress: { fraction: 1, at: T0 },
      nextAttemptAt: T0,
      result: 1,
      claimId: 'c',
    };

    test.each([
      ['RETRYING', OLD],
      ['RUNNING', { ...OLD, leaseUntil: T0 + 30_000, was: 'RETRYING' }],
      ['FAILED', { ...OLD, dismissed: true, told: true, cancelRequested: true }],
      ['CANCELLED', { ...OLD, cancelRequested: true }],
    ] as const)('no field of a replaced %s row stays', async (status, more) => {
      const store = subject();
      const row = aRow({ status, ...more });
      await store.insertRow(row);
      const { jobId, due, userId, revision, maxAttempts } = row;
      const next = {
        jobId,
        due,
        userId,
        revision,
        maxAttempts,
        status: 'QUEUED',
        number: 9,
        attempt: 0,
      } as const;
      expect(await store.updateRow(row, next)).toBe(true);
      expect(await store.readRow(jobId, due, CONSISTENT)).toStrictEqual(next);
    });

    test.each([
      ['another status', { status: 'RUNNING', number: 7 }],
      ['an earlier number', { status: 'QUEUED', number: 6 }],
      ['a later number', { status: 'QUEUED', number: 8 }],
      ['no number', { status: 'QUEUED', number: 0 }],
    ] as const)('an update that saw %s is refused', async (_what, seen) => {
      const store = subject();
      const row = aRow({ status: 'QUEUED', number: 7 });
      await store.insertRow(row);
      expect(await store.updateRow(seen, { ...row, status: 'CANCELLED' })).toBe(false);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toEqual(row);
    });

    test('an update of a lost row asks for its lease as read', async () => {
      const store = subject();
      const row = aRow({ status: 'RUNNING', number: 7, leaseUntil: T0 });
      await store.insertRow(row);
      const seen = { status: 'RUNNING', number: 7 } as const;
      const { leaseUntil, ...rest } = row;
      const lost = { ...rest, status: 'RETRYING' as const };
      expect(await store.updateRow({ ...seen, leaseUntil: T0 - 1 }, lost)).toBe(false);
      expect(await store.updateRow({ ...seen, leaseUntil: T0 + 1 }, lost)).toBe(false);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toEqual(row);
      expect(await store.updateRow({ ...seen, leaseUntil: T0 }, lost)).toBe(true);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toStrictEqual(lost);
    });

    test('a row without a number is updated if none was seen, and not otherwise', async () => {
      const store = subject();
      const row = aRow({ status: 'QUEUED', number: 0 });
      await store.insertRow(row);
      const next = { ...row, status: 'RUNNING' as const, number: 7 };
      expect(await store.updateRow({ status: 'QUEUED', number: 7 }, next)).toBe(false);
      expect(await store.updateRow({ status: 'QUEUED', number: 0 }, next)).toBe(true);
      expect((await store.readRow(row.jobId, row.due, CONSISTENT))?.number).toBe(7);
    });

    test('an update never creates', async () => {
      const store = subject();
      const row = aRow();
      for (const status of ['RUNNING', 'QUEUED', 'FAILED'] as const)
        expect(await store.updateRow({ status, number: row.number }, row)).toBe(false);
      expect(await store.readRow(row.jobId, row.due, CONSISTENT)).toBeUndefined();
    });

    test.each(['QUEUED', 'FAILED'] as const)(
      'of many updates of a %s row with the same condition exactly one succeeds',
      async (status) => {
        const store = subject();
        const row = aRow({ status, number: 1 });
        await store.insertRow(row);
        const claims = Array.from({ length: 12 }, (_, i) => `claim ${i}`);
        const done = await Promise.all(
          claims.map((claimId) => store.updateRow(row, { ...row, status: 'RUNNING', number: 2, claimId })),
        );
        expect(done.filter(Boolean)).toHaveLength(1);
        const after = await store.readRow(row.jobId, row.due, CONSISTENT);
        expect(after?.claimId).toBe(claims[done.indexOf(true)]);
      },
    );

    test('of many concurrent updates of many rows each is compared with its own number', async () => {
      const store = subject();
      const rows = Array.from({ length: 130 }, (_, i) => aRow({ status: 'QUEUED', number: i }));
      await Promise.all(rows.map((row) => store.insertRow(row)));
      const isStale = (i: number) => i % 10 === 3;
      const done = await Promise.all(
        rows.map((row, i) =>
          store.updateRow(
            { status: 'QUEUED', number: isStale(i) ? i + 1 : i },
            { ...row, status: 'RUNNING', number: 1_000 + i },
          ),
        ),
      );
      expect(done).toEqual(rows.map((_, i) => !isStale(i)));
      const read = await store.readRows(rows, CONSISTENT);
      const numbers = new Map(read.map(({ jobId, number }) => [jobId, number]));
      expect(rows.map(({ jobId }) => numbers.get(jobId))).toEqual(
        rows.map((_, i) => (isStale(i) ? i : 1_000 + i)),
      );
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
