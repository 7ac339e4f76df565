import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../../src/domain/errors.ts';
import type { HeadSummary, Store } from '../../../src/store/store.ts';
import { aHead, aUser, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

async function insertMany(store: Store, userId: string, count: number, createdAt: (i: number) => number) {
  const heads = Array.from({ length: count }, (_, i) => aHead({ userId, createdAt: createdAt(i) }));
  await Promise.all(heads.map((head) => store.insertHead(head)));
  return heads;
}

const newestFirst = (a: HeadSummary, b: HeadSummary): number =>
  b.createdAt - a.createdAt || (a.jobId < b.jobId ? 1 : -1);

async function allPages(store: Store, userId: string, limit: number): Promise<HeadSummary[][]> {
  const pages: HeadSummary[][] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listHeads(userId, { limit, cursor });
    pages.push([...page.items]);
    cursor = page.next;
  } while (cursor);
  return pages;
}

export function headListsConformance(subject: Subject): void {
  describe('list of the heads of all users', () => {
    test.each([1, 7, 100])(
      'in pages of %i, each exactly once, with all fields of a summary',
      async (limit) => {
        const store = subject();
        const users = [aUser(), `${aUser()}@example.com`, `${aUser()}#3@x`];
        const heads = await Promise.all(users.map((user) => insertMany(store, user, 7, (i) => T0 + (i % 3))));
        const own = new Set(heads.flat().map(({ jobId }) => jobId));
        const found: HeadSummary[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.listAllHeads({ limit, ...(cursor !== undefined && { cursor }) });
          expect(page.items.length).toBeLessThanOrEqual(limit);
          found.push(...page.items.filter(({ jobId }) => own.has(jobId)));
          cursor = page.next;
        } while (cursor !== undefined);
        const byId = (a: HeadSummary, b: HeadSummary) => (a.jobId < b.jobId ? -1 : 1);
        expect(found.sort(byId)).toStrictEqual(heads.flat().sort(byId));
      },
    );

    test('an invalid cursor is refused', async () => {
      await expect(subject().listAllHeads({ limit: 10, cursor: 'x' })).rejects.toThrow(InvalidInput);
    });
  });

  describe('list of heads', () => {
    test.each([1, 7, 20, 100])('newest first in pages of %i, each exactly once', async (limit) => {
      const store = subject();
      const userId = aUser();
      // some of the same millisecond, in no order
      const heads = await insertMany(store, userId, 40, (i) => T0 + ((i * 7) % 13));
      const pages = await allPages(store, userId, limit);
      const wanted = [...heads].sort(newestFirst).map((head) => head.jobId);
      expect(pages.flat().map((head) => head.jobId)).toEqual(wanted);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      expect(pages).toHaveLength(Math.ceil(40 / limit));
    });

    test('a summary has all its fields, and none that a run changes', async () => {
      const store = subject();
      const head = aHead({ lock: { due: '1', number: 1 }, coveredUntil: '1', bodyFingerprint: 'f' });
      await store.insertHead(head);
      const { lock, coveredUntil, ...summary } = head;
      const page = await store.listHeads(head.userId, { limit: 10 });
      expect(page.items).toStrictEqual([summary]);
      expect(page.next).toBeUndefined();
    });

    test('a list shows the head as it was last edited', async () => {
      const store = subject();
      const head = aHead();
      await store.insertHead(head);
      await store.updateHead(head, {
        status: 'paused',
        version: 2,
        tags: {},
      });
      const [item] = (await store.listHeads(head.userId, { limit: 10 })).items;
      expect([item?.status, item?.version, item?.tags]).toEqual(['paused', 2, {}]);
    });

    test('definitions, checkpoints and waits are not jobs', async () => {
      const store = subject();
      const head = aHead();
      await store.insertHead(head);
      await store.putDefinition({ jobId: head.jobId, version: 1, params: { a: 1 }, notify: [] });
      await store.putCheckpoint({ jobId: head.jobId, due: '1' }, 1, { page: 1 });
      await store.putWait({ jobId: head.jobId, due: '1' }, T0);
      expect((await store.listHeads(head.userId, { limit: 10 })).items).toHaveLength(1);
    });

    test('jobs that are added between pages neither repeat nor hide others', async () => {
      const store = subject();
      const userId = aUser();
      const heads = await insertMany(store, userId, 30, (i) => T0 + i * 10);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.listHeads(userId, { limit: 4, cursor });
        seen.push(...page.items.map((head) => head.jobId));
        cursor = page.next;
        await insertMany(store, userId, 5, (i) => T0 + 1_000_000 + i);
      } while (cursor);
      expect(seen).toEqual([...heads].sort(newestFirst).map((head) => head.jobId));
    });

    test("a user sees no other user's jobs, also if the names look like index keys", async () => {
      const store = subject();
      const userId = aUser();
      const mine = await insertMany(store, userId, 5, (i) => T0 + i);
      for (const other of [`${userId}#1`, `${userId}#`, userId.slice(0, -1)]) {
        await insertMany(store, other, 5, (i) => T0 + i);
      }
      const { items } = await store.listHeads(userId, { limit: 100 });
      expect(items.map((head) => head.jobId).sort()).toEqual(mine.map((head) => head.jobId).sort());
    });

    test('a user without jobs has an empty list', async () => {
      expect(await subject().listHeads(aUser(), { limit: 10 })).toEqual({ items: [], next: undefined });
    });

    test.each(['', 'nonsense', '%%%', 'MTIz'])("'%s' is refused as a cursor", async (cursor) => {
      await expect(subject().listHeads(aUser(), { limit: 10, cursor })).rejects.toThrow(InvalidInput);
    });
  });
}
