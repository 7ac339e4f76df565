// Lists of a user with 10,000 jobs among 10,000 jobs of others, on dynoxide, while jobs are added and cancelled. The lists are
// complete, have no duplicates, and take a bounded number of read units per page.
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api/handlers/scheduler-routes.ts';
import { createApi } from '../../src/api/http/handler.ts';
import { dueKey } from '../../src/domain/executions/ids.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { definitionToItem, headToItem, rowToItem } from '../../src/store/items.ts';
import { builtinTasks } from '../../src/tasks/registry.ts';
import { caller } from '../support/api-events.ts';
import { startDynoxide } from '../support/engines.ts';
import { aHead, anId, aRow, T0 } from '../support/fixtures.ts';
import { MemoryQueue } from '../support/memory-queue.ts';
import { OPERATORS } from './api.ts';

const EACH = 10_000;
const RUNS = 1_000;
const PAGE = 100;
const SINCE = Date.now() - 3_600_000;

let engine: Awaited<ReturnType<typeof startDynoxide>>;
let call: ReturnType<typeof caller>;
let units = 0;
const fixtures = Array.from({ length: 2 * EACH }, (_, i) => {
  const userId = i % 2 ? 'alice' : `other-${i % 7}`;
  return aHead({ userId, createdAt: SINCE + i, name: i % 100 === 1 ? `rare-${i}` : 'common' });
});
const mine = fixtures.filter(({ userId }) => userId === 'alice');
const rows = mine
  .slice(0, RUNS)
  .map(({ jobId, userId }, i) =>
    aRow({ jobId, userId, due: dueKey(T0 + i), status: i % 50 ? 'SUCCEEDED' : 'FAILED' }),
  );

async function insert(table: string, items: Record<string, unknown>[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, i) =>
    items.slice(i * 25, i * 25 + 25),
  );
  const worker = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const puts = batch.map((item) => ({
        PutRequest: { Item: marshall(item, { removeUndefinedValues: true }) },
      }));
      const RequestItems = { [table]: puts };
      await engine.client.send(new BatchWriteItemCommand({ RequestItems }));
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

beforeAll(async () => {
  engine = await startDynoxide();
  await createTables(engine.client, '');
  const definitions = mine.map(({ jobId }) =>
    definitionToItem({ jobId, version: 1, params: { url: 'https://example.com/hook' }, notify: [] }),
  );
  await insert('jobs', [...fixtures.map((head) => headToItem(head)), ...definitions]);
  await insert(
    'executions',
    rows.map((row) => rowToItem(row, 0)),
  );
  const ctx: Context = {
    store: createDynamoStore({
      client: engine.client,
      tablePrefix: '',
      shards: 16,
      meter: (_operation, _table, { read }) => {
        units += read;
      },
    }),
    queue: new MemoryQueue(),
    clock: systemClock,
    random: systemRandom,
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  };
  call = caller(createApi(routes(ctx, builtinTasks()), { log: ctx.log, operatorsGroup: OPERATORS }));
}, 60_000);
afterAll(() => engine.stop());

/** Reads all pages. Returns them with the maximum number of read units of one page. */
async function walk(path: string, between?: () => Promise<unknown>) {
  const seen: string[] = [];
  let most = 0;
  let pages = 0;
  let cursor = '';
  do {
    units = 0;
    const { status, body } = await call(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}${cursor}`,
    );
    expect(status).toBe(200);
    most = Math.max(most, units);
    pages++;
    seen.push(...body.items.map((item: { id: string }) => item.id));
    await between?.();
    cursor = body.nextCursor ? `&cursor=${body.nextCursor}` : '';
  } while (cursor);
  console.log(`${path}: ${seen.length} items, ${pages} pages, at most ${most} RRU for a page of ${PAGE}`);
  return { seen, most, pages };
}

describe('with 10,000 jobs and 10,000 of others', { timeout: 60_000 }, () => {
  it('GET /jobs: each once, newest first, while jobs are created and cancelled', async () => {
    const created: string[] = [];
    let n = 0;
    const { seen, most, pages } = await walk('/jobs', async () => {
      if (n++ % 3) return;
      const { body } = await call('POST', '/jobs', { body: { task: 'noop', schedule: { in: 'P1D' } } });
      created.push(body.id);
      await call('POST', '/jobs', { body: { task: 'noop', schedule: { in: 'P1D' } }, user: 'other-1' });
      await call('DELETE', `/jobs/${mine[(n * 97) % EACH]?.jobId}`);
    });
    expect(seen).toEqual(mine.map(({ jobId }) => jobId).reverse());
    expect(seen.some((id) => created.includes(id))).toBe(false);
    expect(pages).toBe(EACH / PAGE);
    // 100 summaries of about 700 bytes from an index, and 100 definitions.
    expect(most).toBeLessThan(80);
  });

  it('GET /jobs with a filter that few match: each once, and a page looks at 1000 jobs at most', async () => {
    const { seen, most } = await walk('/jobs?name=rare');
    expect(seen).toEqual(
      mine
        .filter(({ name }) => name?.startsWith('rare'))
        .map(({ jobId }) => jobId)
        .reverse(),
    );
    expect(most).toBeLessThan(200);
  });

  it('GET /executions over all of them, while others end', async () => {
    const later = () =>
      insert('executions', [rowToItem(aRow({ userId: 'alice', due: dueKey(T0 + 1e9) }), 0)]);
    const { seen, most } = await walk('/executions', later);
    expect(seen).toEqual(rows.map(({ jobId, due }) => `${jobId}.${due}`).reverse());
    expect(most).toBeLessThan(70);
  });

  it('GET /dead-letters reads the failed ones alone', async () => {
    const failed = rows
      .filter(({ status }) => status === 'FAILED')
      .map(({ jobId, due }) => `${jobId}.${due}`);
    const { seen, most } = await walk('/dead-letters');
    expect(seen).toEqual([...failed].reverse());
    expect(most).toBeLessThan(70);
    expect((await walk('/executions?status=failed')).seen).toEqual([...failed].reverse());
  });

  it("another user's list is small, and reads little", async () => {
    units = 0;
    const { body } = await call('GET', '/jobs', { user: `nobody-${anId(8)}` });
    expect(body.items).toEqual([]);
    expect(units).toBeLessThanOrEqual(2);
  });
});
