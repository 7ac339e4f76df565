// Concurrent edits never mix: a run has the params of exactly one accepted request.
import { expect, it } from 'vitest';
import { testApi } from './api.ts';

/** Delays the definition of `late` until all other writes are done. */
function holdBack(api: ReturnType<typeof testApi>, late: (params: unknown) => boolean) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const put = api.store.putDefinition.bind(api.store);
  api.store.putDefinition = async (definition) => {
    if (late(definition.params)) await promise;
    return put(definition);
  };
  return resolve;
}

let floats = 0;
const varied = (api: ReturnType<typeof testApi>) =>
  Object.assign(api.ctx.random, { float: () => (floats = (floats + 0.137) % 1) });

it('two creates with one key and different bodies: the job has the params of the one that was answered with 201', async () => {
  const api = testApi();
  varied(api);
  const release = holdBack(api, (params) => (params as { durationMs: number }).durationMs === 2);
  const headers = { 'idempotency-key': 'k' };
  const create = (durationMs: number) =>
    api.call('POST', '/jobs', {
      headers,
      body: { task: 'noop', params: { durationMs }, schedule: { every: 'P1D' } },
    });
  const loser = create(2);
  const winner = await create(1);
  release();
  expect([winner.status, (await loser).status]).toEqual([201, 409]);
  expect((await api.call('GET', `/jobs/${winner.body.id}`)).body.params).toEqual({ durationMs: 1 });
});

it('two edits at once: whoever is refused leaves nothing of theirs in the job', async () => {
  const api = testApi();
  varied(api);
  const { id } = await api.create({ schedule: { every: 'P1D' }, params: { durationMs: 0 } });
  const release = holdBack(api, (params) => (params as { durationMs: number }).durationMs === 2);
  const edit = (durationMs: number) =>
    api.call('PATCH', `/jobs/${id}`, { headers: { 'if-match': '"1"' }, body: { params: { durationMs } } });
  const loser = edit(2);
  expect((await edit(1)).status).toBe(200);
  api.ctx.clock.sleep = async () => {};
  release();
  expect((await loser).status).toBe(412);
  expect((await api.call('GET', `/jobs/${id}`)).body.params).toEqual({ durationMs: 1 });
});
