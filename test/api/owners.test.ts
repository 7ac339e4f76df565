// The filter and the field `owner`: operators see by owner, users only what they own.
import { describe, expect, it } from 'vitest';
import { executionShape, jobShape, jobSummaryShape } from '../../src/domain/views/resource-schemas.ts';
import { OPERATORS, testApi } from './api.ts';

const AS_OPERATOR = { user: 'olga', groups: [OPERATORS] };
const OWNER = 'ann@example.com #1';

/** Jobs of three users, each with a failed run and a run in a worker. */
async function prepared() {
  const api = testApi();
  const { call, create, endRow, store, ctx } = api;
  for (const user of ['alice', OWNER, 'olga']) {
    const { id } = await create({ name: `of ${user}`, schedule: { every: 'PT1H' } }, { user });
    const failed = await call('POST', `/jobs/${id}/run`, { user });
    await endRow(failed.body.id, 'FAILED');
    const running = await call('POST', `/jobs/${id}/run`, { user });
    await endRow(running.body.id, 'RUNNING', { workerId: 'w1' });
    const now = ctx.clock.now();
    const worker = await store.readWorker('w1');
    await store.putWorker({
      ...{ workerId: 'w1', startedAt: now, beatAt: now, host: 'h' },
      running: [...(worker?.running ?? []), { id: running.body.id, since: now }],
    });
  }
  const list = async (path: string, owner?: string, more = {}) => {
    const url =
      owner === undefined
        ? path
        : `${path}${path.includes('?') ? '&' : '?'}owner=${encodeURIComponent(owner)}`;
    return call('GET', url, more);
  };
  return { ...api, list };
}

const LISTS = [
  '/jobs',
  '/jobs?view=summary&include=recent',
  '/executions',
  '/executions?status=failed',
  '/executions?status=running',
  '/executions?status=scheduled',
  '/executions?workerId=w1',
  '/dead-letters',
];

describe.each(LISTS)('GET %s', (path) => {
  const shape = path === '/jobs' ? jobShape : path.startsWith('/jobs?') ? jobSummaryShape : executionShape;

  it('an operator lists what one user owns, and sees the owner', async () => {
    const { list } = await prepared();
    const { status, body } = await list(path, OWNER, AS_OPERATOR);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.items.length).toBeGreaterThan(0);
    for (const item of body.items) expect(shape.parse(item).owner).toBe(OWNER);
  });

  it('a user who names another user gets 403 with a sentence', async () => {
    const { list } = await prepared();
    expect(await list(path, 'alice', { user: OWNER })).toMatchObject({
      status: 403,
      body: {
        detail:
          'owner must be "ann@example.com #1", the user of this token: only operators can name another user',
      },
    });
  });

  it('a user may name themselves, and sees no field owner', async () => {
    const { list } = await prepared();
    const named = await list(path, OWNER, { user: OWNER });
    expect(named.status).toBe(200);
    expect(named.body.items.length).toBeGreaterThan(0);
    expect(named.body).toEqual((await list(path, undefined, { user: OWNER })).body);
    for (const item of named.body.items) expect(item).not.toHaveProperty('owner');
  });

  it('a user without jobs: an empty list', async () => {
    const { list } = await prepared();
    expect((await list(path, 'nobody', AS_OPERATOR)).body).toEqual({ items: [] });
  });

  it.each(['', 'x'.repeat(257)])('owner=%s is refused', async (owner) => {
    const { list } = await prepared();
    expect(await list(path, owner, AS_OPERATOR)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'owner' }] },
    });
  });
});

it('without the filter an operator lists their own, of a worker and of dead letters all', async () => {
  const { list } = await prepared();
  const owners = async (path: string) =>
    new Set(
      (await list(path, undefined, AS_OPERATOR)).body.items.map((item: { owner: string }) => item.owner),
    );
  const everyone = new Set(['alice', OWNER, 'olga']);
  for (const path of LISTS)
    expect(await owners(path), path).toEqual(
      path.includes('workerId') || path === '/dead-letters' ? everyone : new Set(['olga']),
    );
});

it('an operator sees the owner in single jobs and executions, and in the answers to changes', async () => {
  const { call, list } = await prepared();
  const [job] = (await list('/jobs', OWNER, AS_OPERATOR)).body.items;
  const [failed] = (await list('/dead-letters', OWNER, AS_OPERATOR)).body.items;
  const requests: [method: string, path: string, body?: unknown][] = [
    ['GET', `/jobs/${job.id}`],
    ['PATCH', `/jobs/${job.id}`, { name: 'other' }],
    ['POST', `/jobs/${job.id}/pause`],
    ['POST', `/jobs/${job.id}/resume`],
    ['POST', `/jobs/${job.id}/run`],
    ['GET', `/executions/${failed.id}`],
    ['POST', `/executions/${failed.id}/retry`],
  ];
  for (const [method, path, body] of requests) {
    const answer = await call(method, path, { ...AS_OPERATOR, body });
    expect(answer.body, `${method} ${path}`).toMatchObject({ owner: OWNER });
    const own = await call('GET', path.replace(/\/(pause|resume|run|retry)$/, ''), { user: OWNER });
    expect(own.body).not.toHaveProperty('owner');
  }
  const { items } = (await call('GET', `/jobs/${job.id}/executions`, AS_OPERATOR)).body;
  expect(new Set(items.map((item: { owner: string }) => item.owner))).toEqual(new Set([OWNER]));
});
