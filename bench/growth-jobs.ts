// Writes many jobs at once, as their creates would: heads and entries in the layout of the store, in batches. Ids are
// computed from a number, so that every process knows them.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dueKey } from '../src/domain/executions/ids.ts';
import { type Entry, MINUTE, minuteOf, minuteStart } from '../src/domain/executions/slots.ts';
import type { Head } from '../src/domain/jobs/job.ts';
import { jobSpecSchema } from '../src/domain/jobs/job-spec.ts';
import { resolveSchedule } from '../src/domain/schedule/resolve.ts';
import { inBatches } from '../src/store/dynamodb/retry-unprocessed.ts';
import type { TableName } from '../src/store/dynamodb/tables.ts';
import { headToItem, type Item, rowToItem } from '../src/store/items.ts';
import type { Store } from '../src/store/store.ts';
import { type Endpoints, LOCAL } from './metered.ts';

export const OWNER = 'bench';
/** A minute in which nothing else is due, and the day after it, over which jobs are spread. */
export const FIRST_MINUTE = minuteOf(Date.parse('2030-01-01T00:00:00Z'));
const MINUTES_OF_A_DAY = 1440;
const JOBS_PER_ROUND = 10_000;

const named = (prefix: string, n: number): string =>
  `${prefix}${String(n).padStart(20 - prefix.length, '0')}`;
const jobId = (n: number): string => `job_${named('growth', n)}`;
const revision = (n: number): string => named('r', n).slice(-12);
/** A schedule once a day, at a different second for each job, after the dispatched minutes. */
const dueOf = (n: number): number =>
  minuteStart(FIRST_MINUTE + 60 + (n % MINUTES_OF_A_DAY)) + (Math.floor(n / MINUTES_OF_A_DAY) % 60) * 1000;

const entry = (n: number, due: number): Entry => ({
  at: due,
  jobId: jobId(n),
  revision: revision(n),
  due: dueKey(due),
  kind: 'regular',
});

function headOf(n: number): Head {
  const spec = jobSpecSchema.parse({
    task: 'noop',
    name: `job ${n}`,
    schedule: { every: 'P1D', startAt: new Date(dueOf(n)).toISOString() },
  });
  const { params: _params, notify: _notify, schedule, ...common } = spec;
  const createdAt = Date.parse('2026-01-01T00:00:00Z') + n;
  return {
    ...common,
    jobId: jobId(n),
    userId: OWNER,
    status: 'active',
    schedule: resolveSchedule(schedule, createdAt),
    revision: revision(n),
    version: 1,
    definition: 1,
    createdAt,
    updatedAt: createdAt,
  };
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

export function openFilling(endpoints: Endpoints, prefix: string, store: Store) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ ...LOCAL, endpoint: endpoints.dynamodb }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const backoff = { random: () => 0.5, sleep: (ms: number) => new Promise<void>((r) => setTimeout(r, ms)) };
  const putAll = (table: TableName, items: Item[]) =>
    inBatches<Item>('fill', items, 25, backoff, async (batch) => {
      const RequestItems = { [prefix + table]: batch.map((Item) => ({ PutRequest: { Item } })) };
      const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems }));
      return (UnprocessedItems[prefix + table] ?? []).flatMap(({ PutRequest }) =>
        PutRequest?.Item ? [PutRequest.Item] : [],
      );
    });
  return {
    /** Writes the jobs from `from` to `to` (excluded), each with a head and an entry in some minute of the day. */
    async jobs(from: number, to: number, tell: (done: number) => void): Promise<void> {
      for (let first = from; first < to; first += JOBS_PER_ROUND) {
        const some = range(first, Math.min(first + JOBS_PER_ROUND, to));
        await store.putEntries(some.map((n) => entry(n, dueOf(n))));
        await putAll(
          'jobs',
          some.map((n) => headToItem(headOf(n))),
        );
        tell(first + some.length);
      }
    },
    /** Makes the first `count` jobs due in this minute too, spread over its seconds. */
    async minute(minute: number, count: number): Promise<void> {
      await store.putEntries(range(0, count).map((n) => entry(n, dueIn(minute, n))));
    },
    /** Writes the rows that the executions of the minute would have left in the ledger. */
    async rows(minute: number, count: number): Promise<void> {
      const rows = range(0, count).map((n) => {
        const due = dueIn(minute, n);
        const row = {
          jobId: jobId(n),
          due: dueKey(due),
          userId: OWNER,
          status: 'SUCCEEDED' as const,
          revision: revision(n),
          attempt: 1,
          maxAttempts: 1,
          number: due,
          startedAt: due,
          finishedAt: due,
        };
        return rowToItem(row, 86_400_000);
      });
      await putAll('executions', rows);
    },
    close: () => client.destroy(),
  };
}

const dueIn = (minute: number, n: number): number => minuteStart(minute) + (n % 60) * (MINUTE / 60);
