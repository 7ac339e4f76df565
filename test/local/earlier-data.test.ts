// The present version starts on data that earlier versions have written (test/fixtures/make-data.ts), and goes on with it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createClient, type Execution, type Job } from '../../src/client/client.ts';
import { restore } from '../../src/local/backup-database.ts';
import { signToken, tokenKey } from '../../src/local/tokens.ts';
import { SCHEMA_VERSION } from '../../src/store/sqlite/schema.ts';
import { startLocal, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const files = readdirSync(FIXTURES).filter((name) => name.endsWith('.db.gz'));
const SHIFTED = new URL('../runtime/clock/shifted.mjs', import.meta.url).href;

it('there is data of the present schema', () => {
  expect(files).toContain(`data-schema-${SCHEMA_VERSION}.db.gz`);
});

/** All files are tested at the same time, each with thousands of executions. */
const PATIENT = { withinMs: 180_000, everyMs: 200 };

const query = (file: string, sql: string): unknown => {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.values(db.prepare(sql).get() ?? {})[0];
  } finally {
    db.close();
  }
};

// each file has a server of its own, which mostly waits for fire times
describe.concurrent.each(files)('%s', (name) => {
  it('is migrated, and everything in it goes on', async ({ expect, onTestFinished }) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const data = join(folder.path, 'data');
    const copy = join(folder.path, 'copy.db');
    writeFileSync(copy, gunzipSync(readFileSync(join(FIXTURES, name))));
    await restore(data, copy);
    const madeAt = Number(query(copy, 'SELECT max(startedAt) FROM boots'));
    // five minutes later by the server's clock: years later, nothing of it would be left to do
    const now = madeAt + 300_000;
    const server = await startLocal(data, {
      ...{ PUNCTUAL_RETENTION_DAYS: '3650', CLOCK_SHIFT_MS: String(now - Date.now()) },
      NODE_OPTIONS: `--import=${SHIFTED}`,
    });
    try {
      const token = await signToken(await tokenKey(data), 'me');
      const client = createClient({ baseUrl: server.url, token });
      const jobs = new Map<string, Job>();
      for await (const job of client.jobs.list()) jobs.set(job.name ?? '', job);
      const idOf = (job: string): string => {
        const found = jobs.get(job);
        if (!found) throw new Error(`there is no job ${job}; there are ${[...jobs.keys()]}`);
        return found.id;
      };
      const executionsOf = async (job: string): Promise<Execution[]> => {
        const found: Execution[] = [];
        for await (const one of client.executions.ofJob(idOf(job), { limit: 100 })) found.push(one);
        return found;
      };
      const has = (job: string, is: (one: Execution) => boolean) =>
        until(`${job} has such an execution`, async () => (await executionsOf(job)).some(is), {
          ...PATIENT,
          detail: server.output,
        });
      const succeeded = ({ status }: Execution) => status === 'succeeded';
      const isNew = ({ dueAt }: Execution) => Date.parse(dueAt) >= now;

      expect(query(join(data, 'punctual.db'), 'PRAGMA user_version')).toBe(SCHEMA_VERSION);
      expect(query(join(data, 'punctual.db'), 'PRAGMA integrity_check')).toBe('ok');
      // what has ended is still there
      expect((await executionsOf('tick')).some((one) => succeeded(one) && !isNew(one))).toBe(true);
      expect(await executionsOf('done')).toMatchObject([{ status: 'succeeded' }]);
      expect(await executionsOf('failed')).toMatchObject([{ status: 'failed' }]);
      expect(jobs.get('cancelled')).toMatchObject({ status: 'cancelled' });
      expect(jobs.get('paused')).toMatchObject({ status: 'paused' });
      // schema 5 was the first with log lines
      const [logged] = jobs.has('logged') ? await executionsOf('logged') : [];
      if (logged)
        expect((await client.executions.logs(logged.id)).items).toMatchObject([
          { message: 'start counting' },
        ]);
      else expect(Number(/schema-(\d+)/.exec(name)?.[1])).toBeLessThan(5);
      const changes = async (job: string) => (await client.jobs.changes(idOf(job)).page()).items;
      expect((await changes('paused')).map(({ what, note }) => [what, note])).toEqual([
        ['paused', 'until the move is over'],
        ['created', undefined],
      ]);
      expect((await changes('edited')).map(({ what }) => what)).toEqual([
        'resumed',
        'paused',
        'edited',
        'created',
      ]);
      // what had not ended goes on
      await has('later', succeeded);
      await has('long', (one) => succeeded(one) && one.attempt === 2);
      await has('retrying', (one) => succeeded(one) && one.attempt === 2);
      for (const job of ['tick', 'edited', 'beside']) await has(job, (one) => succeeded(one) && isNew(one));
      // its occurrences wait for each other: those of before the backup come first
      await has('queue', (one) => succeeded(one) && Date.parse(one.timeline.startedAt ?? '') >= now);
      const operation = String(query(copy, 'SELECT id FROM operations'));
      await until(
        'the backfill ends',
        async () => (await client.operations.get(operation)).status === 'done',
        PATIENT,
      );
      const { done, total, refused } = await client.operations.get(operation);
      expect({ done, refused }).toEqual({ done: total, refused: [] });
      expect(total).toBeGreaterThan(800);
      expect((await executionsOf('paused')).some(isNew), 'a paused job stays paused').toBe(false);
    } finally {
      await server.stop();
    }
  }, 240_000);
});
