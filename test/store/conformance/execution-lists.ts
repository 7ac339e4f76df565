import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../../src/domain/errors.ts';
import { dueKey, manualKey } from '../../../src/domain/executions/ids.ts';
import type { ExecutionKey, ListOptions, Page, Store } from '../../../src/store/store.ts';
import { aJobId, aRow, aUser, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

async function allPages<T>(
  list: (options: ListOptions) => Promise<Page<T>>,
  limit: number,
  between?: () => Promise<unknown>,
): Promise<T[][]> {
  const pages: T[][] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit, cursor });
    pages.push([...page.items]);
    cursor = page.next;
    await between?.();
  } while (cursor);
  return pages;
}

/** Twenty occurrences, a minute apart, and a run-now at the time of the third. */
async function aLedger(store: Store, userId = aUser()) {
  const jobId = aJobId();
  const dues = [
    ...Array.from({ length: 20 }, (_, i) => dueKey(T0 + i * 60_000)),
    manualKey(T0 + 120_000, 'k3f9a1'),
  ];
  await Promise.all(dues.map((due) => store.insertRow(aRow({ jobId, userId, due }))));
  return { jobId, userId, dues: dues.sort() };
}

const ASCENDING = { newestFirst: false, consistent: true };
const DESCENDING = { newestFirst: true, consistent: true };
const text = ({ jobId, due }: ExecutionKey) => `${due}#${jobId}`;

export function executionListsConformance(subject: Subject): void {
  describe("list of a job's rows", () => {
    test.each([1, 5, 7, 21, 100])('in both directions in pages of %i, each exactly once', async (limit) => {
      const store = subject();
      const { jobId, dues } = await aLedger(store);
      const up = await allPages((options) => store.listRows(jobId, { ...ASCENDING, ...options }), limit);
      expect(up.flat().map((row) => row.due)).toEqual(dues);
      expect(up).toHaveLength(Math.ceil(21 / limit));
      const down = await allPages((options) => store.listRows(jobId, { ...DESCENDING, ...options }), limit);
      expect(down.flat().map((row) => row.due)).toEqual([...dues].reverse());
      expect(down).toHaveLength(Math.ceil(21 / limit));
    });

    test.each([1, 3, 100])('from is included, to is not, in pages of %i', async (limit) => {
      const store = subject();
      const { jobId, dues } = await aLedger(store);
      const range = { from: dueKey(T0 + 120_000), to: dueKey(T0 + 360_000) };
      const wanted = dues.filter((due) => due >= range.from && due < range.to);
      expect(wanted).toHaveLength(5);
      for (const direction of [ASCENDING, DESCENDING]) {
        const pages = await allPages(
          (options) => store.listRows(jobId, { ...direction, ...range, ...options }),
          limit,
        );
        const dues = pages.flat().map((row) => row.due);
        expect(dues).toEqual(direction.newestFirst ? [...wanted].reverse() : wanted);
        expect(pages).toHaveLength(Math.ceil(5 / limit));
      }
    });

    test('with one end only, and with an empty range', async () => {
      const store = subject();
      const { jobId } = await aLedger(store);
      const count = async (range: { from?: string; to?: string }, limit = 100) =>
        (await store.listRows(jobId, { ...DESCENDING, ...range, limit })).items.length;
      expect(await count({ from: dueKey(T0 + 18 * 60_000) })).toBe(2);
      expect(await count({ to: dueKey(T0 + 60_000) })).toBe(1);
      expect(await count({ from: dueKey(T0), to: dueKey(T0) })).toBe(0);
      expect(await count({ from: dueKey(T0 + 1), to: dueKey(T0) })).toBe(0);
      expect(await count({ from: dueKey(T0 + 1e9) })).toBe(0);
    });

    test('rows of more than 1 MB are split into pages, without a gap', async () => {
      const store = subject();
      const jobId = aJobId();
      const dues = Array.from({ length: 9 }, (_, i) => dueKey(T0 + i));
      for (const due of dues) await store.insertRow(aRow({ jobId, due, result: 'x'.repeat(300_000) }));
      const pages = await allPages((options) => store.listRows(jobId, { ...ASCENDING, ...options }), 9);
      expect(pages.flat().map((row) => row.due)).toEqual(dues);
    });

    test('of a job without rows is empty, and an invalid cursor is refused', async () => {
      const store = subject();
      expect(await store.listRows(aJobId(), { ...ASCENDING, limit: 5 })).toEqual({
        items: [],
        next: undefined,
      });
      await expect(store.listRows(aJobId(), { ...ASCENDING, limit: 5, cursor: 'x' })).rejects.toThrow(
        InvalidInput,
      );
    });
  });

  describe("list of a user's executions", () => {
    test.each([1, 10, 63, 100])('over all jobs, newest first, in pages of %i', async (limit) => {
      const store = subject();
      const userId = aUser();
      const ledgers = [
        await aLedger(store, userId),
        await aLedger(store, userId),
        await aLedger(store, userId),
      ];
      await aLedger(store);
      const wanted = ledgers.flatMap(({ jobId, dues }) => dues.map((due) => text({ jobId, due })));
      const pages = await allPages((options) => store.listRowKeys(userId, options), limit);
      expect(pages.flat().map(text)).toEqual(wanted.sort().reverse());
      expect(pages).toHaveLength(Math.ceil(63 / limit));
      expect(pages[0]?.[0]).toStrictEqual({ jobId: expect.any(String), due: dueKey(T0 + 19 * 60_000) });
    });

    test.each([1, 4, 100])('from is included, to is not, in pages of %i', async (limit) => {
      const store = subject();
      const userId = aUser();
      const ledgers = [await aLedger(store, userId), await aLedger(store, userId)];
      const range = { from: dueKey(T0 + 120_000), to: dueKey(T0 + 360_000) };
      const wanted = ledgers
        .flatMap(({ jobId, dues }) => dues.map((due) => ({ jobId, due })))
        .filter(({ due }) => due >= range.from && due < range.to);
      const pages = await allPages((options) => store.listRowKeys(userId, { ...range, ...options }), limit);
      expect(pages.flat().map(text)).toEqual(wanted.map(text).sort().reverse());
      const none = { from: range.to, to: range.from };
      expect((await store.listRowKeys(userId, { ...none, limit })).items).toEqual([]);
    });

    test('executions that end between pages neither repeat nor hide others', async () => {
      const store = subject();
      const { userId, jobId, dues } = await aLedger(store);
      let later = T0 + 1e9;
      const between = () => store.insertRow(aRow({ userId, due: dueKey(later++) }));
      const pages = await allPages((options) => store.listRowKeys(userId, options), 4, between);
      expect(pages.flat().map(text)).toEqual(dues.map((due) => text({ jobId, due })).reverse());
    });

    test('a row that changes keeps its position', async () => {
      const store = subject();
      const row = aRow({ status: 'QUEUED', number: 0 });
      await store.insertRow(row);
      await store.updateRow(row, { ...row, status: 'RUNNING', number: T0 });
      const { items } = await store.listRowKeys(row.userId, { limit: 5 });
      expect(items).toStrictEqual([{ jobId: row.jobId, due: row.due }]);
    });
  });
}
