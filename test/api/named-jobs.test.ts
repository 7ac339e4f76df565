import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { NOW, testApi } from './api.ts';

const PATH = '/jobs/by-name/billing/nightly';
const JOB = {
  task: 'noop',
  params: { result: 1 },
  schedule: { cron: '0 2 * * *', timezone: 'Europe/Paris' },
};

/** A test server with shortcuts for one name. */
function named(options: Parameters<typeof testApi>[0] = {}) {
  const api = testApi(options);
  const put = (body: Record<string, unknown> = JOB, headers: Record<string, string> = {}) =>
    api.call('PUT', PATH, { body, headers });
  const plan = async (body: Record<string, unknown> = JOB) =>
    (await api.call('PUT', `${PATH}?dryRun=true`, { body })).body;
  const live = () => api.store.heads.all().filter(({ status }) => status === 'active' || status === 'paused');
  return { ...api, put, plan, live };
}

describe('PUT /jobs/by-name', () => {
  it('creates the job, and then finds it', async () => {
    const { put, call, live } = named();
    const created = await put();
    expect(created).toMatchObject({
      status: 201,
      body: { name: 'nightly', namespace: 'billing', action: 'create', status: 'active', version: 1 },
    });
    const { id } = created.body;
    expect(created.headers).toMatchObject({ location: `/jobs/${id}`, etag: `"1-${id}"` });
    const got = await call('GET', PATH);
    expect(got).toMatchObject({ status: 200, body: { id, namespace: 'billing' } });
    expect(got.headers.etag).toMatch(new RegExp(`^"1-${id}-[\\w-]+"$`));
    expect(live()).toHaveLength(1);
    expect((await call('GET', '/jobs?namespace=billing')).body.items).toMatchObject([{ id }]);
    expect((await call('GET', '/jobs?namespace=other')).body.items).toEqual([]);
  });

  it('writes nothing if the job is as described, whatever the order of its fields', async () => {
    const { put, stored, store, tick } = named();
    const { body: first } = await put();
    const [before, head] = [stored(), store.heads.get(first.id)];
    tick(5000);
    const reordered = {
      schedule: { timezone: 'Europe/Paris', cron: '0 2 * * *' },
      retry: { maxAttempts: 3 },
      params: { result: 1 },
      task: 'noop',
    };
    const { status, body } = await put(reordered);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: first.id, version: 1, action: 'none' });
    expect(stored()).toBe(before);
    expect(store.heads.get(first.id)).toBe(head);
  });

  it('replaces the description as a whole: fields that are left out get their defaults', async () => {
    const { put } = named();
    await put({ ...JOB, tags: { team: 'a' }, retry: { maxAttempts: 7 }, timeoutSeconds: 9 });
    const { body } = await put(JOB);
    expect(body).toMatchObject({ action: 'update', version: 2, tags: {}, timeoutSeconds: 300 });
    expect(body.retry.maxAttempts).toBe(3);
  });

  it('every field of a job can be set, changed and taken away', async () => {
    const { put, plan } = named();
    const full = {
      ...JOB,
      schedule: { ...JOB.schedule, jitterSeconds: 5, startAt: '2026-11-17T00:00:00.000Z' },
      retry: { maxAttempts: 7, backoffSeconds: 1, maxBackoffSeconds: 9 },
      timeoutSeconds: 9,
      overlap: 'queue',
      misfire: { policy: 'skip', graceSeconds: 5 },
      notify: [{ on: ['failed'], webhook: { url: 'https://example.com' } }],
      tags: { team: 'a' },
      limit: { key: 'db', concurrent: 2 },
    };
    expect(Object.keys(full).sort()).toEqual(
      Object.keys(jobSpecSchema.shape)
        .filter((field) => field !== 'name')
        .sort(),
    );
    for (const body of [JOB, full, JOB, { ...full, limit: { key: 'db', concurrent: 3 } }, full, JOB]) {
      expect((await put(body)).status).toBeLessThan(300);
      expect(await plan(body)).toEqual({ action: 'none', changes: [] });
    }
  });

  it('keeps the start of a rate that gives none', async () => {
    const { put, tick } = named();
    const { body: first } = await put({ task: 'noop', schedule: { every: 'PT30S' } });
    tick(12_345);
    expect((await put({ task: 'noop', schedule: { every: 'PT30S' } })).body.action).toBe('none');
    const { body: jittered } = await put({
      task: 'noop',
      schedule: { every: 'PT30S', jitterSeconds: 3 },
    });
    expect(jittered.schedule.startAt).toBe(first.schedule.startAt);
    const { body: slower } = await put({ task: 'noop', schedule: { every: 'PT60S' } });
    expect(slower.schedule.startAt).toBe(new Date(NOW + 12_345).toISOString());
    const { body: replaced } = await put({ task: 'noop', overlap: 'allow', schedule: { every: 'PT60S' } });
    expect(replaced).toMatchObject({ action: 'replace', schedule: slower.schedule });
  });

  it.each(['allow', 'skip'])('replaces the job if overlap changes to or from %s', async (overlap) => {
    const { put, live, store, call } = named();
    const other = overlap === 'allow' ? 'queue' : 'allow';
    const { body: before } = await put({ ...JOB, overlap: other });
    const { status, body } = await put({ ...JOB, overlap });
    expect(status).toBe(201);
    expect(body).toMatchObject({ action: 'replace', version: 1, overlap });
    expect(body.id).not.toBe(before.id);
    expect(live().map(({ jobId }) => jobId)).toEqual([body.id]);
    expect(store.heads.get(before.id)?.status).toBe('cancelled');
    expect((await call('GET', PATH)).body.id).toBe(body.id);
    const { items } = (await call('GET', `/jobs/${before.id}/changes`)).body;
    expect(items[0]).toMatchObject({ what: 'cancelled', note: `replaced by ${body.id}` });
  });

  it('pauses, edits and resumes in one change', async () => {
    const { put, call, queue } = named();
    const { body: paused } = await put({ ...JOB, paused: true });
    expect(paused).toMatchObject({ status: 'paused', version: 1 });
    expect(queue.messages).toEqual([]);
    expect((await put({ ...JOB, paused: true })).body.action).toBe('none');
    const { body: resumed } = await put({ ...JOB, schedule: { cron: '0 3 * * *' } });
    expect(resumed).toMatchObject({ action: 'update', status: 'active', version: 2 });
    expect(resumed.nextRunAt).toBe('2026-11-17T03:00:00.000Z');
    const { body: again } = await put({ ...JOB, schedule: { cron: '0 3 * * *' }, paused: true });
    expect(again).toMatchObject({ status: 'paused', version: 3 });
    const { items } = (await call('GET', `/jobs/${again.id}/changes`)).body;
    expect(items.map(({ what }: { what: string }) => what)).toEqual(['paused', 'edited', 'created']);
    expect(items[1]).toMatchObject({ before: { status: 'paused' }, after: { status: 'active' } });
    expect(items[2].after).toMatchObject({ status: 'paused' });
  });

  it('leaves a pause with an end as it is', async () => {
    const { put, call } = named();
    const { body } = await put();
    const until = '2026-11-20T00:00:00.000Z';
    await call('POST', `/jobs/${body.id}/pause`, { body: { until } });
    expect((await put()).body).toMatchObject({ action: 'none', status: 'paused', pausedUntil: until });
  });

  it('a one-time job that has ended stays ended, until it gets another time', async () => {
    const { put, plan, store, tick, live } = named();
    const at = '2026-11-16T12:01:00Z';
    const { body: first } = await put({ task: 'noop', schedule: { at } });
    const head = store.heads.get(first.id);
    if (!head) throw new Error('no head');
    await store.updateHead(head, { status: 'completed', version: 2 });
    tick(3_600_000);
    const same = { task: 'noop', params: { result: 2 }, schedule: { at: '2026-11-16T13:01:00+01:00' } };
    expect(await plan(same)).toEqual({ action: 'none', changes: [] });
    expect((await put(same)).body).toMatchObject({ id: first.id, action: 'none', status: 'completed' });
    const { body: next } = await put({ task: 'noop', schedule: { at: '2026-11-17T00:00:00Z' } });
    expect(next).toMatchObject({ action: 'replace', status: 'active' });
    expect(store.heads.get(first.id)?.status).toBe('completed');
    expect(live()).toHaveLength(1);
  });

  it('creates a new job after a cancel, by name or by id', async () => {
    const { put, call, live } = named();
    const { body: first } = await put();
    expect((await call('DELETE', PATH)).status).toBe(204);
    expect((await call('DELETE', PATH)).status).toBe(204);
    expect((await call('GET', PATH)).status).toBe(404);
    expect(live()).toEqual([]);
    const { body: second } = await put();
    expect(second).toMatchObject({ action: 'create', version: 1 });
    await call('DELETE', `/jobs/${second.id}`);
    const { body: third } = await put();
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    expect(live().map(({ jobId }) => jobId)).toEqual([third.id]);
  });

  it('a job of a name cannot be renamed, and can be edited otherwise', async () => {
    const { put, call } = named();
    const { body } = await put();
    const renamed = await call('PATCH', `/jobs/${body.id}`, { body: { name: 'other' } });
    expect(renamed.status).toBe(409);
    expect(renamed.body.detail).toContain('"nightly" in the namespace "billing"');
    expect((await call('PATCH', `/jobs/${body.id}`, { body: { name: 'nightly' } })).status).toBe(200);
  });

  it('belongs to one user', async () => {
    const { put, call } = named();
    await put();
    expect((await call('GET', PATH, { user: 'bob' })).status).toBe(404);
    expect((await call('DELETE', PATH, { user: 'bob' })).status).toBe(404);
    const { body } = await call('PUT', PATH, { user: 'bob', body: JOB });
    expect(body.action).toBe('create');
    expect((await call('GET', PATH, { groups: ['punctual-operators'], user: 'root' })).status).toBe(404);
  });
});

describe('dry run', () => {
  it('names each change with its path, and writes nothing', async () => {
    const { put, plan, stored } = named();
    expect(await plan()).toMatchObject({
      action: 'create',
      changes: expect.arrayContaining([
        { path: 'task', to: 'noop' },
        { path: 'schedule', to: { cron: '0 2 * * *', timezone: 'Europe/Paris' } },
      ]),
    });
    expect(stored()).toBe(0);
    await put({ ...JOB, params: { result: { n: 1, headers: { a: '1' } } }, tags: { team: 'x' } });
    const before = stored();
    const changed = {
      ...JOB,
      schedule: { cron: '0 3 * * *', timezone: 'Europe/Paris', jitterSeconds: 5 },
      params: { result: { n: 1, headers: { a: '2', b: '3' } } },
    };
    expect(await plan(changed)).toEqual({
      action: 'update',
      changes: [
        { path: 'params.result.headers.a', from: '1', to: '2' },
        { path: 'params.result.headers.b', to: '3' },
        { path: 'schedule.cron', from: '0 2 * * *', to: '0 3 * * *' },
        { path: 'schedule.jitterSeconds', to: 5 },
        { path: 'tags.team', from: 'x' },
      ],
    });
    expect(await plan({ ...JOB, overlap: 'allow' })).toMatchObject({ action: 'replace' });
    expect(stored()).toBe(before);
  });

  it('shows references to secrets as GET does, never their values', async () => {
    const { put, plan, call } = named();
    const params = { url: 'https://example.com', headers: { authorization: { $secret: 'api-key' } } };
    const job = { task: 'http', params, schedule: JOB.schedule };
    const { status } = await put(job);
    expect(status).toBe(201);
    const shown = (await call('GET', PATH)).body.params.headers.authorization;
    const { changes } = await plan({
      ...job,
      params: { ...params, headers: { authorization: { $secret: 'other' } } },
    });
    expect(changes).toEqual([
      { path: 'params.headers.authorization.$secret', from: shown.$secret, to: 'other' },
    ]);
  });

  it('says who has changed the job since the last request by name', async () => {
    const { put, plan, call, tick } = named();
    const { body } = await put();
    expect(await plan()).toEqual({ action: 'none', changes: [] });
    tick(1000);
    await call('PATCH', `/jobs/${body.id}`, { body: { timeoutSeconds: 60, note: 'too slow' } });
    tick(1000);
    await call('POST', `/jobs/${body.id}/pause`, { user: 'root', groups: ['punctual-operators'] });
    expect(await plan()).toEqual({
      action: 'update',
      changes: [
        { path: 'timeoutSeconds', from: 60, to: 300 },
        { path: 'paused', from: true, to: false },
      ],
      drift: [
        {
          version: 3,
          at: new Date(NOW + 2000).toISOString(),
          by: 'root',
          what: 'paused',
          fields: ['status'],
        },
        {
          version: 2,
          at: new Date(NOW + 1000).toISOString(),
          by: 'alice',
          what: 'edited',
          note: 'too slow',
          fields: ['timeoutSeconds'],
        },
      ],
    });
    await put();
    expect(await plan({ ...JOB, timeoutSeconds: 5 })).toEqual({
      action: 'update',
      changes: [{ path: 'timeoutSeconds', from: 300, to: 5 }],
    });
  });
});

describe('bad requests leave nothing behind', () => {
  it.each([
    ['no schedule', { task: 'noop' }, 400, 'schedule'],
    ['a relative time', { task: 'noop', schedule: { in: 'PT5M' } }, 400, 'schedule.in'],
    ['another name', { ...JOB, name: 'other' }, 400, 'name'],
    ['an unknown field', { ...JOB, namespace: 'billing' }, 400, 'namespace'],
    ['an unknown task', { ...JOB, task: 'nope' }, 400, 'task'],
    ['a past time', { task: 'noop', schedule: { at: '2020-01-01T00:00:00Z' } }, 422, undefined],
  ])('%s', async (_what, body, status, path) => {
    const { put, plan, stored } = named();
    const answer = await put(body);
    expect(answer.status).toBe(status);
    if (path) expect(answer.body.errors[0].path).toBe(path);
    expect((await plan(body)).status).toBe(status);
    expect(stored()).toBe(0);
  });

  it.each(['.', '-x', 'a b', 'a/b', 'é', 'a#b', 'x'.repeat(101), '%00'])('the name %j', async (name) => {
    const { call, stored } = named();
    for (const [method, path] of [
      ['PUT', `/jobs/by-name/billing/${encodeURIComponent(name)}`],
      ['GET', `/jobs/by-name/billing/${encodeURIComponent(name)}`],
      ['DELETE', `/jobs/by-name/${encodeURIComponent(name)}/nightly`],
    ] as const) {
      const { status, body } = await call(method, path, method === 'PUT' ? { body: JOB } : {});
      expect([400, 404], `${method} ${path}`).toContain(status);
      if (status === 400) expect(body.errors[0].message).toContain('letters, digits, "-", "_" or "."');
    }
    expect(stored()).toBe(0);
  });

  it('quotas are taken before the first write', async () => {
    const { put, call, stored, store, live } = named({
      limits: { activeJobs: 1, shortestIntervalSeconds: 60, longestTimeoutSeconds: 600 },
    });
    const { status } = await put({ task: 'noop', schedule: { every: 'PT1S' } });
    expect(status).toBe(429);
    expect(stored()).toBe(0);
    await put();
    const long = await put({ ...JOB, timeoutSeconds: 601 });
    expect(long.body.limit).toEqual({ name: 'longestTimeoutSeconds', value: 600 });
    const other = await call('PUT', '/jobs/by-name/billing/other', { body: JOB });
    expect(other.status).toBe(429);
    expect(store.names.size).toBe(1);
    // a replacement needs no second place
    expect((await put({ ...JOB, overlap: 'allow' })).body.action).toBe('replace');
    expect(live()).toHaveLength(1);
  });
});

describe('If-Match', () => {
  it('compares the version and the job', async () => {
    const { put, call } = named();
    expect((await put(JOB, { 'if-match': '*' })).status).toBe(412);
    const { headers, body } = await put();
    const etag = headers.etag ?? '';
    expect((await put({ ...JOB, timeoutSeconds: 1 }, { 'if-match': '"2"' })).status).toBe(412);
    expect((await put({ ...JOB, timeoutSeconds: 1 }, { 'if-match': etag })).status).toBe(200);
    expect((await put({ ...JOB, timeoutSeconds: 2 }, { 'if-match': etag })).status).toBe(412);
    const { headers: read } = await call('GET', PATH);
    expect((await put({ ...JOB, overlap: 'allow' }, { 'if-match': read.etag ?? '' })).status).toBe(201);
    // the replacement has version 1 again, but another id
    expect((await put(JOB, { 'if-match': `"1-${body.id}"` })).status).toBe(412);
    expect((await call('DELETE', PATH, { headers: { 'if-match': `"1-${body.id}"` } })).status).toBe(412);
    expect((await call('DELETE', PATH, { headers: { 'if-match': '*' } })).status).toBe(204);
    expect((await call('DELETE', PATH, { headers: { 'if-match': '*' } })).status).toBe(412);
  });

  it('refuses an ETag of another kind, and names the current one', async () => {
    const { put } = named();
    const { headers } = await put();
    for (const etag of ['W/"1"', '"abc"'])
      expect(await put(JOB, { 'if-match': etag })).toMatchObject({
        status: 412,
        body: {
          detail: `If-Match must name the current version of job billing/nightly, ${headers.etag}; got another ETag`,
        },
      });
  });

  it('lets one of several changes through that were made from the same version', async () => {
    const change = fc.oneof(
      fc.nat(8).map((n) => ({ ...JOB, timeoutSeconds: n + 1 })),
      fc.constant('cancel' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 5 }), async (changes) => {
        const { put, call } = named();
        const headers = { 'if-match': (await put()).headers.etag ?? '' };
        const answers = await Promise.all(
          changes.map((one) => (one === 'cancel' ? call('DELETE', PATH, { headers }) : put(one, headers))),
        );
        const done = answers.filter(({ status }) => status < 300);
        expect(done, JSON.stringify(answers.map(({ status }) => status))).toHaveLength(1);
        for (const { status } of answers) expect([200, 204, 409, 412]).toContain(status);
      }),
      { numRuns: 100 },
    );
  });
});

it('requests at the same moment leave one job', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ overlap: fc.constantFrom('skip', 'allow'), timeoutSeconds: fc.nat(2) }), {
        minLength: 2,
        maxLength: 6,
      }),
      async (jobs) => {
        const { put, plan, live } = named();
        const bodies = jobs.map((job) => ({ ...JOB, ...job, timeoutSeconds: job.timeoutSeconds + 1 }));
        const answers = await Promise.all(bodies.map((body) => put(body)));
        for (const { status } of answers) expect([200, 201, 409]).toContain(status);
        expect(live()).toHaveLength(1);
        const plans = await Promise.all(bodies.map((body) => plan(body)));
        expect(plans.some(({ action }) => action === 'none')).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});
