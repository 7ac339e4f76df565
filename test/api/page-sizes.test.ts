// A page of a list ends at 1 MB of bodies, and its cursor leads to the rest. Only a single item may be larger.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { startDynoxide } from '../support/engines.ts';
import { aBoot, aRow, T0 } from '../support/fixtures.ts';
import { aFile } from '../support/sqlite-file.ts';
import { NOW, testApi } from './api.ts';

const MB = 1_000_000;
/** Views have more fields than what is stored, and a page has a cursor. */
const MARGIN = 100_000;

type Api = Pick<ReturnType<typeof testApi>, 'call' | 'tick'>;

let dynoxide: Awaited<ReturnType<typeof startDynoxide>>;
const closing: (() => void | Promise<void>)[] = [];

beforeAll(async () => {
  dynoxide = await startDynoxide();
});
afterAll(() => dynoxide.stop());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const STORES: Readonly<Record<string, () => Promise<Store> | undefined>> = {
  memory: () => undefined,
  SQLite: async () => {
    const sqlite = await openSqliteStore({ file: aFile(), boot: aBoot(T0), shards: 16, retentionDays: 90 });
    closing.push(() => sqlite.close());
    return sqlite.store;
  },
  DynamoDB: async () => {
    const tablePrefix = `test-${tables++}-`;
    await createTables(dynoxide.client, tablePrefix);
    return createDynamoStore({ client: dynoxide.client, tablePrefix, shards: 16 });
  },
};

let users = 0;
let tables = 0;

/** Follows the cursors, and notes the bytes of each page. */
async function pagesOf({ call }: Api, path: string, user: string) {
  const items: { id?: string }[] = [];
  const sizes: number[] = [];
  const counts: number[] = [];
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { status, body } = await call('GET', `${path}${next}`, { user });
    expect(status).toBe(200);
    items.push(...body.items);
    counts.push(body.items.length);
    sizes.push(JSON.stringify(body).length);
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return { items, sizes, counts };
}

describe.each(Object.entries(STORES))('on %s', (_name, open) => {
  it('jobs with large params come in pages of 1 MB, and all of them', async () => {
    const store = await open();
    const api = testApi({ ...(store && { store: store as never }) });
    const user = `pages-${users++}`;
    const text = 'x'.repeat(240_000);
    for (let i = 0; i < 22; i++) {
      const params = i % 11 === 5 ? {} : { result: `${i}${text}` };
      const body = { task: 'noop', params, schedule: { every: 'PT1H' } };
      expect((await api.call('POST', '/jobs', { body, user })).status).toBe(201);
      api.tick();
    }
    const { items, sizes } = await pagesOf(api, '/jobs?limit=100', user);
    expect(new Set(items.map(({ id }) => id)).size).toBe(22);
    expect(Math.max(...sizes)).toBeLessThan(MB + MARGIN);
    expect(sizes.length).toBeLessThan(8);
    const summaries = await pagesOf(api, '/jobs?limit=100&view=summary', user);
    expect(summaries.sizes).toHaveLength(1);
  });

  it('a page may have a single item that is larger; names, filters and edits do not matter', async () => {
    const store = await open();
    const api = testApi({ ...(store && { store: store as never }) });
    const user = `pages-${users++}`;
    const create = (n: number) =>
      api.call('POST', '/jobs', {
        body: {
          task: 'noop',
          name: n % 2 ? 'odd' : 'even',
          params: { result: 1 },
          schedule: { every: 'PT1H' },
        },
        user,
      });
    for (let i = 0; i < 10; i++) {
      const { body } = await create(i);
      const params = { result: 'y'.repeat(200_000) };
      expect((await api.call('PATCH', `/jobs/${body.id}`, { body: { params }, user })).status).toBe(200);
      api.tick();
    }
    const { items, counts } = await pagesOf(api, '/jobs?limit=100&name=odd', user);
    expect(items).toHaveLength(5);
    expect(counts).toEqual([4, 1]);
  });

  it('executions and dead letters with large params, results and errors come in pages of 1 MB', async () => {
    const store = await open();
    const api = testApi({ ...(store && { store: store as never }) });
    const { store: used } = api.ctx;
    const user = `pages-${users++}`;
    const { body: job } = await api.call('POST', '/jobs', {
      body: { task: 'noop', schedule: { every: 'PT1H' } },
      user,
    });
    const row = (n: number): Row =>
      aRow({
        ...{ jobId: job.id, userId: user, due: dueKey(NOW - 3_600_000 * (n + 1)), status: 'FAILED' },
        params: { text: 'p'.repeat(30_000) },
        result: 'r'.repeat(4_000),
        error: { name: 'Error', message: 'm'.repeat(1_000) },
      });
    for (let n = 0; n < 60; n++) expect(await used.insertRow(row(n))).toBe(true);
    for (const path of [
      '/executions?limit=100',
      '/executions?limit=100&status=failed',
      '/dead-letters?limit=100',
      `/jobs/${job.id}/executions?limit=100`,
    ]) {
      const { items, sizes } = await pagesOf(api, path, user);
      expect(new Set(items.map(({ id }) => id)).size, path).toBe(60);
      expect(Math.max(...sizes), path).toBeLessThan(MB + MARGIN);
    }
    // no item of such a page is wanted, and the cursor still leads to the end
    const none = await pagesOf(api, '/executions?limit=100&status=succeeded', user);
    expect(none.items).toEqual([]);
  });
});

describe('the records of changes', () => {
  it('with long tags and notes come in pages of 1 MB', async () => {
    const api = testApi();
    const { body: job } = await api.call('POST', '/jobs', {
      body: { task: 'noop', schedule: { every: 'PT1H' } },
    });
    const tags = (n: number) =>
      Object.fromEntries(
        Array.from({ length: 10 }, (_, k) => [`${k}${'字'.repeat(60)}`, `${n}${'字'.repeat(120)}`]),
      );
    for (let n = 0; n < 100; n++) {
      const body = { tags: tags(n), note: '字'.repeat(500) };
      expect((await api.call('PATCH', `/jobs/${job.id}`, { body })).status).toBe(200);
      api.tick();
    }
    const { items, sizes, counts } = await pagesOf(api, `/jobs/${job.id}/changes?limit=100`, 'alice');
    expect(items).toHaveLength(101);
    expect(counts.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(MB + MARGIN);
  });
});
