import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../../src/domain/errors.ts';
import { errorKeyOf } from '../../../src/domain/executions/error-key.ts';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import type { ExecutionKey, Page } from '../../../src/store/store.ts';
import { aJobId, aRow, aUser, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const text = ({ jobId, due }: ExecutionKey) => `${due}#${jobId}`;

async function pages(read: (cursor: string | undefined) => Promise<Page<ExecutionKey>>): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    seen.push(...page.items.map(text));
    cursor = page.next;
  } while (cursor);
  return seen;
}

export function failedConformance(subject: Subject): void {
  describe('failed rows', () => {
    test.each([1, 3, 100])('of a user, newest first and no others, in pages of %i', async (limit) => {
      const store = subject();
      const userId = aUser();
      const rows = Array.from({ length: 9 }, (_, i) =>
        aRow({ userId, due: dueKey(T0 + i), status: i % 3 === 2 ? 'SUCCEEDED' : 'FAILED' }),
      );
      await Promise.all([...rows, aRow({ status: 'FAILED' })].map((row) => store.insertRow(row)));
      const failed = rows.filter((row) => row.status === 'FAILED').map(text);
      expect(await pages((cursor) => store.listFailedKeys(userId, { limit, cursor }))).toEqual(
        failed.reverse(),
      );
      const range = { from: dueKey(T0 + 1), to: dueKey(T0 + 4) };
      expect(await pages((cursor) => store.listFailedKeys(userId, { limit, cursor, ...range }))).toEqual(
        failed.filter((key) => key >= range.from && key < range.to),
      );
    });

    test.each([2, 100])('of all users, each exactly once, in pages of %i', async (limit) => {
      const store = subject();
      const rows = Array.from({ length: 7 }, (_, i) => aRow({ due: dueKey(T0 + i), status: 'FAILED' }));
      await Promise.all(rows.map((row) => store.insertRow(row)));
      const seen = await pages((cursor) => store.listAllFailedKeys({ limit, cursor }));
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(rows.map(text)));
    });

    test('a dismissed row stays in the list with a mark, and loses the mark when it is written again', async () => {
      const store = subject();
      const row = aRow({ status: 'FAILED', error: { name: 'Error', message: 'broken' } });
      await store.insertRow(row);
      const list = async () => (await store.listFailedKeys(row.userId, { limit: 5 })).items;
      const read = () => store.readRow(row.jobId, row.due, { consistent: true });
      const key = { errorKey: errorKeyOf(row), jobId: row.jobId, due: row.due };
      expect(await store.dismissRow({ ...row, number: row.number + 1 })).toBe(false);
      expect(await store.dismissRow({ ...row, jobId: aJobId() })).toBe(false);
      expect(await read()).toEqual(row);
      expect(await store.dismissRow(row)).toBe(true);
      expect(await read()).toEqual({ ...row, dismissed: true });
      expect(await list()).toEqual([{ ...key, dismissed: true, cursor: expect.any(String) }]);
      expect(await store.markNotified(row.jobId, row.due, row)).toBe(true);
      expect(await read()).toEqual({ ...row, dismissed: true, told: true });
      await store.updateRow(row, row);
      expect(await read()).toEqual(row);
      expect(await list()).toEqual([{ ...key, cursor: expect.any(String) }]);
      await store.updateRow(row, { ...row, status: 'QUEUED' });
      expect(await store.dismissRow(row)).toBe(false);
    });

    test('a row that runs again leaves the list, one that fails later enters it', async () => {
      const store = subject();
      const row = aRow({ status: 'FAILED' });
      const list = async () => (await store.listFailedKeys(row.userId, { limit: 5 })).items.map(text);
      await store.insertRow(row);
      const queued = { ...row, status: 'QUEUED' as const };
      await store.updateRow(row, queued);
      expect(await list()).toEqual([]);
      expect(await pages((cursor) => store.listAllFailedKeys({ limit: 50, cursor }))).not.toContain(
        text(row),
      );
      await store.updateRow(queued, row);
      expect(await list()).toEqual([text(row)]);
      expect(await store.readRow(row.jobId, row.due, { consistent: true })).toEqual(row);
    });

    test('each has the key of its error, and the cursor after it', async () => {
      const store = subject();
      const userId = aUser();
      const failed = (i: number, message: string) =>
        aRow({
          userId,
          due: dueKey(T0 + i),
          status: 'FAILED',
          error: { name: 'Error', message },
          result: undefined,
        });
      const rows = [failed(0, 'no disk'), failed(1, 'order 17 is gone'), failed(2, 'order 18 is gone')];
      await Promise.all(rows.map((row) => store.insertRow(row)));
      const { items } = await store.listFailedKeys(userId, { limit: 5 });
      expect(items.map(({ errorKey }) => errorKey)).toEqual(rows.toReversed().map(errorKeyOf));
      expect(items[0]?.errorKey).toBe(items[1]?.errorKey);
      const second = await store.listFailedKeys(userId, { limit: 5, cursor: items[0]?.cursor });
      expect(second.items).toEqual(items.slice(1));

      const all = (await store.listAllFailedKeys({ limit: 1000 })).items;
      const mine = all.filter(({ jobId }) => rows.some((row) => row.jobId === jobId));
      expect(new Set(mine.map(({ errorKey }) => errorKey))).toEqual(new Set(rows.map(errorKeyOf)));
      for (const [i, { cursor }] of all.entries()) {
        const rest = await store.listAllFailedKeys({ limit: 1000, cursor });
        expect(rest.items).toEqual(all.slice(i + 1));
      }
    });

    test('an invalid cursor is refused', async () => {
      const store = subject();
      const cursor = Buffer.from(`${T0}#${aJobId()}`).toString('base64url');
      await expect(store.listAllFailedKeys({ limit: 5, cursor })).rejects.toThrow(InvalidInput);
      await expect(store.listFailedKeys('u', { limit: 5, cursor: 'x' })).rejects.toThrow(InvalidInput);
    });
  });
}
