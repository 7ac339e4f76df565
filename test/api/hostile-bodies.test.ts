// Bodies that are made to be costly: what they are refused with, and the size of the answer and of the log.
import { describe, expect, it } from 'vitest';
import { testApi } from './api.ts';

const SECRET = { $secret: 'x' };

const many = (count: number, one: (n: number) => [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => one(n)));

const SQS = { queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders', body: 1 };
/** The params of a task with a map of names, the field of the map, and the most entries that it may have. */
const MAPS = [
  ['http', (headers: object) => ({ url: 'https://example.com', headers }), 'headers', 100],
  ['sqs', (attributes: object) => ({ ...SQS, attributes }), 'attributes', 8],
  ['container', (environment: object) => ({ taskDefinition: 'a:1', environment }), 'environment', 100],
  [
    'script',
    (environment: object) => ({ language: 'shell', source: 'true', environment }),
    'environment',
    100,
  ],
] as const;

describe.each(MAPS)('the names of a map in the params of %s', (task, params, field, most) => {
  it('are checked also if their value is a secret', async () => {
    const { call, stored } = testApi();
    const map = { 'é é': SECRET, legal: SECRET };
    const { status, body } = await call('POST', '/jobs', { body: { task, params: params(map) } });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ path: `params.${field}.é é` }]);
    expect(body.errors[0].message).toContain('the key must');
    expect(stored()).toBe(0);
  });

  it('are checked in an edit, a run and a batch', async () => {
    const { call, create } = testApi();
    const map = params({ 'é é': SECRET });
    const { id } = await create({ task, params: params({ legal: SECRET }), schedule: { cron: '@daily' } });
    expect((await call('PATCH', `/jobs/${id}`, { body: { params: map } })).status).toBe(400);
    expect((await call('POST', `/jobs/${id}/run`, { body: { params: map } })).status).toBe(400);
    const batch = await call('POST', '/jobs/batch', { body: { jobs: [{ task, params: map }] } });
    expect(batch.body.results).toMatchObject([{ status: 400 }]);
  });

  it(`are at most ${most}`, async () => {
    const { call, stored } = testApi();
    const create = (count: number, value: unknown) =>
      call('POST', '/jobs', { body: { task, params: params(many(count, (n) => [`a${n}`, value])) } });
    for (const value of [SECRET, 'x', 1]) {
      const { status, body } = await create(most + 1, value);
      expect(status).toBe(400);
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0].path).toBe(`params.${field}`);
      expect(body.errors[0].message).toMatch(new RegExp(`^must have at most ${most} \\w+, got ${most + 1}$`));
    }
    expect(stored()).toBe(0);
    expect((await create(most, 'x')).status).toBe(201);
    expect((await create(most, SECRET)).status).toBe(201);
  });
});

it('a secret does not hide that its field must be absent', async () => {
  const { call } = testApi();
  const params = { url: 'https://example.com', method: 'GET', body: SECRET };
  const { status, body } = await call('POST', '/jobs', { body: { task: 'http', params } });
  expect(status).toBe(400);
  expect(body.errors).toMatchObject([{ path: 'params.body' }]);
});

const JOB = { task: 'noop', schedule: { cron: '@daily' } };
const unknownFields = (count: number) => many(count, (n) => [`field${n}`, 1]);

/** Bodies of up to 250 KB with many errors, or with few that are large. */
const BODIES: Readonly<Record<string, object>> = {
  'unknown fields': { ...JOB, ...unknownFields(15_000) },
  'unknown fields in a list': { ...JOB, notify: Array(10).fill(unknownFields(1_000)) },
  'unknown params': {
    ...JOB,
    task: 'http',
    params: { url: 'https://example.com', ...unknownFields(15_000) },
  },
  'a long unknown field': { ...JOB, ['k'.repeat(200_000)]: 1 },
  'a long name of a header': {
    ...JOB,
    task: 'http',
    params: { url: 'https://example.com', headers: { ['é'.repeat(100_000)]: SECRET } },
  },
  'a long text in every field': {
    ...JOB,
    task: 'x'.repeat(50_000),
    name: 'x'.repeat(50_000),
    limit: { key: 'x'.repeat(50_000), concurrent: 'x'.repeat(50_000) },
  },
  'many tags': { ...JOB, tags: many(15_000, (n) => [`tag${n}`, 1]) },
  'long paths of texts that are not Unicode': Array.from({ length: 90 }).reduce<object>(
    (inner) => ({ ['k'.repeat(1_000)]: inner }),
    Array(20).fill('\ud800'),
  ),
  'long keys that are not Unicode': many(10, (n) => [`${n}${'k'.repeat(10_000)}\ud800`, 1]),
};

/** The answer's size that 10 errors may have. */
const MAX_ANSWER = 16_000;

describe.each(Object.entries(BODIES))('%s', (_, body) => {
  it.each([
    ['POST', '/jobs'],
    ['PUT', '/jobs/by-name/space/name'],
    ['POST', '/schedules/preview'],
    ['POST', '/jobs/bulk'],
  ])('%s %s answers with at most 10 errors and the number of the others', async (method, path) => {
    const { call, logged, stored } = testApi();
    const answer = await call(method, path, { body });
    expect(answer.status).toBe(400);
    const { errors } = answer.body;
    expect(errors.length).toBeLessThanOrEqual(11);
    if (errors.length === 11)
      expect(errors[10]).toMatchObject({ path: '', message: /^and \d+ more errors?$/ });
    expect(JSON.stringify(answer.body).length).toBeLessThan(MAX_ANSWER);
    expect(JSON.stringify(logged).length).toBeLessThan(MAX_ANSWER);
    expect(stored()).toBe(0);
  });

  it('in a job of a batch answers with at most 10 errors', async () => {
    const { call } = testApi();
    const answer = await call('POST', '/jobs/batch', { body: { jobs: [body] } });
    expect(answer.body.results).toMatchObject([{ status: 400 }]);
    expect(JSON.stringify(answer.body).length).toBeLessThan(MAX_ANSWER);
  });

  it('accepted for later is refused at once', async () => {
    const { call, ingested, logged } = testApi();
    await call('POST', '/jobs', { body, headers: { prefer: 'respond-async' } });
    expect(ingested).toEqual([]);
    expect(JSON.stringify(logged).length).toBeLessThan(MAX_ANSWER);
  });
});

it('an answer names the first 10 unknown fields, and the known ones once', async () => {
  const { call } = testApi();
  const { body } = await call('POST', '/jobs', { body: { ...JOB, ...unknownFields(25) } });
  const messages: string[] = body.errors.map(({ message }: { message: string }) => message);
  expect(body.errors.slice(0, 10).map(({ path }: { path: string }) => path)).toEqual(
    Array.from({ length: 10 }, (_, n) => `field${n}`),
  );
  expect(messages.filter((message) => message.includes('known fields are'))).toEqual([messages[0]]);
  expect(messages[10]).toBe('and 15 more errors');
  expect(body.detail.endsWith('; and 15 more errors')).toBe(true);
});

it('a list of ids of which each is wrong is answered with 10 errors', async () => {
  const { call } = testApi();
  const { body } = await call('POST', '/dead-letters/dismiss', { body: { ids: Array(100).fill('x') } });
  expect(body.errors).toHaveLength(11);
  expect(body.errors[10].message).toBe('and 90 more errors');
});

it('a batch describes the errors of the first 10 refused jobs in full, and of each other one in short', async () => {
  const { call } = testApi();
  const jobs = Array.from({ length: 100 }, (_, n) =>
    n === 50 ? JOB : { ...JOB, ...unknownFields(20), name: 1 },
  );
  const { body } = await call('POST', '/jobs/batch', { body: { jobs } });
  const refused = body.results.filter(({ status }: { status: number }) => status === 400);
  expect(body.results[50].status).toBe(201);
  expect(refused).toHaveLength(99);
  expect(refused[9].error.errors).toHaveLength(11);
  expect(refused[10].error.errors).toBeUndefined();
  expect(refused[10].error.detail).toContain('must be a string, got 1');
  expect(JSON.stringify(body).length).toBeLessThan(100_000);
});

it('a query with thousands of parameters is answered in short', async () => {
  const { call } = testApi();
  const names = Array.from({ length: 3_000 }, (_, n) => n.toString(36));
  for (const query of [names.join('&'), [...names, ...names].join('&')]) {
    const { status, body } = await call('GET', `/jobs?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(11);
    expect(JSON.stringify(body).length).toBeLessThan(MAX_ANSWER);
  }
});

it.each(['tag', 'task', 'status', 'namespace', 'cursor', 'limit', 'owner'])(
  'a long text in the query parameter %s is cut in the answer',
  async (name) => {
    const { call } = testApi();
    const { status, body } = await call('GET', `/jobs?${name}=${'x'.repeat(10_000)}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(1_000);
  },
);

describe('a dry run by name', () => {
  const PATH = '/jobs/by-name/space/name';
  const nested = (value: unknown, key: string): unknown =>
    Array.from({ length: 90 }).reduce((inner) => ({ [key]: inner }), value);
  const named = (result: unknown) => ({ ...JOB, params: { result } });

  it.each([
    ['many fields', (value: number) => many(30_000, (n) => [n.toString(36), value])],
    ['a long key', (value: number) => ({ ['k'.repeat(100_000)]: many(5_000, (n) => [`${n}`, value]) })],
    [
      'deep fields',
      (value: number) =>
        nested(
          many(2_000, (n) => [`${n}`, value]),
          'k'.repeat(1_000),
        ),
    ],
  ])('lists at most 100 changes of %s and the number of the others', async (_, params) => {
    const { call } = testApi();
    expect((await call('PUT', PATH, { body: named(params(1)) })).status).toBe(201);
    const { status, body } = await call('PUT', `${PATH}?dryRun=true`, { body: named(params(2)) });
    expect(status).toBe(200);
    expect(body.changes).toHaveLength(101);
    expect(body.changes[100]).toEqual({ path: expect.stringMatching(/^and \d+ more changes$/) });
    expect(JSON.stringify(body).length).toBeLessThan(30_000);
  });
});
