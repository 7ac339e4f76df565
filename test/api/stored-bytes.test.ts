// The limit of stored bytes per owner, through every request that stores something of a job.
import { describe, expect, it } from 'vitest';
import { testApi } from './api.ts';

const HOURLY = { every: 'PT1H' };
const KB = 1_000;
const params = (bytes: number) => ({ result: 'x'.repeat(bytes) });
const job = (bytes = 1) => ({ task: 'noop', params: params(bytes), schedule: HOURLY });

type Api = ReturnType<typeof testApi>;

const used = async ({ call }: Api, user = 'alice'): Promise<number> =>
  (await call('GET', `/limits/${user}`, { user })).body.limits.storedBytes.used;

/** What is stored of the owner's jobs, by the items themselves. */
function really({ store }: Api): number {
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  return (
    store.heads.all().reduce((sum, head) => sum + bytes(head), 0) +
    [...store.definitions.values()].reduce((sum, definition) => sum + bytes(definition), 0) +
    [...store.changes.values()]
      .flatMap((ofJob) => [...ofJob.values()])
      .reduce((sum, one) => sum + bytes(one), 0)
  );
}

describe('the limit of stored bytes', () => {
  it('refuses what would exceed it, names it with the bytes and the remedy, and leaves nothing behind', async () => {
    const api = testApi({ limits: { storedBytes: 500 * KB } });
    const { call, stored } = api;
    for (let i = 0; i < 4; i++)
      expect((await call('POST', '/jobs', { body: job(110 * KB) })).status).toBe(201);
    const before = stored();
    const refused = await call('POST', '/jobs', { body: job(110 * KB) });
    expect(refused).toMatchObject({
      status: 429,
      body: { title: 'Quota exceeded', limit: { name: 'storedBytes', value: 500 * KB } },
    });
    expect(refused.body.detail).toMatch(
      /^the jobs of "alice" occupy 44\d{4} bytes, and this request needs 11\d{4} more; at most 500000 are allowed/,
    );
    expect(refused.body.detail).toContain('punctual limits alice --set storedBytes=');
    expect(refused.headers['retry-after']).toBeUndefined();
    expect(stored()).toBe(before);
    // a smaller job has room, and another owner has bytes of its own
    expect((await call('POST', '/jobs', { body: job(20 * KB) })).status).toBe(201);
    expect((await call('POST', '/jobs', { body: job(110 * KB), user: 'bob' })).status).toBe(201);
  });

  it('counts at least what is stored, and not much more', async () => {
    const api = testApi({ limits: { storedBytes: 5_000 * KB, activeJobs: 100 } });
    const { call } = api;
    for (let i = 0; i < 20; i++) {
      const { body } = await call('POST', '/jobs', {
        body: { ...job(i * 500), name: `n${i}`, tags: { team: 'x'.repeat(100) } },
      });
      await call('PATCH', `/jobs/${body.id}`, { body: { params: params(2 * KB), note: 'because' } });
      await call('PATCH', `/jobs/${body.id}`, {
        body: { tags: { team: 'y'.repeat(100) }, schedule: { every: 'PT2H' } },
      });
      await call('POST', `/jobs/${body.id}/pause`);
      await call('POST', `/jobs/${body.id}/resume`);
    }
    expect(await used(api)).toBeGreaterThan(really(api));
    const inHeads = api.store.heads.all().reduce((sum, { bytes }) => sum + (bytes?.[1] ?? 0), 0);
    expect(inHeads).toBeGreaterThan(really(api));
    expect(inHeads).toBeLessThan(really(api) * 1.6);
  });

  it('a batch is refused job by job', async () => {
    const { call } = testApi({ limits: { storedBytes: 100 * KB } });
    const jobs = [job(40 * KB), job(40 * KB), job(40 * KB), job(5 * KB)];
    const { body } = await call('POST', '/jobs/batch', { body: { jobs } });
    expect(body.results.map((one: { status: number }) => one.status)).toEqual([201, 201, 429, 201]);
  });

  it('holds for edits that make a job larger: each version stays stored', async () => {
    const api = testApi({ limits: { storedBytes: 200 * KB } });
    const { call, stored } = api;
    const { body } = await call('POST', '/jobs', { body: job(40 * KB) });
    const edit = (bytes: number) => call('PATCH', `/jobs/${body.id}`, { body: { params: params(bytes) } });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await edit(50 * KB + i)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const before = stored();
    expect((await edit(50 * KB)).body.limit).toEqual({ name: 'storedBytes', value: 200 * KB });
    const schedule = { every: 'PT3H' };
    expect(
      (await call('PATCH', `/jobs/${body.id}`, { body: { schedule, params: params(50 * KB) } })).status,
    ).toBe(429);
    expect(stored()).toBe(before);
    expect((await call('GET', `/jobs/${body.id}`)).body.version).toBe(4);
  });

  it('holds for jobs by name: new ones, edits and replacements', async () => {
    const { call, stored } = testApi({ limits: { storedBytes: 200 * KB } });
    const put = (name: string, bytes: number, more = {}) =>
      call('PUT', `/jobs/by-name/app/${name}`, { body: { ...job(bytes), ...more } });
    expect((await put('one', 60 * KB)).status).toBe(201);
    expect((await put('one', 61 * KB)).status).toBe(200);
    expect((await put('one', 62 * KB, { overlap: 'allow' })).status).toBe(201);
    const before = stored();
    for (const refused of [await put('one', 30 * KB, { overlap: 'allow' }), await put('two', 30 * KB)])
      expect(refused).toMatchObject({ status: 429, body: { limit: { name: 'storedBytes' } } });
    expect(stored()).toBe(before);
  });

  it('counts the records of pauses and resumes; a pause and a cancel are never refused', async () => {
    const { call } = testApi({ limits: { storedBytes: 60 * KB } });
    const { body } = await call('POST', '/jobs', { body: job(20 * KB) });
    const statuses: number[] = [];
    const note = 'n'.repeat(500);
    for (let i = 0; i < 40 && !statuses.includes(429); i++) {
      expect((await call('POST', `/jobs/${body.id}/pause`, { body: { note } })).status).toBe(200);
      statuses.push((await call('POST', `/jobs/${body.id}/resume`, { body: { note } })).status);
    }
    expect(statuses).toContain(429);
    // the job is paused now: another end is another record
    const until = '2026-11-17T12:00:00Z';
    expect((await call('POST', `/jobs/${body.id}/pause`, { body: { until, note } })).status).toBe(429);
    expect(
      (await call('POST', '/jobs/bulk', { body: { action: 'resume', filter: { task: 'noop' }, note } }))
        .status,
    ).toBe(429);
    expect(
      (await call('POST', '/jobs/bulk', { body: { action: 'pause', filter: { task: 'noop' } } })).status,
    ).toBe(202);
    expect((await call('DELETE', `/jobs/${body.id}`)).status).toBe(204);
  });

  it('cancelled jobs stay stored and count', async () => {
    const { call, tick } = testApi({ limits: { storedBytes: 100 * KB } });
    const { body } = await call('POST', '/jobs', { body: job(70 * KB) });
    await call('DELETE', `/jobs/${body.id}`);
    tick(60_000);
    expect((await call('POST', '/jobs', { body: job(70 * KB) })).status).toBe(429);
  });

  it('what the counter has too much is corrected when the limit is reached', async () => {
    const api = testApi({ limits: { storedBytes: 100 * KB } });
    const { call, store, tick } = api;
    await call('POST', '/jobs', { body: job(10 * KB) });
    // a process that died had reserved this
    await store.takeStored('alice', { jobs: 0, bytes: 80 * KB }, { jobs: 1e9, bytes: 1e9 });
    tick();
    expect((await call('POST', '/jobs', { body: job(60 * KB) })).status).toBe(201);
    expect(await used(api)).toBeLessThan(100 * KB);
  });

  it('definitions of creates that lost a race are counted, also after a correction', async () => {
    const api = testApi({ limits: { storedBytes: 1_000 * KB } });
    const { call, store } = api;
    const headers = { 'idempotency-key': 'one' };
    const readHead = store.readHead.bind(store);
    let made = 0;
    Object.assign(api.ctx.random, { float: () => ++made / 100 });
    // every request sees no job of the key until it inserts one
    let hidden = 10;
    store.readHead = async (jobId, options) => (hidden-- > 0 ? undefined : readHead(jobId, options));
    for (let i = 0; i < 5; i++) {
      hidden = 1;
      await call('POST', '/jobs', { body: job(190 * KB), headers });
    }
    hidden = 0;
    expect(store.heads.all()).toHaveLength(1);
    expect(really(api)).toBeGreaterThan(900 * KB);
    expect((await call('POST', '/jobs', { body: job(100 * KB) })).body.limit?.name).toBe('storedBytes');
  });

  it('ordinary creates and small edits of one process write the counter rarely', async () => {
    const { call, store } = testApi({ limits: { storedBytes: 100_000 * KB, activeJobs: 10_000 } });
    let writes = 0;
    const takeStored = store.takeStored.bind(store);
    store.takeStored = (...given) => {
      writes++;
      return takeStored(...given);
    };
    const ids: string[] = [];
    for (let i = 0; i < 500; i++) ids.push((await call('POST', '/jobs', { body: job(200) })).body.id);
    expect(writes).toBeLessThan(15);
    writes = 0;
    for (const id of ids.slice(0, 100)) await call('PATCH', `/jobs/${id}`, { body: { timeoutSeconds: 77 } });
    expect(writes).toBeLessThan(5);
  });

  it('params of a single run count as further starts beyond the size of a result', async () => {
    const { call } = testApi({ limits: { startsPerMinute: 10 } });
    const { body } = await call('POST', '/jobs', { body: job() });
    const run = (bytes: number) => call('POST', `/jobs/${body.id}/run`, { body: { params: params(bytes) } });
    expect((await run(30 * KB)).status).toBe(202);
    expect((await run(30 * KB)).body.limit).toEqual({ name: 'startsPerMinute', value: 10 });
    expect((await run(10)).status).toBe(202);
  });
});
