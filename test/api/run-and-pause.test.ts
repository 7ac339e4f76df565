// Bodies of `POST /jobs/{id}/run` and `/pause`: params for one run, and a pause with an end.
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/api/contract/contract.ts';
import { dueAtOf } from '../../src/domain/executions/ids.ts';
import { NOW, testApi } from './api.ts';

const iso = (time: number) => new Date(time).toISOString();
const MINUTE = 60_000;

it('every operation of POST, PUT and PATCH refuses a body with fields that it does not know', async () => {
  const withBody = operations.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method));
  const api = testApi();
  const { id } = await api.create({ schedule: { every: 'PT1H' } });
  const { body: run } = await api.call('POST', `/jobs/${id}/run`);
  for (const { method, path, body } of withBody) {
    const url = path
      .replace('/jobs/{id}', `/jobs/${id}`)
      .replace('/executions/{id}', `/executions/${run.id}`)
      .replace('{namespace}/{name}', 'a/b');
    const answer = await api.call(method, url, { body: { surprise: 1 } });
    expect([method, path, answer.status]).toEqual([method, path, 400]);
    expect(body, path).toBeDefined();
  }
});

describe('run', () => {
  it('takes params for this run, and keeps them for its retries', async () => {
    const { call, create, endRow, store } = testApi();
    const { id } = await create({ params: { result: 'usual' }, schedule: { every: 'PT1H' } });
    const answer = await call('POST', `/jobs/${id}/run`, { body: { params: { result: 'other' } } });
    expect(answer).toMatchObject({ status: 202, body: { params: { result: 'other' } } });
    await endRow(answer.body.id, 'FAILED');
    const again = await call('POST', `/executions/${answer.body.id}/retry`);
    expect(again).toMatchObject({ status: 202, body: { params: { result: 'other' } } });
    expect(store.snapshot().rows.map(({ params }) => params)).toEqual([{ result: 'other' }]);
    expect((await call('GET', `/jobs/${id}`)).body.params).toEqual({ result: 'usual' });
  });

  it("refuses params that the task does not take, with the field's name, and leaves nothing behind", async () => {
    const { call, create, stored } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' } });
    const before = stored();
    const answer = await call('POST', `/jobs/${id}/run`, { body: { params: { durationMs: 'long' } } });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'params.durationMs' }] } });
    const large = await call('POST', `/jobs/${id}/run`, { body: { params: { result: 'x'.repeat(40_000) } } });
    expect(large).toMatchObject({ status: 400, body: { errors: [{ path: 'params' }] } });
    expect(large.body.errors[0].message).toMatch(/at most 32768 bytes of JSON for a single run, got \d+/);
    expect(stored()).toBe(before);
  });

  it("refuses an operator's params that would send the owner's secrets", async () => {
    const { call, create, stored } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' } });
    const before = stored();
    const operator = { user: 'olga', groups: ['punctual-operators'] };
    const body = { params: { result: { token: { $secret: 'api-key' } } } };
    const answer = await call('POST', `/jobs/${id}/run`, { ...operator, body });
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toContain('while params refer to secrets');
    expect(stored()).toBe(before);
    expect((await call('POST', `/jobs/${id}/run`, { ...operator, body: { params: {} } })).status).toBe(202);
  });
});

it("an operator's retry of a run whose own params refer to secrets is refused", async () => {
  const { call, create, endRow } = testApi();
  const { id } = await create({ schedule: { every: 'PT1H' } });
  const body = { params: { result: { $secret: 'api-key' } } };
  const { body: run } = await call('POST', `/jobs/${id}/run`, { body });
  await endRow(run.id, 'FAILED');
  const operator = { user: 'olga', groups: ['punctual-operators'] };
  expect((await call('POST', `/executions/${run.id}/retry`, operator)).status).toBe(403);
  expect((await call('POST', `/executions/${run.id}/retry`)).status).toBe(202);
});

describe('pause with `until`', () => {
  it('nothing is planned before it, and the job goes on by itself after it', async () => {
    const { call, create, store, tick } = testApi();
    const { id } = await create({ schedule: { every: 'PT10M', startAt: iso(NOW) } });
    const until = NOW + 25 * MINUTE;
    const paused = await call('POST', `/jobs/${id}/pause`, { body: { until: iso(until), note: 'release' } });
    expect(paused).toMatchObject({
      status: 200,
      body: { status: 'paused', pausedUntil: iso(until), nextRunAt: iso(NOW + 30 * MINUTE) },
    });
    const head = await store.readHead(id, { consistent: true });
    const planned = store.snapshot().entries.filter(({ revision }) => revision === head?.revision);
    expect(planned.map(({ due }) => dueAtOf(due))).toEqual([NOW + 30 * MINUTE]);
    const upcoming = await call('GET', `/jobs/${id}/executions?status=scheduled&limit=1`);
    expect(upcoming.body.items[0].dueAt).toBe(iso(NOW + 30 * MINUTE));
    expect((await call('GET', '/jobs?status=paused')).body.items).toHaveLength(1);

    tick(26 * MINUTE);
    const { body } = await call('GET', `/jobs/${id}`);
    expect(body).toMatchObject({ status: 'active', nextRunAt: iso(NOW + 30 * MINUTE) });
    expect(body).not.toHaveProperty('pausedUntil');
  });

  it('an edit that loses a race against it leaves nothing that runs during the pause', async () => {
    const { call, create, store } = testApi();
    const { id } = await create({ schedule: { every: 'PT10M', startAt: iso(NOW) } });
    const until = NOW + 65 * MINUTE;
    const update = store.updateHead.bind(store);
    store.updateHead = async (seen, change) => {
      store.updateHead = update;
      await call('POST', `/jobs/${id}/pause`, { body: { until: iso(until) } });
      return update(seen, change);
    };
    const schedule = { every: 'PT1M', startAt: iso(NOW) };
    expect((await call('PATCH', `/jobs/${id}`, { body: { schedule } })).body.status).toBe('paused');
    const head = await store.readHead(id, { consistent: true });
    const live = store.snapshot().entries.filter(({ revision }) => revision === head?.revision);
    expect(live.map(({ due }) => dueAtOf(due)).filter((due) => due < until)).toEqual([]);
    expect(live.length).toBeGreaterThan(0);
  });

  it('is recorded with its end, and an early resume too', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT10M', startAt: iso(NOW) } });
    const pausedUntil = iso(NOW + 25 * MINUTE);
    await call('POST', `/jobs/${id}/pause`, { body: { until: pausedUntil } });
    await call('POST', `/jobs/${id}/resume`);
    expect((await call('GET', `/jobs/${id}/changes`)).body.items).toMatchObject([
      { what: 'resumed', before: { status: 'paused', pausedUntil }, after: { status: 'active' } },
      { what: 'paused', before: { status: 'active' }, after: { status: 'paused', pausedUntil } },
      { what: 'created' },
    ]);
  });

  it('can be ended before, replaced, and made endless', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT10M', startAt: iso(NOW) } });
    const pause = async (body?: object) => (await call('POST', `/jobs/${id}/pause`, { body })).body;
    await pause({ until: iso(NOW + 25 * MINUTE) });
    expect(await pause({ until: iso(NOW + 45 * MINUTE) })).toMatchObject({
      pausedUntil: iso(NOW + 45 * MINUTE),
      nextRunAt: iso(NOW + 50 * MINUTE),
    });
    expect((await call('POST', `/jobs/${id}/resume`)).body).toMatchObject({
      status: 'active',
      nextRunAt: iso(NOW + 10 * MINUTE),
    });
    await pause({ until: iso(NOW + 25 * MINUTE) });
    const endless = await pause();
    expect(endless).toMatchObject({ status: 'paused' });
    expect(endless).not.toHaveProperty('nextRunAt');
    expect(endless).not.toHaveProperty('pausedUntil');
  });

  it('an edit of the schedule keeps the pause', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT10M', startAt: iso(NOW) } });
    await call('POST', `/jobs/${id}/pause`, { body: { until: iso(NOW + 25 * MINUTE) } });
    const schedule = { every: 'PT7M', startAt: iso(NOW) };
    expect((await call('PATCH', `/jobs/${id}`, { body: { schedule } })).body).toMatchObject({
      status: 'paused',
      nextRunAt: iso(NOW + 28 * MINUTE),
    });
  });

  it('is refused in the past (400), and where no run would follow (422), and changes nothing', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { in: 'PT5M' } });
    const past = await call('POST', `/jobs/${id}/pause`, { body: { until: iso(NOW) } });
    expect(past).toMatchObject({ status: 400, body: { errors: [{ path: 'until' }] } });
    const never = await call('POST', `/jobs/${id}/pause`, { body: { until: iso(NOW + 10 * MINUTE) } });
    expect(never.status).toBe(422);
    expect(never.body.detail).toContain('has no occurrence after');
    expect((await call('GET', `/jobs/${id}`)).body).toMatchObject({ status: 'active', version: 1 });
  });
});
