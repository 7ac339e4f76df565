// Dead letters in groups, redrive by error, and dismiss.
import { describe, expect, it } from 'vitest';
import { errorKeyOf } from '../../src/domain/executions/error-key.ts';
import { dueKey, executionId } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import { aRow } from '../support/fixtures.ts';
import { NOW, OPERATORS, testApi } from './api.ts';

const operator = { user: 'root', groups: [OPERATORS] };
const timeout = (n: number) => ({
  name: 'Timeout',
  message: `host-${n}.example.com did not answer in ${n} ms`,
});
const refused = { name: 'HttpError', message: 'the server refused the request' };
const idOf = ({ jobId, due }: Row) => executionId(jobId, due);

async function failed(api: ReturnType<typeof testApi>, errors: readonly Row['error'][], userId = 'alice') {
  const rows: Row[] = [];
  for (const [i, error] of errors.entries()) {
    const job = await api.create({}, { user: userId });
    rows.push(aRow({ userId, jobId: job.id, due: dueKey(NOW + i * 1000), status: 'FAILED', error }));
  }
  for (const row of rows) await api.store.insertRow(row);
  return rows;
}

describe('GET /dead-letters?errorKey=', () => {
  it('lists the executions of one group, and refuses a value that is no key', async () => {
    const api = testApi();
    const rows = await failed(api, [refused, timeout(1), refused, timeout(2)]);
    const key = errorKeyOf({ error: refused });
    const { body } = await api.call('GET', `/dead-letters?errorKey=${key}`);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(
      [rows[2], rows[0]].map((row) => idOf(row as Row)),
    );
    const { status, body: problem } = await api.call('GET', '/dead-letters?errorKey=short');
    expect(status).toBe(400);
    expect(problem.errors[0].path).toBe('errorKey');
  });
});

describe('GET /dead-letters/groups', () => {
  it('groups failures of one cause, whatever numbers their messages have, the largest group first', async () => {
    const api = testApi();
    const rows = await failed(api, [refused, timeout(1), timeout(2), refused, timeout(3)]);
    const { status, body } = await api.call('GET', '/dead-letters/groups');
    expect(status).toBe(200);
    expect(body).toMatchObject({ lookedAt: 5, truncated: false });
    expect(body.items).toHaveLength(2);
    const [timeouts, others] = body.items;
    expect(timeouts).toMatchObject({
      key: errorKeyOf({ error: timeout(9) }),
      ...timeout(3),
      count: 3,
      jobs: 3,
      firstDueAt: new Date(NOW + 1000).toISOString(),
      lastDueAt: new Date(NOW + 4000).toISOString(),
      sample: idOf(rows[4] as Row),
    });
    expect(others).toMatchObject({ ...refused, count: 2 });
    for (const { buckets, count } of body.items) {
      expect(buckets).toHaveLength(24);
      expect(buckets.reduce((sum: number, n: number) => sum + n, 0)).toBe(count);
    }
    expect([others.buckets[0], timeouts.buckets[23]]).toEqual([1, 1]);
  });

  it('counts those that were due in the last 24 hours', async () => {
    const api = testApi();
    await failed(api, [refused, refused, refused, timeout(1)]);
    const jobId = (await api.create({})).id;
    const due = dueKey(NOW - 24 * 3_600_000 - 1);
    await api.store.insertRow(aRow({ userId: 'alice', jobId, due, status: 'FAILED', error: timeout(2) }));
    const { body } = await api.call('GET', '/dead-letters/groups');
    expect(
      body.items.map(({ count, lastDay }: { count: number; lastDay: number }) => [count, lastDay]),
    ).toEqual([
      [3, 3],
      [2, 1],
    ]);
  });

  it('says that there are more groups than those of the response', async () => {
    const api = testApi();
    await failed(
      api,
      Array.from({ length: 101 }, () => refused),
    );
    const { body } = await api.call('GET', '/dead-letters/groups?by=job');
    expect(body.items).toHaveLength(100);
    expect(body).toMatchObject({ lookedAt: 101, truncated: true });
  });

  it('groups by job, in a range of due times', async () => {
    const api = testApi();
    const rows = await failed(api, [refused, timeout(1), refused]);
    const from = encodeURIComponent(new Date(NOW + 1000).toISOString());
    const { body } = await api.call('GET', `/dead-letters/groups?by=job&from=${from}`);
    expect(body.items.map(({ key }: { key: string }) => key).sort()).toEqual(
      rows
        .slice(1)
        .map(({ jobId }) => jobId)
        .sort(),
    );
  });

  it("shows a user's own failures only, and to operators those of all or of one owner", async () => {
    const api = testApi();
    await failed(api, [refused]);
    await failed(api, [refused, refused], 'bob');
    const count = async (path: string, options = {}) =>
      (await api.call('GET', path, options)).body.items?.[0]?.count;
    expect(await count('/dead-letters/groups')).toBe(1);
    expect(await count('/dead-letters/groups', operator)).toBe(3);
    expect(await count('/dead-letters/groups?owner=bob', operator)).toBe(2);
    expect((await api.call('GET', '/dead-letters/groups?owner=bob')).status).toBe(403);
  });

  it('is empty without failures, and names what is wrong with a request', async () => {
    const { call } = testApi();
    expect((await call('GET', '/dead-letters/groups')).body).toEqual({
      items: [],
      lookedAt: 0,
      truncated: false,
    });
    const wrong = await call('GET', '/dead-letters/groups?by=day');
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors[0]).toMatchObject({ path: 'by', message: expect.stringContaining('"day"') });
  });

  it('says that it looked at a part only', async () => {
    const api = testApi();
    for (let i = 0; i < 5001; i++)
      await api.store.insertRow(aRow({ userId: 'alice', due: dueKey(NOW + i), status: 'FAILED' }));
    const { body } = await api.call('GET', '/dead-letters/groups');
    expect(body).toMatchObject({ lookedAt: 5000, truncated: true });
  });
});

describe('redrive by error', () => {
  it('runs the failures of one group again, and no others', async () => {
    const api = testApi();
    await failed(api, [refused, timeout(1), timeout(2)]);
    await failed(api, [timeout(4)], 'bob');
    const errorKey = errorKeyOf({ error: timeout(7) });
    const redrive = () => api.call('POST', '/dead-letters/redrive', { body: { errorKey } });
    expect((await redrive()).body).toEqual({ redriven: 2 });
    expect((await redrive()).body).toEqual({ redriven: 0 });
    const left = await api.call('GET', '/dead-letters/groups', operator);
    expect(left.body.items.map(({ name, count }: { name: string; count: number }) => [name, count])).toEqual(
      expect.arrayContaining([
        ['HttpError', 1],
        ['Timeout', 1],
      ]),
    );
    const wrong = await api.call('POST', '/dead-letters/redrive', { body: { errorKey: 'x' } });
    expect(wrong.status).toBe(400);
    const ofBob = { errorKey, owner: 'bob' };
    expect((await api.call('POST', '/dead-letters/redrive', { body: ofBob })).status).toBe(403);
    expect((await api.call('POST', '/dead-letters/redrive', { ...operator, body: ofBob })).body).toEqual({
      redriven: 1,
    });
  });
});

describe('redrive by error, for an operator', () => {
  const body = (more = {}) => ({ ...operator, body: { errorKey: errorKeyOf({ error: refused }), ...more } });

  it('runs those of all users again, as the groups and the list show them', async () => {
    const api = testApi();
    await failed(api, [refused, timeout(1)]);
    await failed(api, [refused, refused], 'bob');
    const from = new Date(NOW + 1000).toISOString();
    const redrive = async (more = {}) => (await api.call('POST', '/dead-letters/redrive', body(more))).body;
    expect(await redrive({ from })).toEqual({ redriven: 1 });
    expect(await redrive()).toEqual({ redriven: 2 });
    expect(await redrive()).toEqual({ redriven: 0 });
    const { items } = (await api.call('GET', '/dead-letters', operator)).body;
    expect(items).toMatchObject([{ error: timeout(1), owner: 'alice' }]);
  });

  it('an owner who has reached a limit does not keep back those of others', async () => {
    const api = testApi({ limits: { startsPerMinute: 1 } });
    await failed(api, [refused, refused]);
    await failed(api, [refused], 'bob');
    expect((await api.call('POST', '/dead-letters/redrive', body())).body).toEqual({ redriven: 1 });
    const { items } = (await api.call('GET', '/dead-letters', operator)).body;
    expect(items.map(({ owner }: { owner: string }) => owner)).toEqual(['alice', 'alice']);
    expect((await api.call('POST', '/dead-letters/redrive', body())).status).toBe(429);
  });
});

describe('POST /dead-letters/dismiss', () => {
  it('takes failures off the list and out of the groups; they stay failed and can be retried', async () => {
    const api = testApi();
    const [row, other] = (await failed(api, [refused, timeout(1)])) as [Row, Row];
    const dismiss = () => api.call('POST', '/dead-letters/dismiss', { body: { ids: [idOf(row)] } });
    const first = await dismiss();
    expect([first.status, first.body]).toEqual([202, { dismissed: 1 }]);
    expect((await dismiss()).body).toEqual({ dismissed: 0 });
    const listed = async (path: string) =>
      (await api.call('GET', path)).body.items.map(({ id }: { id: string }) => id);
    expect(await listed('/dead-letters')).toEqual([idOf(other)]);
    expect(await listed('/executions?status=failed')).toEqual([idOf(other), idOf(row)]);
    expect((await api.call('GET', '/dead-letters/groups')).body.items).toHaveLength(1);
    expect((await api.call('GET', `/executions/${idOf(row)}`)).body).toMatchObject({
      status: 'failed',
      dismissed: true,
      error: refused,
    });
    const errorKey = errorKeyOf({ error: refused });
    expect((await api.call('POST', '/dead-letters/redrive', { body: { errorKey } })).body).toEqual({
      redriven: 0,
    });
    expect((await api.call('POST', '/dead-letters/redrive', { body: { jobId: row.jobId } })).body).toEqual({
      redriven: 0,
    });
    expect((await api.call('POST', `/executions/${idOf(row)}/retry`)).status).toBe(202);
    await api.endRow(idOf(row), 'FAILED');
    expect(await listed('/dead-letters')).toContain(idOf(row));
  });

  it('pages over dismissed ones', async () => {
    const api = testApi();
    const rows = await failed(api, Array(9).fill(refused));
    const ids = rows.map(idOf);
    await api.call('POST', '/dead-letters/dismiss', { body: { ids: ids.filter((_, i) => i % 3 !== 0) } });
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await api.call('GET', `/dead-letters?limit=1${cursor}`);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor ? `&cursor=${body.nextCursor}` : '';
    } while (cursor);
    expect(seen).toEqual(ids.filter((_, i) => i % 3 === 0).reverse());
  });

  it('dismisses nothing if one of the executions is not the caller’s', async () => {
    const api = testApi();
    const [own] = (await failed(api, [refused])) as [Row];
    const [others] = (await failed(api, [refused], 'bob')) as [Row];
    const body = { ids: [idOf(own), idOf(others)] };
    expect((await api.call('POST', '/dead-letters/dismiss', { body })).status).toBe(404);
    expect((await api.call('GET', '/dead-letters')).body.items).toHaveLength(1);
  });
});
