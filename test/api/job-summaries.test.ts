// GET /jobs with `view=summary` and `include=recent`: the list for people.
import { describe, expect, it } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import { jobShape, jobSummaryShape, MAX_RECENT } from '../../src/domain/views/resource-schemas.ts';
import { aRow } from '../support/fixtures.ts';
import { NOW, testApi } from './api.ts';

const HOUR = 3_600_000;
const LIST = '/jobs?view=summary&include=recent';
const JOB = { schedule: { cron: '0 * * * *' }, params: { result: 'secret' }, notify: [], name: 'hourly' };

type Api = ReturnType<typeof testApi>;

const addRow = (api: Api, jobId: string, dueAt: number, more: Partial<Row> = {}) =>
  api.store.insertRow(
    aRow({
      ...{ jobId, due: dueKey(dueAt), userId: 'alice', startedAt: dueAt + 3, finishedAt: dueAt + 250 },
      ...more,
    }),
  );

const addRunning = (api: Api, jobId: string, dueAt: number) =>
  addRow(api, jobId, dueAt, {
    ...{ status: 'RUNNING', startedAt: dueAt + 4, leaseUntil: NOW + 30_000 },
    ...({ finishedAt: undefined, result: undefined } as Partial<Row>),
  });

const recentOf = async (api: Api, path = LIST) => (await api.call('GET', path)).body.items[0].recent;

describe('view=summary', () => {
  it('has all fields of a job except params and notify', async () => {
    const api = testApi();
    await api.create(JOB);
    const [full] = (await api.call('GET', '/jobs')).body.items;
    const [summary] = (await api.call('GET', '/jobs?view=summary')).body.items;
    const { params, notify, ...rest } = full;
    expect([params, notify]).toEqual([JOB.params, []]);
    expect(summary).toEqual(rest);
    expect(jobSummaryShape.parse(summary)).toEqual(summary);
    expect((await api.call('GET', '/jobs?view=full')).body.items).toEqual([full]);
  });

  it('reads no definitions', async () => {
    const api = testApi();
    for (let i = 0; i < 3; i++) await api.create(JOB);
    api.store.readDefinitions = () => Promise.reject(new Error('a definition was read'));
    expect((await api.call('GET', LIST)).body.items).toHaveLength(3);
    expect((await api.call('GET', '/jobs')).status).toBe(500);
  });

  it('filters and pages like the full list', async () => {
    const api = testApi();
    for (let i = 0; i < 5; i++) await api.create({ ...JOB, name: `n${i % 2}` });
    const names = async (path: string): Promise<string[]> => {
      const { body } = await api.call('GET', path);
      const found = body.items.map(({ id }: { id: string }) => id);
      return body.nextCursor
        ? [...found, ...(await names(`${path.split('&cursor')[0]}&cursor=${body.nextCursor}`))]
        : found;
    };
    expect(await names(`${LIST}&name=n0&limit=1`)).toEqual(await names('/jobs?name=n0&limit=1'));
  });
});

describe('include=recent', () => {
  it('is empty for a job that has not run, and absent without it', async () => {
    const api = testApi();
    await api.create(JOB);
    expect(await recentOf(api)).toEqual([]);
    expect(await recentOf(api, '/jobs?view=summary')).toBeUndefined();
  });

  it('has id, status, due time, lateness and duration, newest first', async () => {
    const api = testApi();
    const { id } = await api.create(JOB);
    await addRow(api, id, NOW - 2 * HOUR, { status: 'FAILED', error: { name: 'E', message: 'm' } });
    await addRow(api, id, NOW - HOUR);
    await addRow(api, id, NOW - 3 * HOUR, {
      ...{ status: 'SKIPPED', reason: 'overlap', startedAt: undefined, finishedAt: NOW },
      result: undefined,
    } as Partial<Row>);
    const at = (hours: number) => new Date(NOW - hours * HOUR).toISOString();
    expect(await recentOf(api)).toEqual([
      { id: `${id}.${NOW - HOUR}`, status: 'succeeded', dueAt: at(1), latenessMs: 3, durationMs: 247 },
      { id: `${id}.${NOW - 2 * HOUR}`, status: 'failed', dueAt: at(2), latenessMs: 3, durationMs: 247 },
      { id: `${id}.${NOW - 3 * HOUR}`, status: 'skipped', dueAt: at(3) },
    ]);
  });

  it('works on full jobs, too', async () => {
    const api = testApi();
    const { id } = await api.create(JOB);
    await addRow(api, id, NOW - HOUR);
    const [job] = (await api.call('GET', '/jobs?include=recent')).body.items;
    expect(jobShape.parse(job)).toMatchObject({ params: JOB.params, recent: [{ status: 'succeeded' }] });
  });

  it('agrees with the list of executions of the job', async () => {
    const api = testApi();
    const { id } = await api.create(JOB);
    for (let i = 1; i < 10; i++) await addRow(api, id, NOW - i * HOUR);
    await api.call('POST', `/jobs/${id}/run`);
    await addRunning(api, id, NOW - HOUR / 2);
    const { items } = (await api.call('GET', `/jobs/${id}/executions`)).body;
    const ids = (list: { id: string; status: string }[]) => list.map((one) => `${one.id} ${one.status}`);
    expect(ids(await recentOf(api)).sort()).toEqual(ids(items).sort());
  });

  it('has the newest 20', async () => {
    const api = testApi();
    const { id } = await api.create(JOB);
    for (let i = 1; i <= 25; i++) await addRow(api, id, NOW - i * HOUR);
    const recent = await recentOf(api);
    expect(recent).toHaveLength(MAX_RECENT);
    expect(recent[0].id).toBe(`${id}.${NOW - HOUR}`);
    expect(recent.at(-1).id).toBe(`${id}.${NOW - 20 * HOUR}`);
  });
});

describe('a running execution', () => {
  it('is the first of at most 20', async () => {
    const api = testApi();
    const { id } = await api.create(JOB);
    for (let i = 1; i <= 20; i++) await addRow(api, id, NOW - i * HOUR);
    await addRunning(api, id, NOW - 1000);
    const recent = await recentOf(api);
    expect(recent).toHaveLength(MAX_RECENT);
    expect(recent[0]).toEqual({
      id: `${id}.${NOW - 1000}`,
      status: 'running',
      dueAt: new Date(NOW - 1000).toISOString(),
      latenessMs: 4,
    });
    expect(recent.at(-1).id).toBe(`${id}.${NOW - 19 * HOUR}`);
  });

  it('is in its place, if a later occurrence was skipped meanwhile', async () => {
    const api = testApi();
    const { id } = await api.create(JOB);
    await addRow(api, id, NOW - HOUR, { status: 'SKIPPED' });
    await addRow(api, id, NOW - 3 * HOUR);
    await addRunning(api, id, NOW - 2 * HOUR);
    const statuses = (await recentOf(api)).map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(['skipped', 'running', 'succeeded']);
  });
});

describe('bounds', () => {
  it.each([
    ['view=short', 'view', /"full".*"summary"/],
    ['include=all', 'include', /"recent"/],
    ['view=', 'view', /"summary"/],
  ])('%s is refused with what is allowed', async (query, path, message) => {
    const answer = await testApi().call('GET', `/jobs?${query}`);
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ path, message: expect.stringMatching(message) }] },
    });
  });

  it('reads the rows of at most 16 jobs at once', async () => {
    const api = testApi();
    for (let i = 0; i < 60; i++) await api.create(JOB);
    const read = api.store.listRows.bind(api.store);
    let reading = 0;
    let most = 0;
    api.store.listRows = async (jobId, options) => {
      most = Math.max(most, ++reading);
      await new Promise(setImmediate);
      reading--;
      return read(jobId, options);
    };
    expect((await api.call('GET', `${LIST}&limit=60`)).body.items).toHaveLength(60);
    expect(most).toBe(16);
  });
});
