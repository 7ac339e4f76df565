import { describe, expect, it } from 'vitest';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { testApi } from './api.ts';

const HOUR = 3_600_000;

describe('PATCH /jobs/{id}', () => {
  it('replaces what is given and leaves the rest, retry and misfire field by field', async () => {
    const { call, create } = testApi();
    const job = await create({
      name: 'a',
      tags: { team: 'x', env: 'prod' },
      retry: { maxAttempts: 7, backoffSeconds: 5 },
      misfire: { policy: 'skip', graceSeconds: 5 },
      params: { durationMs: 1 },
      schedule: { every: 'PT1H' },
    });
    const { status, body, headers } = await call('PATCH', `/jobs/${job.id}`, {
      body: { name: 'b', tags: { team: 'y' }, retry: { maxAttempts: 2 }, misfire: { policy: 'runAll' } },
    });
    expect(status).toBe(200);
    expect(headers.etag).toBe('"2"');
    expect(body).toEqual({
      ...job,
      name: 'b',
      tags: { team: 'y' },
      retry: { maxAttempts: 2, backoffSeconds: 5, maxBackoffSeconds: 900 },
      misfire: { policy: 'runAll', graceSeconds: 5 },
      version: 2,
    });
    expect((await call('GET', `/jobs/${job.id}`)).body).toEqual(body);
  });

  it('replaces the limit as a whole, and null removes it', async () => {
    const { call, create } = testApi();
    const job = await create({ schedule: { every: 'PT1H' }, limit: { key: 'db', concurrent: 3 } });
    expect(job.limit).toEqual({ key: 'db', concurrent: 3 });
    const edit = async (limit: unknown) => call('PATCH', `/jobs/${job.id}`, { body: { limit } });
    expect((await edit({ key: 'mail', concurrent: 1 })).body.limit).toEqual({ key: 'mail', concurrent: 1 });
    expect((await call('PATCH', `/jobs/${job.id}`, { body: { name: 'x' } })).body.limit).toBeDefined();
    const { status, body } = await edit(null);
    expect([status, body.limit]).toEqual([200, undefined]);
    expect((await call('GET', `/jobs/${job.id}`)).body.limit).toBeUndefined();
  });

  it.each([
    [{ key: '', concurrent: 1 }, 'limit.key'],
    [{ key: ' db', concurrent: 1 }, 'limit.key'],
    [{ key: 'a\nb', concurrent: 1 }, 'limit.key'],
    [{ key: 'x'.repeat(65), concurrent: 1 }, 'limit.key'],
    [{ key: 'db', concurrent: 0 }, 'limit.concurrent'],
    [{ key: 'db', concurrent: 101 }, 'limit.concurrent'],
    [{ key: 'db', concurrent: 1.5 }, 'limit.concurrent'],
    [{ key: 'db' }, 'limit.concurrent'],
    [{ concurrent: 1 }, 'limit.key'],
    [{ key: 'db', concurrent: 1, per: 'job' }, 'limit.per'],
  ])('refuses the limit %j and names the field, the value and what is allowed', async (limit, path) => {
    const { call } = testApi();
    const { status, body } = await call('POST', '/jobs', { body: { task: 'noop', limit } });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ path, message: expect.stringMatching(/must|missing|known fields/) }]);
  });

  it('without anything changes nothing', async () => {
    const { call, create } = testApi();
    const job = await create({ schedule: { every: 'PT1H' } });
    expect(await call('PATCH', `/jobs/${job.id}`, { body: {} })).toMatchObject({ status: 200, body: job });
  });

  it('with If-Match edits only the version that was read', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' } });
    const edit = async (ifMatch: string, name: string) =>
      (await call('PATCH', `/jobs/${id}`, { body: { name }, headers: { 'if-match': ifMatch } })).status;
    expect(await edit('"1"', 'first')).toBe(200);
    expect(await edit('"1"', 'second')).toBe(412);
    expect(await edit('"other"', 'second')).toBe(412);
    expect(await edit('W/"2"', 'second')).toBe(412);
    expect(await edit('2', 'second')).toBe(400);
    expect((await call('GET', `/jobs/${id}`)).body.name).toBe('first');
    expect(await edit('"2"', 'third')).toBe(200);
    expect(await edit('*', 'fourth')).toBe(200);
  });

  it('a new schedule counts at once: an occurrence on its way in the old form does not run', async () => {
    const { call, create, queue, ctx, tick } = testApi();
    const { id } = await create({ schedule: { every: 'PT1M', startAt: '2026-11-16T12:01:00Z' } });
    const [old] = queue.messages.filter((message) => message.fireAt === ctx.clock.now() + 60_000);
    if (!old) throw new Error('the first occurrence is on its way');

    const edited = await call('PATCH', `/jobs/${id}`, { body: { schedule: { cron: '30 * * * *' } } });
    expect(edited.body).toMatchObject({
      nextRunAt: '2026-11-16T12:30:00.000Z',
      schedule: { cron: '30 * * * *' },
    });

    tick(60_000);
    const outcome = await claim(ctx, 'worker', old);
    expect(outcome.kind).toBe('drop');
    const list = await call('GET', `/jobs/${id}/executions`);
    expect(list.body.items).toEqual([]);

    // An occurrence of the new schedule runs.
    tick(29 * 60_000);
    const next = (await call('GET', `/jobs/${id}/executions?status=scheduled&limit=1`)).body.items[0];
    expect(next.dueAt).toBe('2026-11-16T13:30:00.000Z');
  });

  it('checks params by the task that the job will have', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' }, params: { durationMs: 5 } });
    const edit = (body: unknown) => call('PATCH', `/jobs/${id}`, { body });
    expect(await edit({ params: { durationMs: -1 } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'params.durationMs' }] },
    });
    expect(await edit({ task: 'http' })).toMatchObject({ status: 400 });
    expect(await edit({ task: 'bake' })).toMatchObject({ status: 400, body: { errors: [{ path: 'task' }] } });
    const http = { task: 'http', params: { url: 'http://127.0.0.1/' } };
    expect(await edit(http)).toMatchObject({ status: 200, body: http });
  });

  it.each([
    [{ schedule: { cron: '61 * * * *' } }, 400],
    [{ schedule: { at: '2020-01-01T00:00:00Z' } }, 422],
    [{ retry: { maxAttempts: 0 } }, 400],
    [{ overlap: 'allow' }, 409],
    [{ status: 'paused' }, 400],
    [{ name: null }, 400],
  ])('refuses %j with %i, and the job stays as it was', async (body, status) => {
    const { call, create } = testApi();
    const job = await create({ schedule: { every: 'PT1H' } });
    expect((await call('PATCH', `/jobs/${job.id}`, { body })).status).toBe(status);
    expect((await call('GET', `/jobs/${job.id}`)).body).toEqual(job);
  });

  it('of a cancelled one is a conflict', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' } });
    await call('DELETE', `/jobs/${id}`);
    expect((await call('PATCH', `/jobs/${id}`, { body: { name: 'x' } })).status).toBe(409);
  });
});

describe('pause and resume', () => {
  it('a paused job has no next run, runs by hand, and goes on from the resume', async () => {
    const { call, create, tick } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' } });
    const paused = await call('POST', `/jobs/${id}/pause`);
    expect(paused).toMatchObject({ status: 200, headers: { etag: '"2"' }, body: { status: 'paused' } });
    expect(paused.body.nextRunAt).toBeUndefined();
    expect((await call('POST', `/jobs/${id}/run`)).status).toBe(202);
    expect((await call('POST', `/jobs/${id}/pause`)).headers.etag).toBe('"2"');
    tick(2.5 * HOUR);
    const resumed = await call('POST', `/jobs/${id}/resume`);
    expect(resumed).toMatchObject({ status: 200, headers: { etag: '"3"' } });
    expect(resumed.body).toMatchObject({ status: 'active', nextRunAt: '2026-11-16T15:00:00.000Z' });
  });

  it('an ended job cannot be paused or resumed', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' } });
    await call('DELETE', `/jobs/${id}`);
    expect((await call('POST', `/jobs/${id}/pause`)).status).toBe(409);
    expect((await call('POST', `/jobs/${id}/resume`)).status).toBe(409);
  });

  it('a job whose schedule is over cannot be resumed', async () => {
    const { call, create, tick } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H', endAt: '2026-11-16T13:00:00Z' } });
    await call('POST', `/jobs/${id}/pause`);
    tick(5 * HOUR);
    expect((await call('POST', `/jobs/${id}/resume`)).status).toBe(422);
  });
});
