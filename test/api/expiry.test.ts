// Jobs that have ended expire, with all that is stored of them: through REST, on SQLite, on virtual time.
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import type { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { SHARDS } from '../store/conformance.ts';
import { aStore } from '../support/sqlite-file.ts';
import { NOW, testApi } from './api.ts';

const DAY = 86_400_000;
const RETENTION_DAYS = 10;
const iso = (time: number) => new Date(time).toISOString();
const TABLES = ['heads', 'definitions', 'changes', 'names', 'executions', 'notices'];

/** An API on a database file. `expire` moves the clock and lets expired rows go. All slots are settled until `settled`. */
async function aWorld() {
  const opened = await aStore(undefined, RETENTION_DAYS, NOW);
  const { store } = opened;
  for (let shard = 0; shard < SHARDS; shard++)
    await store.insertShard({ shard, token: 't', leaseUntil: 0, dispatchedUntil: 0, settledUntil: 0 });
  // what the helper of these tests does with the store, each store can
  const api = testApi({ store: store as MemoryStore });
  let now = NOW;
  return {
    ...api,
    async expire(at: number, settled = at) {
      api.tick(at - now);
      now = at;
      for (let shard = 0; shard < SHARDS; shard++)
        await store.commitShard(shard, 't', { leaseUntil: 0, settledUntil: minuteOf(settled) });
      opened.expire(at);
      for (let before = -1, { expired } = await opened.stats(); expired !== before; ) {
        before = expired;
        await new Promise((resolve) => setTimeout(resolve, 50));
        ({ expired } = await opened.stats());
      }
    },
    /** The tables with rows. */
    left() {
      const db = new DatabaseSync(opened.file, { readOnly: true });
      const count = (table: string) =>
        Number(Object.values(db.prepare(`SELECT count(*) FROM ${table}`).get() ?? {})[0]);
      const found = TABLES.filter((table) => count(table) > 0);
      db.close();
      return found;
    },
  };
}

const BIG = { result: 'x'.repeat(2_000) };

describe('a one-time job', () => {
  test('expires with the retention after its time, with definition, changes and name', async () => {
    const { call, expire, left } = await aWorld();
    const body = { task: 'noop', params: BIG, schedule: { at: iso(NOW + DAY) } };
    expect((await call('PUT', '/jobs/by-name/shop/bill', { body })).status).toBe(201);
    await expire(NOW + (1 + RETENTION_DAYS) * DAY);
    expect(left()).toEqual(['heads', 'definitions', 'changes', 'names']);
    await expire(NOW + (1 + RETENTION_DAYS) * DAY + 120_000);
    expect(left()).toEqual([]);
    expect((await call('GET', '/jobs/by-name/shop/bill')).status).toBe(404);
    const again = { ...body, schedule: { every: 'PT1H' } };
    expect((await call('PUT', '/jobs/by-name/shop/bill', { body: again })).status).toBe(201);
  });

  test('stays while its time is not settled, however long the server was off', async () => {
    const { create, call, expire } = await aWorld();
    const { id } = await create({ schedule: { at: iso(NOW + DAY) } });
    await expire(NOW + 400 * DAY, NOW);
    expect((await call('GET', `/jobs/${id}`)).status).toBe(200);
  });

  test('stays as long as an execution that was run by hand later', async () => {
    const { create, call, endRow, expire, left } = await aWorld();
    const { id } = await create({});
    await expire(NOW + 9 * DAY);
    const { body: run } = await call('POST', `/jobs/${id}/run`);
    await endRow(run.id, 'SUCCEEDED');
    await expire(NOW + 18 * DAY);
    expect((await call('GET', `/executions/${run.id}`)).status).toBe(200);
    await expire(NOW + 20 * DAY);
    expect(left()).toEqual([]);
  });

  test('an idempotency key is free again with its job', async () => {
    const { call, expire } = await aWorld();
    const request = { body: { task: 'noop' }, headers: { 'idempotency-key': 'k' } };
    const create = async () => (await call('POST', '/jobs', request)).body;
    const first = await create();
    await expire(NOW + 9 * DAY);
    expect(await create()).toMatchObject({ id: first.id, createdAt: iso(NOW) });
    await expire(NOW + 11 * DAY);
    expect(await create()).toMatchObject({ id: first.id, createdAt: iso(NOW + 11 * DAY) });
  });
});

describe('a recurring job', () => {
  const hourly = { schedule: { every: 'PT1H' } };

  test('without an end stays', async () => {
    const { create, call, expire } = await aWorld();
    const { id } = await create(hourly);
    await expire(NOW + 1_000 * DAY);
    expect((await call('GET', `/jobs/${id}`)).status).toBe(200);
  });

  test('expires after its cancel, with every definition and change', async () => {
    const { create, call, expire, left } = await aWorld();
    const { id } = await create({ ...hourly, params: BIG });
    for (const result of ['a', 'b'])
      await call('PATCH', `/jobs/${id}`, { body: { params: { ...BIG, result } } });
    await expire(NOW + 100 * DAY);
    await call('DELETE', `/jobs/${id}`);
    await expire(NOW + 109 * DAY);
    expect(left()).toEqual(['heads', 'definitions', 'changes']);
    await expire(NOW + 111 * DAY);
    expect(left()).toEqual([]);
  });

  test.each([
    { kind: 'endAt', schedule: { every: 'PT1H', endAt: iso(NOW + 5 * DAY) }, days: 5 },
    { kind: 'a cron with a year', schedule: { cron: '0 0 12 1 12 ? 2026' }, days: 46 },
  ])('with an end by $kind expires after it', async ({ schedule, days }) => {
    const { create, expire, left } = await aWorld();
    await create({ schedule });
    await expire(NOW + (days + 9) * DAY);
    expect(left()).toContain('heads');
    await expire(NOW + (days + 12) * DAY);
    expect(left()).toEqual([]);
  });

  test('whose end an edit moves or removes expires after the new one', async () => {
    const { create, call, expire, left } = await aWorld();
    const { id } = await create({ schedule: { every: 'PT1H', endAt: iso(NOW + 5 * DAY) } });
    const edit = (schedule: object) => call('PATCH', `/jobs/${id}`, { body: { schedule } });
    expect((await edit({ every: 'PT2H' })).status).toBe(200);
    await expire(NOW + 100 * DAY);
    expect(left()).toContain('heads');
    expect((await edit({ every: 'PT2H', endAt: iso(NOW + 101 * DAY) })).status).toBe(200);
    await expire(NOW + 110 * DAY);
    expect(left()).toContain('heads');
    await expire(NOW + 112 * DAY);
    expect(left()).toEqual([]);
  });
});
