import { describe, expect, it } from 'vitest';
import { contract } from '../../src/api/contract/contract.ts';
import { executionShape, jobShape, pageOf, problemShape } from '../../src/api/contract/response-schemas.ts';
import { docsFile } from '../support/docs-file.ts';
import { NOW, testApi } from './api.ts';

const iso = (time: number) => new Date(time).toISOString();

describe('POST /jobs', () => {
  it('creates a job and says where it is', async () => {
    const { call } = testApi();
    const body = {
      name: 'nightly-report',
      task: 'http',
      params: { url: 'https://example.com/hook', method: 'POST', body: { a: 1 } },
      schedule: { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' },
      notify: [{ on: ['failed'], webhook: { url: 'https://example.com/alert' } }],
      tags: { team: 'billing' },
    };
    const answer = await call('POST', '/jobs', { body });
    expect(answer.status).toBe(201);
    expect(jobShape.parse(answer.body)).toBeTruthy();
    expect(answer.body).toMatchObject({
      ...body,
      status: 'active',
      version: 1,
      retry: { maxAttempts: 3, backoffSeconds: 2, maxBackoffSeconds: 900 },
      timeoutSeconds: 300,
      overlap: 'skip',
      misfire: { policy: 'runOnce', graceSeconds: 60 },
      createdAt: iso(NOW),
      nextRunAt: '2026-11-17T08:00:00.000Z',
    });
    expect(answer.headers).toMatchObject({ location: `/jobs/${answer.body.id}`, etag: '"1"' });
    expect((await call('GET', answer.headers.location ?? '')).body).toMatchObject({ id: answer.body.id });
  });

  it('takes a body that API Gateway has encoded', async () => {
    const { call } = testApi();
    const answer = await call('POST', '/jobs', { body: { task: 'noop', name: 'é' }, base64: true });
    expect(answer).toMatchObject({ status: 201, body: { name: 'é' } });
  });

  it('with an Idempotency-Key a repeat answers the same, another body is refused, another user is not concerned', async () => {
    const { call, store } = testApi();
    const headers = { 'idempotency-key': 'order-17' };
    const body = { task: 'noop', schedule: { in: 'PT1H' } };
    const first = await call('POST', '/jobs', { body, headers });
    const again = await call('POST', '/jobs', { body, headers });
    expect(again).toEqual(first);
    expect(await call('POST', '/jobs', { body: { ...body, name: 'x' }, headers })).toMatchObject({
      status: 409,
    });
    const other = await call('POST', '/jobs', { body, headers, user: 'bob' });
    expect(other.status).toBe(201);
    expect(other.body.id).not.toBe(first.body.id);
    expect(store.heads.all()).toHaveLength(2);
  });

  it('refuses a schedule that never fires', async () => {
    const { call, stored } = testApi();
    const body = { task: 'noop', schedule: { cron: '0 0 30 2 *' } };
    expect((await call('POST', '/jobs', { body })).status).toBeOneOf([400, 422]);
    const past = { task: 'noop', schedule: { cron: '0 0 1 1 *', endAt: '2026-12-01T00:00:00Z' } };
    expect(await call('POST', '/jobs', { body: past })).toMatchObject({ status: 422 });
    expect(stored()).toBe(0);
  });
});

describe('bad input is refused with the field named, and leaves nothing behind', () => {
  const cases: [string, unknown, string, RegExp][] = [
    ['an unknown task', { task: 'bake' }, 'task', /"http", "noop".*"bake"/],
    ['no task', {}, 'task', /missing/],
    ['a cron with 61 minutes', { task: 'noop', schedule: { cron: '61 * * * *' } }, 'schedule.cron', /61/],
    ['a cron of one field', { task: 'noop', schedule: { cron: '*' } }, 'schedule.cron', /field/],
    [
      'an unknown zone',
      { task: 'noop', schedule: { cron: '0 9 * * *', timezone: 'Europe/Atlantis' } },
      'schedule.timezone',
      /Atlantis/,
    ],
    ['30 February', { task: 'noop', schedule: { at: '2027-02-30T10:00:00Z' } }, 'schedule.at', /2027-02-30/],
    [
      'two kinds of schedule',
      { task: 'noop', schedule: { in: 'PT1S', every: 'PT1S' } },
      'schedule.every',
      /exactly one/,
    ],
    ['no kind of schedule', { task: 'noop', schedule: {} }, 'schedule', /exactly one/],
    ['a duration that is none', { task: 'noop', schedule: { in: '90s' } }, 'schedule.in', /90s/],
    [
      'params that fail the schema',
      { task: 'http', params: { url: 'nowhere' } },
      'params.url',
      /nowhere|URL/i,
    ],
    ['params that are missing', { task: 'http' }, 'params.url', /missing|must/],
    ['params that are no object', { task: 'noop', params: [1] }, 'params', /must be an object, got \[1\]/],
    [
      'an unknown field',
      { task: 'noop', shedule: {} },
      'shedule',
      /not a known field; known fields are .*schedule/,
    ],
    ['an unknown field inside', { task: 'noop', retry: { times: 3 } }, 'retry.times', /maxAttempts/],
    ['no attempts', { task: 'noop', retry: { maxAttempts: 0 } }, 'retry.maxAttempts', /at least 1, got 0/],
    [
      'an unknown overlap',
      { task: 'noop', overlap: 'both' },
      'overlap',
      /"skip", "queue", "allow", got "both"/,
    ],
    [
      'a name that is too long',
      { task: 'noop', name: 'x'.repeat(101) },
      'name',
      /at most 100 characters, got 101/,
    ],
    ['a name that is a number', { task: 'noop', name: 5 }, 'name', /must be a string, got 5/],
    [
      'eleven tags',
      { task: 'noop', tags: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, 'v'])) },
      'tags',
      /at most 10 tags, got 11/,
    ],
    ['a tag that is too long', { task: 'noop', tags: { a: 'x'.repeat(129) } }, 'tags.a', /at most 128/],
    [
      'a notification to nobody',
      { task: 'noop', notify: [{ on: ['failed'] }] },
      'notify[0]',
      /exactly one of webhook, email and sns, got 0/,
    ],
    [
      'a notification of an unknown kind',
      { task: 'noop', notify: [{ on: ['done'], email: { to: 'a@example.com' } }] },
      'notify[0].on[0]',
      /"succeeded".*"done"/,
    ],
    ['a list', [], '', /must be an object/],
    ['null', null, '', /must be an object/],
  ];
  it.each(cases)('%s', async (_, body, path, message) => {
    const { call, stored } = testApi();
    const answer = await call('POST', '/jobs', { body });
    expect(answer.status).toBe(400);
    expect(problemShape.parse(answer.body)).toBeTruthy();
    expect(answer.headers['content-type']).toBe('application/problem+json');
    const error = answer.body.errors.find((e: { path: string }) => e.path === path);
    expect(error, JSON.stringify(answer.body.errors)).toBeDefined();
    expect(error.message).toMatch(message);
    expect(stored()).toBe(0);
  });

  it.each([
    ['POST', '/jobs?dryRun=true', { task: 'noop' }],
    ['POST', '/jobs/batch?dryRun=true', { jobs: [{ task: 'noop' }] }],
  ])('refuses a parameter that %s %s does not have', async (method, path, input) => {
    const api = testApi();
    const { status, body } = await api.call(method, path, { body: input });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ path: 'dryRun', message: 'is not a known field; known fields are none' }]);
    expect((await api.call('GET', '/jobs')).body.items).toEqual([]);
  });

  it('all that is wrong is told at once', async () => {
    const { call } = testApi();
    const answer = await call('POST', '/jobs', { body: { task: 'bake', name: '', x: 1 } });
    expect(answer.body.errors.map((e: { path: string }) => e.path).sort()).toEqual(['name', 'task', 'x']);
  });

  it.each(['', ' ', 'a b', 'é', 'x'.repeat(256)])(
    'an Idempotency-Key of the wrong form: "%s"',
    async (key) => {
      const { call, stored } = testApi();
      const answer = await call('POST', '/jobs', {
        body: { task: 'noop' },
        headers: { 'idempotency-key': key },
      });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'idempotency-key' }] } });
      expect(stored()).toBe(0);
    },
  );

  it.each(['{"task":', '', 'task=noop', '{"task":"noop",}'])('not JSON: %s', async (body) => {
    const { call, stored } = testApi();
    const answer = await call('POST', '/jobs', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toMatch(/must be JSON/);
    expect(stored()).toBe(0);
  });

  it('not UTF-8', async () => {
    const { call } = testApi();
    const body = Buffer.from([0x22, 0xff, 0x22]);
    expect(await call('POST', '/jobs', { body, base64: true })).toMatchObject({ status: 400 });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', ''])(
    'the content type %s',
    async (type) => {
      const { call, stored } = testApi();
      const answer = await call('POST', '/jobs', {
        body: { task: 'noop' },
        headers: { 'content-type': type },
      });
      expect(answer.status).toBe(415);
      expect(stored()).toBe(0);
    },
  );

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.x+json'])(
    'but not the content type %s',
    async (type) => {
      const { call } = testApi();
      const answer = await call('POST', '/jobs', {
        body: { task: 'noop' },
        headers: { 'content-type': type },
      });
      expect(answer.status).toBe(201);
    },
  );

  it('300 KiB', async () => {
    const { call, stored } = testApi();
    const body = { task: 'noop', params: { x: 'x'.repeat(300 * 1024) } };
    expect(await call('POST', '/jobs', { body })).toMatchObject({
      status: 413,
      body: { title: 'Body too large' },
    });
    expect(await call('POST', '/jobs', { body, base64: true })).toMatchObject({ status: 413 });
    const lies = { 'content-length': '10' };
    expect(await call('POST', '/jobs', { body, headers: lies })).toMatchObject({ status: 413 });
    const unread = { 'content-length': String(300 * 1024) };
    expect(await call('POST', '/jobs', { body: '', headers: unread })).toMatchObject({ status: 413 });
    expect(stored()).toBe(0);
  });
});

describe('GET /jobs', () => {
  it("shows the caller's own, newest first, page by page", async () => {
    const { call, create, tick } = testApi();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) {
      await create({ name, schedule: { in: 'PT1H' } });
      await create({ name: `bobs-${name}` }, { user: 'bob' });
      tick();
    }
    const seen: string[] = [];
    let url: string | undefined = '/jobs?limit=2';
    while (url) {
      const { status, body } = await call('GET', url);
      expect(status).toBe(200);
      expect(pageOf(jobShape).parse(body)).toBeTruthy();
      seen.push(...body.items.map((job: { name: string }) => job.name));
      url = body.nextCursor && `/jobs?limit=2&cursor=${encodeURIComponent(body.nextCursor)}`;
    }
    expect(seen).toEqual(names.reverse());
  });

  it('filters by status, task, name and tag', async () => {
    const { call, create, tick } = testApi();
    const report = { name: 'report-1', tags: { team: 'a:b' }, schedule: { in: 'PT1H' } };
    const { id } = await create(report);
    tick();
    await create({
      name: 'other',
      task: 'http',
      params: { url: 'http://127.0.0.1/' },
      schedule: { in: 'PT1H' },
    });
    const ids = async (query: string) =>
      (await call('GET', `/jobs?${query}`)).body.items.map((job: { id: string }) => job.id);
    expect(await ids('name=report')).toEqual([id]);
    expect(await ids('task=noop')).toEqual([id]);
    expect(await ids('tag=team:a:b')).toEqual([id]);
    expect(await ids('tag=team:a')).toEqual([]);
    expect(await ids('status=active')).toHaveLength(2);
    await call('DELETE', `/jobs/${id}`);
    expect(await ids('status=cancelled')).toEqual([id]);
  });

  it.each([
    ['limit=0', 'limit', /at least 1, got 0/],
    ['limit=101', 'limit', /at most 100, got 101/],
    ['limit=ten', 'limit', /from 1 to 100, got "ten"/],
    ['limit=1&limit=2', 'limit', /more than once/],
    ['status=done', 'status', /"active".*got "done"/],
    ['tag=team', 'tag', /key:value, got "team"/],
    ['cursor=nonsense', 'cursor', /cursor|nextCursor/],
    [
      'colour=red',
      'colour',
      /not a known field; known fields are status, task, name, namespace, tag, owner, view, include, limit, cursor/,
    ],
  ])('refuses ?%s', async (query, path, message) => {
    const { call } = testApi();
    const answer = await call('GET', `/jobs?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors[0].path).toBe(path);
    expect(answer.body.errors[0].message).toMatch(message);
  });
});

describe('one job', () => {
  it('GET shows it with its version in the ETag, which If-Match takes', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT1M' } });
    const answer = await call('GET', `/jobs/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'active' } });
    expect(answer.headers.etag).toMatch(/^"1-[\w-]{11}"$/);
    const edit = { headers: { 'if-match': String(answer.headers.etag) }, body: { name: 'other' } };
    expect((await call('PATCH', `/jobs/${id}`, edit)).status).toBe(200);
    expect((await call('PATCH', `/jobs/${id}`, edit)).status).toBe(412);
    expect(jobShape.parse(answer.body)).toBeTruthy();
  });

  it('GET with If-None-Match is 304 until what it shows has changed, be it only its last execution', async () => {
    const { call, create, endRow } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' } });
    const first = await call('GET', `/jobs/${id}`);
    const known = { headers: { 'if-none-match': `"0-other", ${first.headers.etag}` } };
    const again = await call('GET', `/jobs/${id}`, known);
    expect(again).toMatchObject({ status: 304, headers: { etag: first.headers.etag } });
    expect(again.body).toBeUndefined();
    const { body: run } = await call('POST', `/jobs/${id}/run`);
    await endRow(run.id, 'SUCCEEDED');
    const changed = await call('GET', `/jobs/${id}`, known);
    expect(changed).toMatchObject({
      status: 200,
      body: { version: 1, lastExecution: { status: 'succeeded' } },
    });
    expect(changed.headers.etag).not.toBe(first.headers.etag);
  });

  it('nextRunAt is never in the past: a one-time job that is due and has not run yet has none', async () => {
    const { call, create, tick } = testApi();
    const { id } = await create({ schedule: { in: 'PT30S' } });
    const shown = async () => (await call('GET', `/jobs/${id}`)).body.nextRunAt;
    expect(await shown()).toBe(new Date(NOW + 30_000).toISOString());
    tick(31_000);
    expect(await shown()).toBeUndefined();
  });

  it('DELETE cancels it; again is no error', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT1M' } });
    expect(await call('DELETE', `/jobs/${id}`)).toMatchObject({ status: 204, body: undefined });
    const { body } = await call('GET', `/jobs/${id}`);
    expect(body).toMatchObject({ status: 'cancelled' });
    expect(body.nextRunAt).toBeUndefined();
    expect((await call('DELETE', `/jobs/${id}`)).status).toBe(204);
  });

  it('POST run starts an execution that can be looked at', async () => {
    const { call, create } = testApi();
    const { id, nextRunAt } = await create({ schedule: { every: 'PT1H' } });
    const run = await call('POST', `/jobs/${id}/run`);
    expect(run).toMatchObject({ status: 202, body: { jobId: id, status: 'queued' } });
    expect(executionShape.parse(run.body)).toBeTruthy();
    expect(run.headers.location).toBe(`/executions/${run.body.id}`);
    expect(await call('GET', `/executions/${run.body.id}`)).toMatchObject({
      status: 200,
      body: { id: run.body.id },
    });
    expect((await call('GET', `/jobs/${id}`)).body.nextRunAt).toBe(nextRunAt);
  });

  it('POST run of a cancelled one is a conflict', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' } });
    await call('DELETE', `/jobs/${id}`);
    expect(await call('POST', `/jobs/${id}/run`)).toMatchObject({ status: 409 });
  });

  it('GET executions shows them, newest first', async () => {
    const { call, create, tick } = testApi();
    const { id } = await create({ schedule: { in: 'PT1H' } });
    const first = (await call('POST', `/jobs/${id}/run`)).body.id;
    tick();
    const second = (await call('POST', `/jobs/${id}/run`)).body.id;
    const { status, body } = await call('GET', `/jobs/${id}/executions`);
    expect(status).toBe(200);
    expect(pageOf(executionShape).parse(body)).toBeTruthy();
    const ids = body.items.map((execution: { id: string }) => execution.id);
    expect(ids.indexOf(second)).toBeGreaterThanOrEqual(0);
    expect(ids.indexOf(second)).toBeLessThan(ids.indexOf(first));
    const none = await call('GET', `/jobs/${id}/executions?to=2026-01-01T00:00:00Z`);
    expect(none.body.items).toEqual([]);
  });

  it.each([
    ['status=done', 'status'],
    ['from=yesterday', 'from'],
    ['to=2026-02-30T00:00:00Z', 'to'],
    ['limit=1000', 'limit'],
    ['cursor=%20', 'cursor'],
    ['job=x', 'job'],
  ])('GET executions refuses ?%s', async (query, path) => {
    const { call, create } = testApi();
    const { id } = await create();
    const answer = await call('GET', `/jobs/${id}/executions?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });
});

describe('every answer', () => {
  it('GET /health needs no token', async () => {
    const { call } = testApi();
    expect(await call('GET', '/health', { user: null })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
  });

  it.each([
    ['reads', ['readHead']],
    ['writes', ['addToQuota']],
    ['reads and writes', ['readHead', 'addToQuota']],
  ] as const)('GET /health names what fails: %s', async (parts, broken) => {
    const { call, store } = testApi();
    for (const method of broken)
      store[method] = () => Promise.reject(new Error('secret endpoint is down')) as never;
    const answer = await call('GET', '/health', { user: null });
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { detail: `the store is unavailable: ${parts} fail` },
    });
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('GET /health asks the store at most once in 5 seconds, however often it is called', async () => {
    const { call, store, tick } = testApi();
    let writes = 0;
    const add = store.addToQuota.bind(store);
    store.addToQuota = (...args) => {
      writes++;
      return add(...args);
    };
    const health = () => call('GET', '/health', { user: null });
    await Promise.all([health(), health(), health()]);
    tick(4_999);
    await health();
    expect(writes).toBe(1);
    tick(1);
    expect((await health()).status).toBe(200);
    expect(writes).toBe(2);
  });

  it('GET /health says when the clock of the machine is wrong', async () => {
    const { call, ctx } = testApi();
    const off = { ms: 0 };
    Object.assign(ctx.clock, { offBy: () => off.ms });
    for (const [ms, detail] of [
      [3_600_000, 'the clock of this machine is 3600 s ahead'],
      [-90_000, 'the clock of this machine is 90 s behind'],
    ] as const) {
      off.ms = ms;
      const answer = await call('GET', '/health', { user: null });
      expect(answer.status).toBe(503);
      expect(answer.body.detail).toContain(detail);
    }
    off.ms = 900;
    expect((await call('GET', '/health', { user: null })).status).toBe(200);
  });

  it('an unknown route is a 404 problem', async () => {
    const { call } = testApi();
    for (const path of ['/', '/nope', '/jobs/a/b/c', '/__proto__', '//']) {
      const answer = await call('GET', path, { user: null });
      expect(answer.status).toBe(404);
      expect(problemShape.parse(answer.body)).toBeTruthy();
    }
  });

  it('a known path with another method says which it takes', async () => {
    const { call } = testApi();
    expect(await call('PUT', '/jobs')).toMatchObject({ status: 405, headers: { allow: 'POST, GET' } });
    expect(await call('POST', '/health')).toMatchObject({ status: 405, headers: { allow: 'GET' } });
  });

  it('carries the request id: the one that was sent if it is sane, else the one that was made', async () => {
    const { call } = testApi();
    const id = async (given: string) =>
      (await call('GET', '/health', { headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await id('abc-123')).toBe('abc-123');
    expect(await id('a\nb')).toBe('made-by-gateway');
    expect(await id('x'.repeat(200))).toBe('made-by-gateway');
    const problem = await call('GET', '/nope');
    expect(problem.body.requestId).toBe('made-by-gateway');
    expect(problem.headers['x-request-id']).toBe('made-by-gateway');
  });

  it('a failure inside tells nothing of the inside, and is logged', async () => {
    const { call, store, logged } = testApi();
    store.listHeads = () => Promise.reject(new Error('table secret-table is gone'));
    const answer = await call('GET', '/jobs');
    expect(answer.status).toBe(500);
    expect(problemShape.parse(answer.body)).toBeTruthy();
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(JSON.stringify(logged)).toContain('secret-table');
    expect(logged.at(-1)).toMatchObject({ level: 'ERROR', requestId: 'made-by-gateway' });
  });

  it('a throttled table is a 503 that asks to come again', async () => {
    const { call, store } = testApi();
    const throttled = Object.assign(new Error('slow down'), {
      name: 'ProvisionedThroughputExceededException',
    });
    store.listHeads = () => Promise.reject(throttled);
    expect(await call('GET', '/jobs')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });
});

it('every operation of the contract has a route', async () => {
  const { call } = testApi();
  for (const operation of Object.values(contract)) {
    const { status } = await call(
      operation.method,
      operation.path.replace('{id}', 'x').replace('{file}', docsFile()),
      { user: null },
    );
    expect([200, 401], `${operation.method} ${operation.path}`).toContain(status);
  }
});
