// The read units of GET /executions/summary, by dynoxide's meter.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { asUser } from '../../../src/domain/principal.ts';
import { MAX_SUMMARIZED, summarizeExecutions } from '../../../src/queries/summarize-executions.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../../src/scheduling/context.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import type { Store } from '../../../src/store/store.ts';
import { startDynoxide } from '../../support/engines.ts';
import { aJobId, anId, aRow, T0 } from '../../support/fixtures.ts';
import { MemoryQueue } from '../../support/memory-queue.ts';

const OWNER = '3f9a1c52-7b8e-4d21-9c0a-5e6f7a8b9c0d';
let store: Store;
let stop: () => Promise<void>;
let [read, written] = [0, 0];

beforeAll(async () => {
  const engine = await startDynoxide();
  stop = engine.stop;
  await createTables(engine.client, '');
  store = createDynamoStore({
    client: engine.client,
    tablePrefix: '',
    shards: DEFAULT_SETTINGS.shards,
    meter: (_operation, _table, units) => {
      read += units.read;
      written += units.write;
    },
  });
});
beforeEach(() => {
  [read, written] = [0, 0];
});
afterAll(() => stop());

const context = (): Context => ({
  store,
  queue: new MemoryQueue(),
  clock: { now: () => T0, monotonic: () => T0, sleep: async () => {} },
  random: { id: anId, float: Math.random },
  log: createLog('silent'),
  settings: DEFAULT_SETTINGS,
});

test('a summary reads at most 1,000 executions and 530 RRU, however many there are, and writes nothing', async () => {
  const jobs = Array.from({ length: 40 }, aJobId);
  const rows = Array.from({ length: MAX_SUMMARIZED + 300 }, (_, i) => {
    const due = T0 - 1 - i * 1_000;
    const startedAt = due + (i % 100);
    return aRow({
      ...{ userId: OWNER, jobId: jobs[i % jobs.length] ?? '', due: dueKey(due) },
      ...{ enqueuedAt: due, receivedAt: due, startedAt, finishedAt: startedAt + 213, attempt: 1 },
    });
  });
  for (let i = 0; i < rows.length; i += 50)
    await Promise.all(rows.slice(i, i + 50).map((row) => store.insertRow(row)));
  [read, written] = [0, 0];
  const summary = await summarizeExecutions(context(), asUser(OWNER), {});
  expect(summary).toMatchObject({
    ...{ lookedAt: MAX_SUMMARIZED, truncated: true, counts: { succeeded: MAX_SUMMARIZED } },
    latenessMs: { p50: 49, p99: 98 },
  });
  expect(summary.worst.map(({ latenessMs }) => latenessMs)).toEqual([99, 99, 99]);
  expect(written).toBe(0);
  expect(read).toBeGreaterThan(400);
  expect(read).toBeLessThanOrEqual(530);
});
