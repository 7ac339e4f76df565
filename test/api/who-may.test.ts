// Access to every operation: without a token, by another user, by an operator, and with ids that do not exist or are invalid.
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/api/contract/contract.ts';
import { type Operation, statusesOf } from '../../src/api/contract/endpoint.ts';
import { problemShape } from '../../src/api/contract/response-schemas.ts';
import { testApi } from './api.ts';
import { bodyOf, prepare, urlOf } from './samples.ts';

const guarded = operations.filter(({ auth }) => auth);
const withId = guarded.filter(({ path }) => path.includes('{id}'));

async function prepared() {
  const api = testApi();
  const things = await prepare(api);
  const send = (operation: Operation, call: Parameters<typeof api.call>[2] = {}) =>
    api.call(operation.method, urlOf(operation, things), { body: bodyOf(operation, things), ...call });
  const { heads, rows, operations } = api.store;
  const everything = () => JSON.stringify([api.stored(), heads.all(), rows.all(), [...operations.values()]]);
  return { ...api, ...things, send, everything };
}

it.each(guarded)('$method $path without a token: 401, and nothing happens', async (operation) => {
  const { send, everything } = await prepared();
  const before = everything();
  const answer = await send(operation, { user: null });
  expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  expect(problemShape.parse(answer.body)).toBeTruthy();
  expect(everything()).toBe(before);
});

it.each(withId)("$method $path of another user's: 404, as if it were not there", async (operation) => {
  const { send, everything } = await prepared();
  const before = everything();
  const answer = await send(operation, { user: 'bob' });
  expect(answer.status).toBe(404);
  expect(problemShape.parse(answer.body)).toBeTruthy();
  expect(everything()).toBe(before);
});

it.each(withId)('$method $path that does not exist: 404', async (operation) => {
  const { call, ...things } = await prepared();
  const ids: Record<string, string> = {
    executions: 'job_00000000000000000000.1796119200000',
    operations: 'op_00000000000000000000',
  };
  const there = ids[operation.path.split('/')[1] ?? ''] ?? 'job_00000000000000000000';
  const body = bodyOf(operation, things);
  for (const id of [there, 'x', 'job_', '%00', 'x'.repeat(3000), `${there}%20`]) {
    expect((await call(operation.method, operation.path.replace('{id}', id), { body })).status).toBe(404);
  }
});

it.each(withId)("an operator: $method $path of another user's is answered", async (operation) => {
  const { send } = await prepared();
  const answer = await send(operation, { user: 'olga', groups: ['punctual-operators'] });
  const { success, id } = operation;
  // A failed execution cannot be cancelled.
  expect(answer.status).toBe(id === 'cancelExecution' ? 409 : success.status);
});

it.each(guarded)('$method $path as it should be', async (operation) => {
  const { send } = await prepared();
  const isForOperators = ['listWorkers', 'getSystem', 'getForecast', 'getStatistics', 'setLimits'].includes(
    operation.id,
  );
  const groups = isForOperators ? ['punctual-operators'] : undefined;
  const { status, body, headers } = await send(operation, { groups });
  expect(status, JSON.stringify(body)).toBe(
    operation.id === 'cancelExecution' ? 409 : operation.success.status,
  );
  if (status < 400) {
    operation.success.body?.parse(body);
    for (const name of Object.keys(operation.success.headers ?? {})) expect(headers[name]).toBeTruthy();
  }
});

describe('bad input', () => {
  it.each(operations.filter(({ body }) => body))('$method $path', async (operation) => {
    const { send, everything } = await prepared();
    const before = everything();
    const refused: [unknown, number][] = [
      [{ surprise: 1 }, 400],
      [[], 400],
      [null, 400],
      ['{"', 400],
      [{ pad: 'x'.repeat(300 * 1024) }, 413],
    ];
    for (const [body, status] of refused) {
      const answer = await send(operation, { body });
      expect(answer.status, JSON.stringify(body).slice(0, 50)).toBe(status);
      expect(problemShape.parse(answer.body)).toBeTruthy();
      if (status === 400) expect(answer.body.errors.length).toBeGreaterThan(0);
    }
    expect((await send(operation, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect(everything()).toBe(before);
  });

  it.each(operations.filter(({ query }) => query))('$method $path?…', async (operation) => {
    const { call, ...things } = await prepared();
    const url = urlOf(operation, things);
    for (const query of ['surprise=1', 'limit=0', 'limit=101', 'limit=x', 'cursor=%20', 'limit=1&limit=1']) {
      const answer = await call(operation.method, `${url}?${query}`, { body: bodyOf(operation, things) });
      expect(answer.status, query).toBe(400);
      expect(answer.body.errors.length).toBeGreaterThan(0);
    }
  });
});

it('every status that an operation may answer is one that the document explains', () => {
  for (const operation of operations) {
    for (const status of statusesOf(operation)) {
      expect([
        200, 201, 202, 204, 207, 400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 501, 503,
      ]).toContain(status);
    }
  }
});

it('GET /workers is refused to those who are no operators, with a sentence', async () => {
  const { call } = testApi();
  expect(await call('GET', '/workers')).toMatchObject({
    status: 403,
    body: { detail: '/workers is for operators only, and the user of this token is not an operator' },
  });
});

it('a token without a user is none', async () => {
  const { call } = testApi();
  expect(await call('GET', '/jobs', { user: '' })).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
});
