import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMIT_NAMES, type NO_LIMITS } from '../../src/domain/jobs/owner-limits.ts';
import { FRESH_MS } from '../../src/jobs/limits/limit-values.ts';
import type { Answer, Call } from '../support/api-events.ts';
import { OPERATORS, testApi } from './api.ts';

const HOURLY = { task: 'noop', schedule: { every: 'PT1H' } };
const OPERATOR: Call = { user: 'op', groups: [OPERATORS] };
const put = (api: ReturnType<typeof testApi>, owner: string, body: unknown): Promise<Answer> =>
  api.call('PUT', `/limits/${encodeURIComponent(owner)}`, { ...OPERATOR, body });

describe('GET and PUT /limits/{owner}', () => {
  it('an operator sets limits, and all others have their defaults', async () => {
    const api = testApi({ limits: { activeJobs: 100, createsPerMinute: 10 } });
    const answer = await put(api, 'alice', { activeJobs: 7, startsPerMinute: 0, createsPerMinute: null });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        owner: 'alice',
        limits: {
          activeJobs: { value: 7, default: 100, own: 7 },
          createsPerMinute: { value: 10, default: 10, own: null },
          startsPerMinute: { value: 0, default: 0, own: 0 },
        },
        updatedAt: '2026-11-16T12:00:00.000Z',
        updatedBy: 'op',
      },
    });
    const { body } = await api.call('GET', '/limits/alice', OPERATOR);
    expect(body).toEqual({ ...answer.body, limits: expect.anything() });
    expect(body.limits.activeJobs).toEqual({ value: 7, default: 100, own: 7, used: 0 });
    const bob = await api.call('GET', '/limits/bob', OPERATOR);
    expect(bob.body).toMatchObject({ owner: 'bob', limits: { activeJobs: { value: 100, own: null } } });
    expect(bob.body.updatedBy).toBeUndefined();
  });

  it('a PUT replaces what was set before', async () => {
    const api = testApi();
    await put(api, 'alice', { activeJobs: 7 });
    const { body } = await put(api, 'alice', { createsPerMinute: 5 });
    expect(body.limits.activeJobs.own).toBeNull();
    expect(body.limits.createsPerMinute.own).toBe(5);
    expect((await put(api, 'alice', {})).body.limits.createsPerMinute.own).toBeNull();
  });

  it('users read their own limits, and set none', async () => {
    const { call, store } = testApi();
    expect((await call('GET', '/limits/alice')).status).toBe(200);
    expect((await call('GET', '/limits/bob')).status).toBe(403);
    expect(await call('PUT', '/limits/alice', { body: { activeJobs: 1e6 } })).toMatchObject({
      status: 403,
      body: { type: 'urn:punctual:problem:forbidden' },
    });
    expect(store.limits.size).toBe(0);
  });

  it.each(['auth0|12 3', 'ümläut', 'a+b@example.com', '100%', 'a/b'])('the owner %j', async (owner) => {
    const api = testApi();
    expect((await put(api, owner, { activeJobs: 3 })).body.owner).toBe(owner);
    expect([...api.store.limits.keys()]).toEqual([owner]);
    const path = `/limits/${encodeURIComponent(owner)}`;
    expect((await api.call('GET', path, { user: owner })).body.limits.activeJobs.value).toBe(3);
  });

  it.each([
    [{ activeJobs: -1 }, 'activeJobs'],
    [{ activeJobs: 1.5 }, 'activeJobs'],
    [{ activeJobs: '5' }, 'activeJobs'],
    [{ longestTimeoutSeconds: 43_201 }, 'longestTimeoutSeconds'],
    [{ jobs: 5 }, 'jobs'],
    [[], ''],
    [null, ''],
  ])('%j is refused by name, and nothing is stored', async (body, path) => {
    const api = testApi();
    const answer = await put(api, 'alice', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].path).toBe(path);
    expect(api.store.limits.size).toBe(0);
  });

  it('any body is stored as given, or refused with 400 and stored in no part', async () => {
    const value = fc.oneof(fc.integer({ min: -5, max: 2e7 }), fc.constant(null), fc.anything());
    const body = fc.oneof(fc.dictionary(fc.constantFrom(...LIMIT_NAMES, 'other'), value), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const api = testApi();
        const text = JSON.stringify(given) ?? 'null';
        const answer = await put(api, 'alice', text);
        if (answer.status === 200) {
          const set = Object.entries(JSON.parse(text)).filter(([, one]) => one !== null);
          expect(api.store.limits.get('alice')?.limits).toEqual(Object.fromEntries(set));
        } else {
          expect(answer.status).toBe(400);
          expect(api.store.limits.size).toBe(0);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('shows what is used', async () => {
    const api = testApi({ limits: { activeJobs: 50, createsPerMinute: 50, startsPerMinute: 50 } });
    const { id } = await api.create(HOURLY);
    await api.call('POST', `/jobs/${id}/run`);
    const { body } = await api.call('GET', '/limits/alice');
    expect(body.limits.activeJobs.used).toBe(1);
    expect(body.limits.createsPerMinute.used).toBe(1);
    expect(body.limits.startsPerMinute.used).toBe(1);
    expect(body.limits.requestsPerSecond.used).toBeUndefined();
  });
});

describe('a limit that an operator changes', () => {
  it('applies at once in the process that stores it, for one owner only', async () => {
    const api = testApi();
    await api.create(HOURLY);
    await put(api, 'alice', { shortestIntervalSeconds: 3600 });
    const often = { body: { task: 'noop', schedule: { every: 'PT59M' } } };
    expect((await api.call('POST', '/jobs', often)).status).toBe(429);
    expect((await api.call('POST', '/jobs', { ...often, user: 'bob' })).status).toBe(201);
    await put(api, 'alice', {});
    expect((await api.call('POST', '/jobs', often)).status).toBe(201);
  });

  it('applies in another process within a minute', async () => {
    const one = testApi();
    const two = testApi({ store: one.store });
    await two.create(HOURLY);
    await put(one, 'alice', { longestTimeoutSeconds: 10 });
    const long = { body: { ...HOURLY, timeoutSeconds: 11 } };
    expect((await two.call('POST', '/jobs', long)).status).toBe(201);
    two.tick(FRESH_MS);
    expect((await two.call('POST', '/jobs', long)).status).toBe(429);
    expect(FRESH_MS).toBeLessThan(60_000);
  });

  it('lets an owner go on who was refused in this minute', async () => {
    const api = testApi({ limits: { createsPerMinute: 1 } });
    await api.create(HOURLY);
    expect((await api.call('POST', '/jobs', { body: HOURLY })).status).toBe(429);
    await put(api, 'alice', { createsPerMinute: 2 });
    await api.create(HOURLY);
    expect((await api.call('POST', '/jobs', { body: HOURLY })).status).toBe(429);
  });

  it('is not needed for a start: if limits cannot be read, the known ones apply', async () => {
    const api = testApi({ limits: { createsPerMinute: 5 } });
    api.store.readLimits = () => Promise.reject(new Error('no answer'));
    await api.create(HOURLY);
    expect(api.logged.filter(({ message }) => String(message).includes('limits of an owner'))).toHaveLength(
      1,
    );
  });
});

describe('starts per minute', () => {
  const limits = { startsPerMinute: 3 };

  it('run, retry and redrive count together; a refusal says when to try again', async () => {
    const api = testApi({ limits });
    const { id } = await api.create(HOURLY);
    const run = () => api.call('POST', `/jobs/${id}/run`);
    const first = (await run()).body.id;
    await api.endRow(first, 'FAILED');
    expect((await api.call('POST', `/executions/${first}/retry`)).status).toBe(202);
    await api.endRow(first, 'FAILED');
    const redrive = () => api.call('POST', '/dead-letters/redrive', { body: { ids: [first] } });
    expect((await redrive()).body).toEqual({ redriven: 1 });
    await api.endRow(first, 'FAILED');
    api.tick(45_000);
    const before = api.stored();
    const refused = [await run(), await redrive(), await api.call('POST', `/executions/${first}/retry`)];
    for (const answer of refused)
      expect(answer).toMatchObject({
        status: 429,
        headers: { 'retry-after': '15' },
        body: {
          type: 'urn:punctual:problem:quota-exceeded',
          detail: expect.stringMatching(/at most 3 .* \(limit startsPerMinute: 3\); try again in 15 s/),
          limit: { name: 'startsPerMinute', value: 3 },
        },
      });
    expect(api.stored()).toBe(before);
    api.tick(15_000);
    expect((await run()).status).toBe(202);
  });

  it('a backfill is begun as a whole or refused with nothing begun', async () => {
    const api = testApi({ limits });
    const { id } = await api.create({ schedule: { every: 'PT1H', startAt: '2026-11-16T00:00:00Z' } });
    const backfill = (hours: number) =>
      api.call('POST', `/jobs/${id}/backfill`, {
        body: { from: '2026-11-16T00:00:00Z', to: `2026-11-16T0${hours}:00:00Z` },
      });
    const before = api.stored();
    const tooMany = await backfill(4);
    expect(tooMany.status).toBe(429);
    expect(tooMany.headers['retry-after']).toBeUndefined();
    expect(tooMany.body.detail).toMatch(/would start 4; request fewer/);
    expect(api.stored()).toBe(before);
    expect((await backfill(2)).body).toMatchObject({ planned: 2 });
    expect((await api.call('POST', `/jobs/${id}/run`)).status).toBe(202);
    expect((await backfill(5)).status).toBe(429);
  });

  it('a redrive of a job stops at the limit and says how many run', async () => {
    const api = testApi({ limits: { startsPerMinute: 120 } });
    const { id } = await api.create(HOURLY);
    for (let i = 0; i < 110; i++) {
      const { body } = await api.call('POST', `/jobs/${id}/run`);
      api.tick();
      await api.endRow(body.id, 'FAILED');
    }
    api.tick(60_000);
    expect((await api.call('POST', `/jobs/${id}/run`)).status).toBe(202);
    for (let i = 0; i < 15; i++) await api.call('POST', `/jobs/${id}/run`);
    const redrive = () => api.call('POST', '/dead-letters/redrive', { body: { jobId: id } });
    expect((await redrive()).body).toEqual({ redriven: 100 });
    expect((await redrive()).status).toBe(429);
  });

  it('those of an operator count for the owner of the job', async () => {
    const api = testApi({ limits });
    const { id } = await api.create(HOURLY);
    for (let i = 0; i < 3; i++) await api.call('POST', `/jobs/${id}/run`, OPERATOR);
    expect((await api.call('POST', `/jobs/${id}/run`)).status).toBe(429);
    const { id: own } = await api.create(HOURLY, OPERATOR);
    expect((await api.call('POST', `/jobs/${own}/run`, OPERATOR)).status).toBe(202);
  });
});

describe('two API processes on one store', () => {
  const two = (limits: Partial<typeof NO_LIMITS>) => {
    const one = testApi({ limits });
    return [one, testApi({ limits, store: one.store })] as const;
  };

  it('create together at most as many jobs per minute as the limit allows', async () => {
    const apis = two({ createsPerMinute: 50 });
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, i) =>
        apis[i % 2]?.call('POST', '/jobs', {
          body: HOURLY,
          headers: { 'idempotency-key': `k${i}` },
        }),
      ),
    );
    const created = answers.filter((answer) => answer?.status === 201).length;
    expect(created).toBeLessThanOrEqual(50);
    expect(created).toBeGreaterThanOrEqual(25);
    expect(apis[0].store.snapshot().heads).toHaveLength(created);
  });

  it('start together at most as many executions per minute as the limit allows', async () => {
    const apis = two({ startsPerMinute: 20 });
    const { id } = await apis[0].create(HOURLY);
    const answers = [];
    for (let i = 0; i < 60; i++) answers.push(await apis[i % 2]?.call('POST', `/jobs/${id}/run`));
    const started = answers.filter((answer) => answer?.status === 202).length;
    expect(started).toBeLessThanOrEqual(20);
    expect(started).toBeGreaterThanOrEqual(10);
  });

  it('together have at most one job too many per process, and later exactly the limit', async () => {
    const apis = two({ activeJobs: 10 });
    let made = 0;
    for (let minute = 0; minute < 3; minute++) {
      for (let i = 0; i < 20; i++) {
        const key = { 'idempotency-key': `${minute} ${i}`.replace(' ', '-') };
        const answer = await apis[i % 2]?.call('POST', '/jobs', { body: HOURLY, headers: key });
        if (answer?.status === 201) made++;
      }
      for (const api of apis) api.tick(60_000);
    }
    expect(made).toBeGreaterThanOrEqual(10);
    expect(made).toBeLessThanOrEqual(11);
  });
});

describe('longest timeout', () => {
  const limits = { longestTimeoutSeconds: 600 };

  it('holds for create, edit and batch; nothing is stored', async () => {
    const api = testApi({ limits });
    const job = await api.create({ ...HOURLY, timeoutSeconds: 600 });
    const before = api.stored();
    const refused = [
      await api.call('POST', '/jobs', { body: { ...HOURLY, timeoutSeconds: 601 } }),
      await api.call('PATCH', `/jobs/${job.id}`, { body: { timeoutSeconds: 601 } }),
      (await api.call('POST', '/jobs/batch', { body: { jobs: [{ ...HOURLY, timeoutSeconds: 601 }] } })).body
        .results[0].error,
    ];
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 429 });
      expect((answer.body ?? answer).detail).toBe(
        'timeoutSeconds is 601; the maximum is 600 (limit longestTimeoutSeconds: 600)',
      );
    }
    expect(api.stored()).toBe(before);
    expect((await api.call('PATCH', `/jobs/${job.id}`, { body: { name: 'x' } })).status).toBe(200);
  });

  it('limits the duration of noop, for create, edit and run', async () => {
    const api = testApi({ limits });
    const params = { durationMs: 600_001 };
    const job = await api.create({ ...HOURLY, params: { durationMs: 600_000 } });
    const before = api.stored();
    for (const answer of [
      await api.call('POST', '/jobs', { body: { ...HOURLY, params } }),
      await api.call('PATCH', `/jobs/${job.id}`, { body: { params } }),
      await api.call('POST', `/jobs/${job.id}/run`, { body: { params } }),
    ]) {
      expect(answer.status).toBe(429);
      expect(answer.body.detail).toMatch(/params.durationMs is 600001; the maximum is 600000/);
    }
    expect(api.stored()).toBe(before);
  });

  it('an edit by an operator is checked against the limits of the owner', async () => {
    const api = testApi({ limits });
    const job = await api.create(HOURLY);
    await put(api, 'op', { longestTimeoutSeconds: 43_200 });
    const edit = { ...OPERATOR, body: { timeoutSeconds: 3600 } };
    expect((await api.call('PATCH', `/jobs/${job.id}`, edit)).status).toBe(429);
    await put(api, 'alice', { longestTimeoutSeconds: 3600 });
    expect((await api.call('PATCH', `/jobs/${job.id}`, edit)).status).toBe(200);
  });
});

describe('requests per second', () => {
  it('allows a burst of two seconds, then the rate, for each user alone', async () => {
    const { call, tick } = testApi({ limits: { requestsPerSecond: 5 } });
    const get = (user = 'alice') => call('GET', '/tasks', { user });
    for (let i = 0; i < 10; i++) expect((await get()).status).toBe(200);
    expect(await get()).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: {
        detail: 'at most 5 requests may be sent per second (limit requestsPerSecond: 5); try again in 1 s',
      },
    });
    expect((await get('bob')).status).toBe(200);
    tick(200);
    expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(429);
    tick(60_000);
    for (let i = 0; i < 10; i++) expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(429);
  });

  it('is counted per process', async () => {
    const limits = { requestsPerSecond: 1 };
    const one = testApi({ limits });
    const other = testApi({ limits, store: one.store });
    for (const { call } of [one, other]) {
      expect((await call('GET', '/tasks')).status).toBe(200);
      expect((await call('GET', '/tasks')).status).toBe(200);
      expect((await call('GET', '/tasks')).status).toBe(429);
    }
  });

  it('refuses before the body is read, and needs no token for /health', async () => {
    const { call, stored } = testApi({ limits: { requestsPerSecond: 1 } });
    for (let i = 0; i < 2; i++) await call('GET', '/tasks');
    expect((await call('POST', '/jobs', { body: '{' })).status).toBe(429);
    expect(stored()).toBe(0);
    for (let i = 0; i < 5; i++) expect((await call('GET', '/health', { user: null })).status).toBe(200);
  });
});
