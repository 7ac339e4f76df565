import { describe, expect, it, vi } from 'vitest';
import { ownerHash } from '../../src/domain/digest.ts';
import { dueKey, executionId } from '../../src/domain/executions/ids.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { aHead, aRow } from '../support/fixtures.ts';
import { NOW, testApi } from './api.ts';

const ids = (answer: { body: { items: { id: string }[] } }) => answer.body.items.map(({ id }) => id);

/** A job of alice that a worker has just started, and the row of the worker. */
async function running(api: ReturnType<typeof testApi>, user = 'alice', workerId = 'w1', overlap = 'skip') {
  const job = await api.create({ overlap }, { user });
  const message = api.queue.messages.find(({ jobId }) => jobId === job.id);
  if (!message) throw new Error('it is on its way');
  expect((await claim(api.ctx, workerId, message)).kind).toBe('run');
  const id = executionId(job.id, message.due);
  const beat = await api.store.readWorker(workerId);
  await api.store.putWorker({
    workerId,
    host: 'h',
    startedAt: NOW,
    beatAt: api.ctx.clock.now(),
    running: [...(beat?.running ?? []), { id, since: NOW, owner: ownerHash(user) }],
  });
  return id;
}

describe('GET /executions', () => {
  it("shows the caller's rows over all jobs, newest first, page by page, while others are added", async () => {
    const { call, store } = testApi();
    const rows = Array.from({ length: 25 }, (_, i) => aRow({ userId: 'alice', due: dueKey(NOW + i) }));
    for (const row of [...rows, aRow({ userId: 'bob', due: dueKey(NOW) })]) await store.insertRow(row);
    const wanted = rows.map(({ jobId, due }) => executionId(jobId, due)).reverse();
    const seen: string[] = [];
    let cursor = '';
    do {
      const answer = await call('GET', `/executions?limit=4${cursor}`);
      expect(answer.status).toBe(200);
      seen.push(...ids(answer));
      await store.insertRow(aRow({ userId: 'alice', due: dueKey(NOW + 1000 + seen.length) }));
      cursor = answer.body.nextCursor ? `&cursor=${answer.body.nextCursor}` : '';
    } while (cursor);
    expect(seen).toEqual(wanted);
  });

  it('by status and by time', async () => {
    const { call, store } = testApi();
    const statuses = ['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED', 'QUEUED', 'RETRYING'] as const;
    const rows = statuses.map((status, i) => aRow({ userId: 'alice', status, due: dueKey(NOW + i * 1000) }));
    for (const row of rows) await store.insertRow(row);
    const words = async (query: string) =>
      (await call('GET', `/executions?${query}`)).body.items.map((e: { status: string }) => e.status);
    for (const word of ['succeeded', 'failed', 'skipped', 'cancelled', 'retrying']) {
      expect(await words(`status=${word}`)).toEqual([word]);
    }
    expect(await words('status=queued')).toEqual(['queued']);
    const [from, to] = [NOW + 1000, NOW + 3000].map((time) => new Date(time).toISOString());
    expect(await words(`from=${from}&to=${to}`)).toEqual(['skipped', 'failed']);
    expect(await words(`status=failed&from=${from}&to=${to}`)).toEqual(['failed']);
    expect(await words(`status=failed&from=${to}`)).toEqual([]);
  });

  it('a page looks at 1000 rows at most, and its cursor goes on from there', async () => {
    const { call, store } = testApi();
    for (let i = 0; i < 1100; i++) {
      await store.insertRow(
        aRow({ userId: 'alice', due: dueKey(NOW + i), status: i === 0 ? 'SKIPPED' : 'SUCCEEDED' }),
      );
    }
    const first = await call('GET', '/executions?status=skipped');
    expect(first.body.items).toEqual([]);
    const second = await call('GET', `/executions?status=skipped&cursor=${first.body.nextCursor}`);
    expect(second.body.items).toHaveLength(1);
    expect(second.body.nextCursor).toBeUndefined();
  });

  it.each(['skip', 'allow'])('status=running finds what has just started (overlap %s)', async (overlap) => {
    const api = testApi();
    const mine = await running(api, 'alice', 'w1', overlap);
    await running(api, 'bob', 'w1', overlap);
    const answer = await api.call('GET', '/executions?status=running');
    expect(answer.body.items).toMatchObject([{ id: mine, status: 'running', workerId: 'w1' }]);
    // Operators, too, get their own executions only.
    expect(
      ids(await api.call('GET', '/executions?status=running', { groups: ['punctual-operators'] })),
    ).toEqual([mine]);
  });

  it('workerId shows what that worker runs now: own, for operators all', async () => {
    const api = testApi();
    const [a, b] = [await running(api, 'alice', 'w1'), await running(api, 'bob', 'w1')];
    await running(api, 'alice', 'w2');
    const ask = async (user: string, query = '', groups?: string[]) =>
      ids(await api.call('GET', `/executions?workerId=w1${query}`, { user, groups })).sort();
    expect(await ask('alice')).toEqual([a]);
    expect(await ask('bob')).toEqual([b]);
    expect(await ask('carol')).toEqual([]);
    expect(await ask('olga', '', ['punctual-operators'])).toEqual([a, b].sort());
    expect(await ask('alice', '&status=failed')).toEqual([]);
    api.tick(31_000);
    expect(await ask('alice')).toEqual([]);
  });

  it('reads the heads of the own executions only, whoever else runs something', async () => {
    const api = testApi();
    const mine = await running(api, 'alice', 'w1');
    const bobs = await running(api, 'bob', 'w1');
    await running(api, 'carol', 'w2');
    const read = vi.spyOn(api.store, 'readHeads');
    const asked = async (query = 'status=running', groups?: string[]) => {
      read.mockClear();
      const found = ids(await api.call('GET', `/executions?${query}`, { groups }));
      return { found: found.sort(), heads: read.mock.calls.flatMap(([jobIds]) => jobIds).length };
    };
    expect(await asked()).toEqual({ found: [mine], heads: 1 });
    const ofWorker = await asked('workerId=w1', ['punctual-operators']);
    expect(ofWorker).toEqual({ found: [mine, bobs].sort(), heads: 2 });

    // The row of a worker of an earlier version has no owner. The execution itself is then read.
    const beat = await api.store.readWorker('w2');
    if (!beat) throw new Error('the worker has a row');
    await api.store.putWorker({ ...beat, running: beat.running.map(({ id, since }) => ({ id, since })) });
    expect(await asked()).toEqual({ found: [mine], heads: 2 });
  });

  it('what has ended since the last heartbeat is not running', async () => {
    const api = testApi();
    const id = await running(api);
    await api.endRow(id, 'SUCCEEDED');
    expect(ids(await api.call('GET', '/executions?status=running'))).toEqual([]);
    expect(ids(await api.call('GET', '/executions?workerId=w1'))).toEqual([]);
  });

  it('pages through what runs', async () => {
    const api = testApi();
    const all: string[] = [];
    for (let i = 0; i < 60; i++) {
      all.push(await running(api, i % 2 ? 'alice' : 'bob', `w${i % 3}`));
      api.tick();
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const answer = await api.call('GET', `/executions?status=running&limit=7${cursor}`);
      seen.push(...ids(answer));
      cursor = answer.body.nextCursor ? `&cursor=${answer.body.nextCursor}` : '';
    } while (cursor);
    expect(seen).toEqual(all.filter((_, i) => i % 2).reverse());
  });

  it('status=scheduled shows the next occurrence of each active job', async () => {
    const { call, create, tick } = testApi();
    const names = ['PT1H', 'P1D'];
    for (const every of names) {
      await create({ schedule: { every, startAt: '2026-11-16T13:00:00Z' } });
      tick();
    }
    const paused = await create({ schedule: { every: 'PT1H' } });
    await call('POST', `/jobs/${paused.id}/pause`);
    const { body } = await call('GET', '/executions?status=scheduled&limit=1');
    const next = await call('GET', `/executions?status=scheduled&limit=1&cursor=${body.nextCursor}`);
    const items = [...body.items, ...next.body.items];
    expect(items).toHaveLength(2);
    for (const item of items)
      expect(item).toMatchObject({ status: 'scheduled', dueAt: '2026-11-16T13:00:00.000Z' });
  });
});

describe('status=scheduled', () => {
  const later = '2026-11-16T14:00:00.000Z';

  it('has no occurrence that falls into a pause with an end', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { cron: '*/5 * * * *' } });
    await call('POST', `/jobs/${id}/pause`, { body: { until: later } });
    for (const path of ['/executions?status=scheduled', `/jobs/${id}/executions?status=scheduled&limit=1`])
      expect((await call('GET', path)).body.items, path).toMatchObject([{ dueAt: later, jobId: id }]);
  });

  it('continues after a cursor, and lists nothing that was due meanwhile', async () => {
    const { call, create, tick } = testApi();
    const { id } = await create({ schedule: { cron: '0 * * * *' } });
    const list = async (query: string) =>
      (await call('GET', `/jobs/${id}/executions?status=scheduled&limit=2${query}`)).body;
    const first = await list('');
    expect(first.items.map(({ dueAt }: { dueAt: string }) => dueAt)).toEqual([
      '2026-11-16T13:00:00.000Z',
      later,
    ]);
    expect((await list(`&cursor=${first.nextCursor}`)).items[0].dueAt).toBe('2026-11-16T15:00:00.000Z');
    tick(5.5 * 3_600_000);
    expect((await list(`&cursor=${first.nextCursor}`)).items).toMatchObject([
      { status: 'scheduled', dueAt: '2026-11-16T18:00:00.000Z' },
      { status: 'scheduled', dueAt: '2026-11-16T19:00:00.000Z' },
    ]);
  });

  it.each(['1', '-5', '0x10', '1e3', '%2012', '17961192000000', 'MTc5NjExOTIwMDAwMA'])(
    'refuses the cursor %s of another list',
    async (cursor) => {
      const { call, create } = testApi();
      const { id } = await create({ schedule: { cron: '0 * * * *' } });
      const path = `/jobs/${id}/executions?status=scheduled&cursor=${cursor}`;
      expect(await call('GET', path)).toMatchObject({ status: 400, body: { errors: [{ path: 'cursor' }] } });
    },
  );
});

describe('cancel and retry', () => {
  it('cancel of what is queued, then retry, then cancel again', async () => {
    const { call, create } = testApi();
    const { id: jobId } = await create({ schedule: { every: 'PT1H' } });
    const { id } = (await call('POST', `/jobs/${jobId}/run`)).body;
    const cancelled = await call('POST', `/executions/${id}/cancel`);
    expect(cancelled).toMatchObject({
      status: 202,
      body: { id, status: 'cancelled', reason: 'cancelled by request' },
    });
    expect((await call('POST', `/executions/${id}/cancel`)).status).toBe(409);
    const retried = await call('POST', `/executions/${id}/retry`);
    expect(retried).toMatchObject({ status: 202, body: { id, status: 'queued', attempt: 0 } });
    expect((await call('POST', `/executions/${id}/retry`)).status).toBe(409);
    expect((await call('POST', `/executions/${id}/cancel`)).body.status).toBe('cancelled');
  });

  it('cancel of what runs asks it to stop and says that it still runs', async () => {
    const api = testApi();
    const id = await running(api);
    expect(await api.call('POST', `/executions/${id}/cancel`)).toMatchObject({
      status: 202,
      body: { status: 'running' },
    });
    expect(await api.call('GET', `/executions/${id}`)).toMatchObject({ body: { stopping: true } });
  });

  it('cancel of an occurrence to come: it does not run, the schedule goes on', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H', startAt: '2026-11-16T13:00:00Z' } });
    const [first] = (await call('GET', `/jobs/${id}/executions?status=scheduled`)).body.items;
    expect(await call('POST', `/executions/${first.id}/cancel`)).toMatchObject({
      status: 202,
      body: { status: 'cancelled' },
    });
    expect((await call('GET', `/jobs/${id}`)).body.status).toBe('active');
    const next = await call('GET', `/jobs/${id}/executions?status=scheduled&limit=2`);
    expect(next.body.items).toMatchObject([
      { dueAt: '2026-11-16T14:00:00.000Z' },
      { dueAt: '2026-11-16T15:00:00.000Z' },
    ]);
  });

  it('a time at which nothing is due is no execution', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { every: 'PT1H' } });
    for (const verb of ['cancel', 'retry']) {
      expect((await call('POST', `/executions/${id}.1796119200001/${verb}`)).status).toBe(404);
    }
  });
});

it('an execution that is retried says when its next attempt starts, and one that has ended does not', async () => {
  const { call, create, endRow } = testApi();
  const { id } = await create({ schedule: { every: 'PT1H' } });
  const { body: run } = await call('POST', `/jobs/${id}/run`);
  const nextAttemptAt = NOW + 8_000;
  await endRow(run.id, 'RETRYING', { nextAttemptAt });
  const shown = async () => (await call('GET', `/executions/${run.id}`)).body;
  expect(await shown()).toMatchObject({
    status: 'retrying',
    nextAttemptAt: new Date(nextAttemptAt).toISOString(),
  });
  await endRow(run.id, 'FAILED', { nextAttemptAt });
  expect(await shown()).not.toHaveProperty('nextAttemptAt');
});

describe('GET /workers', () => {
  it('shows operators the live workers and what they run', async () => {
    const api = testApi();
    const id = await running(api, 'alice', 'w1');
    await api.store.putWorker({
      workerId: 'gone',
      host: 'h',
      startedAt: 0,
      beatAt: NOW - 60_000,
      running: [],
    });
    const { body } = await api.call('GET', '/workers', { groups: ['punctual-operators'] });
    const since = new Date(NOW).toISOString();
    expect(body).toEqual({
      items: [
        {
          ...{ id: 'w1', host: 'h', startedAt: since, lastSeenAt: since },
          running: [{ id, since, owner: ownerHash('alice') }],
        },
      ],
    });
  });
});

describe('dead letters', () => {
  const failed = (userId: string, count: number, jobId?: string) =>
    Array.from({ length: count }, (_, i) =>
      aRow({ userId, status: 'FAILED', due: dueKey(NOW - i * 1000), ...(jobId && { jobId }) }),
    );

  it("shows the caller's failed executions, operators all, page by page", async () => {
    const { call, store } = testApi();
    const [mine, others] = [failed('alice', 7), failed('bob', 3)];
    for (const row of [...mine, ...others, aRow({ userId: 'alice' })]) await store.insertRow(row);
    const all = async (user: string, groups?: string[]) => {
      const seen: string[] = [];
      let cursor = '';
      do {
        const answer = await call('GET', `/dead-letters?limit=2${cursor}`, { user, groups });
        seen.push(...ids(answer));
        cursor = answer.body.nextCursor ? `&cursor=${answer.body.nextCursor}` : '';
      } while (cursor);
      return seen;
    };
    const idOf = ({ jobId, due }: { jobId: string; due: string }) => executionId(jobId, due);
    expect(await all('alice')).toEqual(mine.map(idOf));
    expect(await all('bob')).toEqual(others.map(idOf));
    expect((await all('olga', ['punctual-operators'])).sort()).toEqual([...mine, ...others].map(idOf).sort());
  });

  it('redrive of nothing names all ways to say what', async () => {
    const { call } = testApi();
    const answer = await call('POST', '/dead-letters/redrive', { body: {} });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { path: '', message: 'must have ids, or jobId, or errorKey; none of them is given' },
    ]);
  });

  it('redrive by ids runs them again, once', async () => {
    const api = testApi();
    const { id: jobId } = await api.create({ schedule: { every: 'PT1H' } });
    const runs: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { id } = (await api.call('POST', `/jobs/${jobId}/run`)).body;
      await api.endRow(id, i < 2 ? 'FAILED' : 'SUCCEEDED');
      runs.push(id);
    }
    expect(ids(await api.call('GET', '/dead-letters')).sort()).toEqual(runs.slice(0, 2).sort());
    const redrive = () => api.call('POST', '/dead-letters/redrive', { body: { ids: runs } });
    expect(await redrive()).toMatchObject({ status: 202, body: { redriven: 2 } });
    expect(await redrive()).toMatchObject({ status: 202, body: { redriven: 0 } });
    expect(ids(await api.call('GET', '/dead-letters'))).toEqual([]);
    expect((await api.call('GET', `/executions/${runs[0]}`)).body.status).toBe('queued');
  });

  it("redrive by ids: one that is not there, or not the caller's, and nothing happens", async () => {
    const api = testApi();
    const { id: jobId } = await api.create({ schedule: { every: 'PT1H' } });
    const { id } = (await api.call('POST', `/jobs/${jobId}/run`)).body;
    await api.endRow(id, 'FAILED');
    const redrive = async (user: string, list: string[]) =>
      (await api.call('POST', '/dead-letters/redrive', { user, body: { ids: list } })).status;
    expect(await redrive('bob', [id])).toBe(404);
    expect(await redrive('alice', [id, `${jobId}.1796119200001`])).toBe(404);
    expect(await redrive('alice', [id, 'job_00000000000000000000.1796119200000'])).toBe(404);
    expect(ids(await api.call('GET', '/dead-letters'))).toEqual([id]);
    const operator = { user: 'olga', groups: ['punctual-operators'], body: { ids: [id] } };
    expect((await api.call('POST', '/dead-letters/redrive', operator)).body).toEqual({ redriven: 1 });
  });

  it('redrive of a job and a range, at most 1000 a call', async () => {
    const { call, store } = testApi();
    const head = aHead({ userId: 'alice' });
    await store.insertHead(head);
    for (const row of [...failed('alice', 1003, head.jobId), ...failed('alice', 5)])
      await store.insertRow(row);
    const redrive = async (body: object) => (await call('POST', '/dead-letters/redrive', { body })).body;
    const { jobId } = head;
    const range = { from: new Date(NOW - 2000).toISOString(), to: new Date(NOW).toISOString() };
    expect(await redrive({ jobId, ...range })).toEqual({ redriven: 2 });
    expect(await redrive({ jobId })).toEqual({ redriven: 1000 });
    expect(await redrive({ jobId })).toEqual({ redriven: 1 });
    expect(await redrive({ jobId })).toEqual({ redriven: 0 });
    expect(ids(await call('GET', '/dead-letters?limit=100'))).toHaveLength(5);
    expect((await call('POST', '/dead-letters/redrive', { user: 'bob', body: { jobId } })).status).toBe(404);
    await call('DELETE', `/jobs/${jobId}`);
    expect((await call('POST', '/dead-letters/redrive', { body: { jobId } })).status).toBe(409);
  });

  it('by job', async () => {
    const { call, store } = testApi();
    const [one, two] = failed('alice', 2);
    if (!one || !two) throw new Error('two');
    await store.insertRow(one);
    await store.insertRow(two);
    expect(ids(await call('GET', `/dead-letters?jobId=${one.jobId}`))).toEqual([
      executionId(one.jobId, one.due),
    ]);
  });
});
