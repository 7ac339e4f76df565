// GET /executions/{id}/logs: who sees which lines, pages, and servers that have none. test/telemetry has the sources.
import { describe, expect, it } from 'vitest';
import { parseExecutionId } from '../../src/domain/executions/ids.ts';
import type { ExecutionLogs, LogQuery } from '../../src/telemetry/execution-logs.ts';
import { SourceUnavailable } from '../../src/telemetry/source-unavailable.ts';
import { NOW, type TestOptions, testApi } from './api.ts';

async function opened(options: TestOptions = {}) {
  const api = testApi(options);
  const job = await api.create({ schedule: { every: 'PT1H' } });
  const { body: run } = await api.call('POST', `/jobs/${job.id}/run`);
  const key = parseExecutionId(run.id) ?? expect.fail();
  const log = (message: string, fields?: Record<string, unknown>) =>
    api.lines.record(key, 'alice', {
      at: NOW,
      level: 'info',
      message,
      attempt: 1,
      ...(fields && { fields }),
    });
  const logs = (query = '', more = {}) => api.call('GET', `/executions/${run.id}/logs${query}`, more);
  return { ...api, id: run.id as string, jobId: job.id as string, key, log, logs };
}

describe('GET /executions/{id}/logs', () => {
  it('lists the lines of the execution, oldest first, and says when no more follow', async () => {
    const { id, log, logs, endRow } = await opened();
    log('one', { a: 1 });
    expect((await logs()).body).toEqual({ items: [], complete: false });
    await endRow(id, 'RUNNING');
    log('two');
    const line = { at: new Date(NOW).toISOString(), level: 'info', attempt: 1 };
    const items = [
      { id: '1', message: 'one', fields: { a: 1 }, ...line },
      { id: '2', message: 'two', ...line },
    ];
    expect((await logs()).body).toEqual({ items, complete: false });
    await endRow(id, 'SUCCEEDED');
    expect((await logs()).body).toEqual({ items, complete: true });
  });

  it('pages by cursor, and follows with the id of the last line', async () => {
    const { id, log, logs, endRow } = await opened();
    for (let i = 1; i <= 5; i++) log(String(i));
    await endRow(id, 'FAILED');
    const first = (await logs('?limit=2')).body;
    expect(first).toMatchObject({
      nextCursor: '2',
      complete: false,
      items: [{ message: '1' }, { message: '2' }],
    });
    expect((await logs('?limit=3&cursor=2')).body).toMatchObject({ complete: true, items: [{}, {}, {}] });
    expect((await logs('?cursor=5')).body).toEqual({ items: [], complete: true });
    log('6');
    expect((await logs('?cursor=5')).body).toMatchObject({ items: [{ id: '6', message: '6' }] });
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?cursor=x', 'cursor'],
    ['?cursor=-1', 'cursor'],
    ['?from=1', 'from'],
  ])('%s is refused, and names the field', async (query, field) => {
    const { id, logs, endRow } = await opened();
    await endRow(id, 'SUCCEEDED');
    const { status, body } = await logs(query);
    expect(status).toBe(400);
    expect(body.detail).toContain(field);
  });

  it('a planned execution and one that was skipped have no lines', async () => {
    const { id, jobId, logs, endRow, call, lines } = await opened();
    const { body } = await call('GET', `/jobs/${jobId}/executions?status=scheduled&limit=1`);
    const planned = await call('GET', `/executions/${body.items[0].id}/logs`);
    expect(planned.body).toEqual({ items: [], complete: false });
    await endRow(id, 'SKIPPED', { startedAt: undefined as never, finishedAt: NOW });
    expect((await logs()).body).toEqual({ items: [], complete: true });
    expect(lines).toBeTruthy();
  });

  it('only the owner and operators see them', async () => {
    const { id, log, logs, endRow } = await opened();
    log('own');
    await endRow(id, 'SUCCEEDED');
    expect((await logs('', { user: 'bob' })).status).toBe(404);
    const seen = await logs('', { user: 'olga', groups: ['punctual-operators'] });
    expect(seen.body.items).toMatchObject([{ message: 'own' }]);
  });

  it('the source is asked for the time from the first start to the end', async () => {
    const asked: LogQuery[] = [];
    const logs: ExecutionLogs = {
      delayMs: 15_000,
      read: async (_key, query) => {
        asked.push(query);
        return { items: [] };
      },
    };
    const api = await opened({ telemetry: { logs } });
    await api.endRow(api.id, 'RUNNING', { startedAt: NOW + 90, firstStartedAt: NOW + 5, attempt: 2 });
    await api.logs();
    await api.endRow(api.id, 'SUCCEEDED', {
      startedAt: NOW + 90,
      firstStartedAt: NOW + 5,
      finishedAt: NOW + 100,
    });
    api.tick(100);
    // lines of CloudWatch may still be on their way
    expect((await api.logs()).body).toEqual({ items: [], complete: false });
    api.tick(15_000);
    expect((await api.logs()).body).toEqual({ items: [], complete: true });
    expect(asked).toMatchObject([
      { startedAt: NOW + 5, limit: 100 },
      { startedAt: NOW + 5, finishedAt: NOW + 100 },
      { startedAt: NOW + 5, finishedAt: NOW + 100 },
    ]);
    expect(asked[0]).not.toHaveProperty('finishedAt');
  });

  it('a server that cannot read them answers 501, and logs no error', async () => {
    const { id, logs, endRow, logged } = await opened({ telemetry: {} });
    await endRow(id, 'SUCCEEDED');
    const { status, body } = await logs();
    expect([status, body.detail]).toEqual([
      501,
      'this server keeps no log lines of tasks: its workers write them to their standard error',
    ]);
    expect(logged.filter(({ level }) => level === 'ERROR')).toEqual([]);
  });

  it('a source that is unavailable is 503 with its reason and Retry-After', async () => {
    const logs: ExecutionLogs = {
      delayMs: 0,
      read: async () => {
        throw new SourceUnavailable('CloudWatch Logs throttles', 5);
      },
    };
    const api = await opened({ telemetry: { logs } });
    await api.endRow(api.id, 'SUCCEEDED');
    expect(await api.logs()).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { detail: 'CloudWatch Logs throttles', type: 'urn:punctual:problem:source-unavailable' },
    });
  });
});
