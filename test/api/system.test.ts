// What operators watch: GET /system, GET /forecast and the fields of GET /workers.
import { describe, expect, it } from 'vitest';
import { forecastShape, systemShape } from '../../src/api/contract/operators.ts';
import { workerShape } from '../../src/api/contract/response-schemas.ts';
import { MINUTE, minuteOf } from '../../src/domain/executions/slots.ts';
import { VERSION } from '../../src/runtime/version.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { NOW, OPERATORS, testApi } from './api.ts';

const OPERATOR = { user: 'olga', groups: [OPERATORS] };
const all = Array.from({ length: DEFAULT_SETTINGS.shards }, (_, shard) => shard);
const iso = (time: number) => new Date(time).toISOString();

async function watched() {
  const api = testApi();
  await watch(api.ctx, all, new AbortController().signal);
  return api;
}
const get = async (api: ReturnType<typeof testApi>) =>
  systemShape.parse((await api.call('GET', '/system', OPERATOR)).body);

describe('GET /system', () => {
  it('is refused to those who are no operators, with a sentence', async () => {
    expect(await testApi().call('GET', '/system')).toMatchObject({
      status: 403,
      body: { detail: '/system is for operators only, and the user of this token is not an operator' },
    });
  });

  it('shows version, engine, horizon and the cursors of all shards, without a lag after a pass', async () => {
    const state = await get(await watched());
    expect(state).toMatchObject({
      ...{ version: VERSION, engine: 'aws', readAt: iso(NOW), horizon: iso(NOW + 6 * MINUTE) },
      ...{ lookAheadSeconds: 300, shardCount: 16, dispatchLagSeconds: 0, settleLagSeconds: 0 },
    });
    expect(state.shards.map(({ shard }) => shard)).toEqual(all);
    for (const shard of state.shards)
      expect(shard).toMatchObject({
        ...{ dispatchedUntil: iso(NOW + 6 * MINUTE), dispatchLagSeconds: 0 },
        ...{ settledUntil: iso(NOW - 2 * MINUTE), settleLagSeconds: 0 },
      });
  });

  it('shows the lag of the slowest shard, if a watcher stops', async () => {
    const api = await watched();
    api.tick(10 * MINUTE);
    await watch(api.ctx, all.slice(1), new AbortController().signal);
    const state = await get(api);
    expect(state).toMatchObject({ dispatchLagSeconds: 600, settleLagSeconds: 600 });
    expect(state.shards[0]).toMatchObject({ dispatchLagSeconds: 600, settleLagSeconds: 600 });
    expect(state.shards[1]).toMatchObject({ dispatchLagSeconds: 0, settleLagSeconds: 0 });
  });

  it('leaves out cursors and lags before the first pass', async () => {
    const state = await get(testApi());
    expect(state.shards).toEqual(all.map((shard) => ({ shard })));
    expect(state).not.toHaveProperty('dispatchLagSeconds');
  });

  it('names the embedded engine', async () => {
    const api = testApi();
    Object.assign(api.ctx, { boot: 'b1' });
    expect((await get(api)).engine).toBe('embedded');
  });

  it('is read at most once in five seconds, and again after a failure', async () => {
    const api = await watched();
    const read = api.store.readShard.bind(api.store);
    let reads = 0;
    let fails = true;
    api.store.readShard = async (shard) => {
      reads++;
      if (fails) throw new Error('throttled');
      return read(shard);
    };
    expect((await api.call('GET', '/system', OPERATOR)).status).toBe(500);
    fails = false;
    reads = 0;
    await Promise.all([get(api), get(api), get(api)]);
    expect(reads).toBe(16);
    api.tick(5_000);
    expect((await get(api)).readAt).toBe(iso(NOW + 5_000));
    expect(reads).toBe(32);
  });
});

describe('GET /workers', () => {
  const aWorker = { workerId: 'w1', host: 'h', startedAt: NOW - 600_000, beatAt: NOW, running: [] };
  const list = async (api: ReturnType<typeof testApi>) =>
    (await api.call('GET', '/workers', OPERATOR)).body.items;

  it('shows run slots, version, drain and what ended in each of the last five minutes', async () => {
    const api = testApi();
    const minute = minuteOf(NOW);
    await api.store.putWorker({
      ...aWorker,
      ...{ concurrency: 100, version: '1.2.3', draining: true as const },
      ended: [
        { minute, succeeded: 3 },
        { minute: minute - 2, succeeded: 1, failed: 2, skipped: 4, cancelled: 5 },
      ],
    });
    const none = { succeeded: 0, failed: 0, skipped: 0, cancelled: 0 };
    const [worker] = await list(api);
    expect(workerShape.parse(worker)).toMatchObject({
      ...{ concurrency: 100, version: '1.2.3', draining: true },
      recent: [
        { ...none, at: iso(NOW), succeeded: 3 },
        { ...none, at: iso(NOW - MINUTE) },
        { at: iso(NOW - 2 * MINUTE), succeeded: 1, failed: 2, skipped: 4, cancelled: 5 },
        { ...none, at: iso(NOW - 3 * MINUTE) },
        { ...none, at: iso(NOW - 4 * MINUTE) },
      ],
    });
  });

  it('shows a worker of an earlier version without them', async () => {
    const api = testApi();
    await api.store.putWorker(aWorker);
    const [worker] = await list(api);
    expect(Object.keys(workerShape.parse(worker)).sort()).toEqual([
      ...['host', 'id', 'lastSeenAt', 'running', 'startedAt'],
    ]);
  });
});

describe('GET /forecast', () => {
  const get = async (api: ReturnType<typeof testApi>) =>
    forecastShape.parse((await api.call('GET', '/forecast', OPERATOR)).body);

  it('is refused to those who are no operators, with a sentence', async () => {
    expect(await testApi().call('GET', '/forecast')).toMatchObject({
      status: 403,
      body: { detail: '/forecast is for operators only, and the user of this token is not an operator' },
    });
  });

  it('counts what is due for all users, in each minute up to the horizon', async () => {
    const api = testApi();
    const at = (ms: number) => ({ schedule: { at: iso(NOW + ms) } });
    for (let n = 0; n < 30; n++) await api.create(at(2 * MINUTE), { user: n % 2 ? 'alice' : 'bob' });
    await api.create({ schedule: { every: 'PT10S', startAt: iso(NOW + 4 * MINUTE) } });
    await api.create(at(60 * MINUTE));
    const { items, ...others } = await get(api);
    expect(items.map(({ at, due }) => `${at.slice(11, 16)} ${due}`)).toEqual([
      ...['12:00 0', '12:01 0', '12:02 30', '12:03 0', '12:04 6', '12:05 6'],
    ]);
    expect(others).toEqual({ countedAt: iso(NOW), busiestSecond: 30, truncated: false });
  });

  it('is counted at most once in ten seconds', async () => {
    const api = testApi();
    await get(api);
    await api.create({ schedule: { at: iso(NOW + MINUTE) } });
    expect((await get(api)).items[1]?.due).toBe(0);
    api.tick(10_000);
    const again = await get(api);
    expect([again.countedAt, again.items[1]?.due]).toEqual([iso(NOW + 10_000), 1]);
  });
});
