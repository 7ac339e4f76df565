import { describe, expect, it } from 'vitest';
import { readApiConfig } from '../../src/api/config.ts';
import { DEPLOYED_LIMITS, LOCAL_LIMITS, NO_LIMITS } from '../../src/domain/jobs/owner-limits.ts';
import { readLocalConfig } from '../../src/local/config.ts';
import { testApi } from './api.ts';

const HOURLY = { task: 'noop', schedule: { every: 'PT1H' } };

describe('creates per minute', () => {
  it('the one too many is refused until the minute is over; others are not concerned', async () => {
    const { call, tick } = testApi({ limits: { createsPerMinute: 3 } });
    const create = (user = 'alice') => call('POST', '/jobs', { body: HOURLY, user });
    for (let i = 0; i < 3; i++) expect((await create()).status).toBe(201);
    tick(45_000);
    const refused = await create();
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '15' },
      body: { title: 'Quota exceeded' },
    });
    expect((await create('bob')).status).toBe(201);
    tick(15_000);
    expect((await create()).status).toBe(201);
  });

  it('counts each job of a batch, and what is accepted for later', async () => {
    const { call } = testApi({ limits: { createsPerMinute: 3 } });
    const { body } = await call('POST', '/jobs/batch', { body: { jobs: Array(5).fill(HOURLY) } });
    const statuses = body.results.map((r: { status: number }) => r.status);
    expect(statuses.filter((status: number) => status === 201)).toHaveLength(3);
    expect(statuses.filter((status: number) => status === 429)).toHaveLength(2);
    const later = await call('POST', '/jobs', { body: HOURLY, headers: { prefer: 'respond-async' } });
    expect(later.status).toBe(429);
  });

  it('a repeat with the same key is answered, also when the minute is used up', async () => {
    const { call } = testApi({ limits: { createsPerMinute: 1 } });
    const keyed = { body: HOURLY, headers: { 'idempotency-key': 'k' } };
    const first = await call('POST', '/jobs', keyed);
    expect((await call('POST', '/jobs', { body: HOURLY })).status).toBe(429);
    expect(await call('POST', '/jobs', keyed)).toEqual(first);
  });

  it('who was refused is refused again without a write', async () => {
    const { call, store } = testApi({ limits: { createsPerMinute: 1 } });
    await call('POST', '/jobs', { body: HOURLY });
    await call('POST', '/jobs', { body: HOURLY });
    const before = [...store.quotas.values()];
    for (let i = 0; i < 5; i++) expect((await call('POST', '/jobs', { body: HOURLY })).status).toBe(429);
    expect([...store.quotas.values()]).toEqual(before);
  });
});

describe('active jobs', () => {
  it('paused ones count, ended ones do not', async () => {
    const { call, tick } = testApi({ limits: { activeJobs: 2 } });
    const create = () => call('POST', '/jobs', { body: HOURLY });
    const first = await create();
    await call('POST', `/jobs/${first.body.id}/pause`);
    expect((await create()).status).toBe(201);
    expect(await create()).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    await call('DELETE', `/jobs/${first.body.id}`);
    // The active jobs are recounted at most once per minute.
    expect((await create()).status).toBe(429);
    tick(60_000);
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(429);
  });

  it('jobs that ended long ago do not keep new ones out', async () => {
    const { call, tick } = testApi({ limits: { activeJobs: 5 } });
    for (let i = 0; i < 40; i++) {
      const { status, body } = await call('POST', '/jobs', { body: HOURLY });
      expect(status).toBe(201);
      await call('DELETE', `/jobs/${body.id}`);
      tick();
    }
  });
});

describe('shortest interval', () => {
  const limits = { shortestIntervalSeconds: 60 };
  it.each([
    [{ every: 'PT59S' }, 429],
    [{ every: 'PT60S' }, 201],
    [{ cron: '* * * * * *' }, 429],
    [{ cron: '* * * * *' }, 201],
    [{ cron: '0,30 0 9 * * *' }, 429],
    [{ cron: 'rate(1 minute)' }, 201],
    [{ in: 'PT1S' }, 201],
    [undefined, 201],
  ])('%j: %i', async (schedule, status) => {
    const { call } = testApi({ limits });
    const answer = await call('POST', '/jobs', { body: { task: 'noop', schedule } });
    expect(answer.status).toBe(status);
    if (status === 429) expect(answer.headers['retry-after']).toBeUndefined();
  });

  it('holds for an edit too', async () => {
    const { call, create } = testApi({ limits });
    const job = await create({ schedule: { every: 'PT1H' } });
    const edit = { body: { schedule: { every: 'PT1S' } } };
    expect((await call('PATCH', `/jobs/${job.id}`, edit)).status).toBe(429);
    expect((await call('GET', `/jobs/${job.id}`)).body).toEqual(job);
  });
});

describe('configuration', () => {
  it('has limits on AWS and other limits in local mode', () => {
    expect(readApiConfig({})).toEqual({
      operatorsGroup: 'punctual-operators',
      limits: DEPLOYED_LIMITS,
      corsOrigins: [],
    });
    expect(readLocalConfig({}).api.limits).toEqual(LOCAL_LIMITS);
  });

  it('can be turned off, all or one', () => {
    expect(readApiConfig({ PUNCTUAL_QUOTAS: 'off' }).limits).toEqual(NO_LIMITS);
    expect(readApiConfig({ PUNCTUAL_QUOTAS: 'off', PUNCTUAL_QUOTA_ACTIVE_JOBS: '7' }).limits).toEqual({
      ...NO_LIMITS,
      activeJobs: 7,
    });
    expect(readApiConfig({ PUNCTUAL_QUOTA_SHORTEST_INTERVAL_SECONDS: '0' }).limits).toEqual({
      ...DEPLOYED_LIMITS,
      shortestIntervalSeconds: 0,
    });
  });

  it.each([
    ['PUNCTUAL_QUOTA_ACTIVE_JOBS', '-1'],
    ['PUNCTUAL_QUOTA_CREATES_PER_MINUTE', 'many'],
    ['PUNCTUAL_QUOTA_LONGEST_TIMEOUT_SECONDS', '43201'],
    ['PUNCTUAL_QUOTA_REQUESTS_PER_SECOND', '0.5'],
    ['PUNCTUAL_QUOTAS', 'no'],
    ['PUNCTUAL_CORS_ORIGINS', 'https://example.com/path'],
    ['PUNCTUAL_CORS_ORIGINS', 'example.com'],
  ])('%s=%s is refused by name', (name, value) => {
    expect(() => readApiConfig({ [name]: value })).toThrow(name);
  });
});
