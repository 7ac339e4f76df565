// GET /stats and GET /executions/summary.
import { describe, expect, it } from 'vitest';
import { dueKey, executionId } from '../../src/domain/executions/ids.ts';
import type { RowStatus } from '../../src/domain/executions/row.ts';
import { SourceUnavailable } from '../../src/telemetry/source-unavailable.ts';
import type { StatisticsQuery } from '../../src/telemetry/statistics.ts';
import { aRow } from '../support/fixtures.ts';
import { NOW, type TestOptions, testApi } from './api.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const iso = (time: number) => new Date(time).toISOString();
const ask = (values: Record<string, string | number>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    query.set(name, typeof value === 'number' ? iso(value) : value);
  return `?${query}`;
};

describe('GET /stats', () => {
  const opened = (options: TestOptions = {}) => {
    const api = testApi(options);
    const stats = (query = '', groups = ['punctual-operators']) =>
      api.call('GET', `/stats${query}`, { user: 'olga', groups });
    return { ...api, stats };
  };

  it('has a bucket for each minute since the start, with counts, lateness and running', async () => {
    const { stats, statistics, tick } = opened();
    for (const lateness of [1, 2, 3, 4]) statistics.add('Lateness', lateness);
    statistics.add('Succeeded', 3);
    statistics.add('Failed', 1);
    statistics.add('Running', 4);
    statistics.add('Running', 5);
    tick(2 * MINUTE);
    statistics.add('Skipped', 1);
    statistics.add('Cancelled', 1);
    statistics.add('Retried', 2);
    tick(MINUTE / 2);
    const none = { started: 0, succeeded: 0, failed: 0, skipped: 0, cancelled: 0, retried: 0 };
    expect((await stats()).body).toEqual({
      from: iso(NOW + 2 * MINUTE - HOUR),
      to: iso(NOW + 3 * MINUTE),
      bucket: 'PT1M',
      since: iso(NOW),
      items: [
        {
          ...{ at: iso(NOW), ...none, started: 4, succeeded: 3, failed: 1, running: 4.5 },
          latenessMs: { p50: 2, p99: 4 },
        },
        { at: iso(NOW + MINUTE), ...none },
        { at: iso(NOW + 2 * MINUTE), ...none, skipped: 1, cancelled: 1, retried: 2 },
      ],
    });
  });

  it('is for operators only', async () => {
    const { status, body } = await opened().stats('', []);
    expect([status, body.detail]).toEqual([403, expect.stringContaining('GET /stats is for operators only')]);
  });

  it.each([
    [{}, 'PT1M', 60],
    [{ from: NOW - 3 * HOUR }, 'PT1M', 180],
    [{ from: NOW - DAY }, 'PT15M', 96],
    [{ from: NOW - 7 * DAY }, 'PT1H', 168],
    [{ from: NOW - 30 * DAY }, 'P1D', 31],
    [{ from: NOW - DAY, bucket: 'PT1M' }, 'PT1M', 1_440],
    [{ from: NOW - 3 * HOUR, to: NOW - HOUR, bucket: 'PT5M' }, 'PT5M', 24],
  ])('%j has buckets of %s: %i', async (query, bucket, count) => {
    const asked: StatisticsQuery[] = [];
    const statistics = {
      since: () => 0,
      read: async (one: StatisticsQuery) => {
        asked.push(one);
        return [];
      },
    };
    const { body, status } = await opened({ telemetry: { statistics } }).stats(ask(query));
    expect(status, JSON.stringify(body)).toBe(200);
    expect([body.bucket, body.items.length]).toEqual([bucket, count]);
    expect(asked).toEqual([{ from: Date.parse(body.from), to: Date.parse(body.to), bucket }]);
  });

  it.each([
    [
      { from: NOW - 3 * DAY, bucket: 'PT1M' },
      'bucket: must be PT5M or longer for a range of 3 d (1440 buckets), got PT1M',
    ],
    [
      { from: NOW - 1_500 * DAY },
      `from: must be at most 1440 days before to (1440 buckets), got ${iso(NOW - 1_500 * DAY)}`,
    ],
    [{ from: NOW + 1 }, `from: must be before now (${iso(NOW)}), got ${iso(NOW + 1)}`],
    [
      { from: NOW + 5, to: NOW + 9 },
      `from: must be before to and before now (${iso(NOW)}), got ${iso(NOW + 5)}`,
    ],
    [{ from: NOW - 5, to: NOW - 9 }, `to: must be after from (${iso(NOW - 5)}), got ${iso(NOW - 9)}`],
    [{ bucket: 'PT2M' }, 'bucket: must be one of'],
    [{ bucket: '60' }, 'bucket: must be one of'],
    [{ from: 'yesterday' }, 'from: '],
    [{ every: 'PT1M' }, 'every'],
  ])('%j is refused', async (query, message) => {
    const { status, body } = await opened().stats(ask(query as Record<string, string | number>));
    expect([status, body.detail]).toEqual([400, expect.stringContaining(message)]);
  });

  it('without a source: 501; with one that fails: 503 and why', async () => {
    expect(await opened({ telemetry: {} }).stats()).toMatchObject({
      status: 501,
      body: { detail: expect.stringContaining('this server has no statistics') },
    });
    const statistics = {
      since: () => 0,
      read: async () => {
        throw new SourceUnavailable('CloudWatch throttles', 5);
      },
    };
    expect(await opened({ telemetry: { statistics } }).stats()).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { detail: 'CloudWatch throttles' },
    });
  });
});

describe('GET /executions/summary', () => {
  async function opened() {
    const api = testApi();
    const { id: jobId } = await api.create({ schedule: { every: 'PT1H' } });
    const row = async (due: number, status: RowStatus, latenessMs?: number, userId = 'alice') => {
      const times =
        latenessMs === undefined ? {} : { startedAt: due + latenessMs, finishedAt: due + latenessMs + 9 };
      await api.store.insertRow(
        aRow({
          jobId,
          userId,
          due: dueKey(due),
          status,
          startedAt: undefined as never,
          ...times,
          attempt: 1,
        }),
      );
      return executionId(jobId, dueKey(due));
    };
    const summary = (query = '', more = {}) => api.call('GET', `/executions/summary${query}`, more);
    return { ...api, row, summary, jobId: jobId as string };
  }

  it('counts by status, with the lateness of starts and the worst three', async () => {
    const { row, summary, jobId } = await opened();
    const late: string[] = [];
    for (const [i, lateness] of [5, 900, 7, 3, 1_200, 30].entries())
      late.push(await row(NOW - (i + 1) * MINUTE, i === 1 ? 'FAILED' : 'SUCCEEDED', lateness));
    await row(NOW - 10 * MINUTE, 'SKIPPED');
    await row(NOW - 11 * MINUTE, 'CANCELLED');
    await row(NOW - 12 * MINUTE, 'RETRYING', 4);
    await row(NOW - 13 * MINUTE, 'QUEUED');
    await row(NOW, 'QUEUED');
    const { status, body } = await summary();
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      from: iso(NOW - DAY),
      to: iso(NOW),
      counts: { queued: 2, running: 0, retrying: 1, succeeded: 5, failed: 1, skipped: 1, cancelled: 1 },
      latenessMs: { p50: 7, p99: 1_200 },
      lookedAt: 11,
      truncated: false,
    });
    expect(body.worst).toEqual([
      { id: late[4], jobId, status: 'succeeded', dueAt: iso(NOW - 5 * MINUTE), latenessMs: 1_200 },
      { id: late[1], jobId, status: 'failed', dueAt: iso(NOW - 2 * MINUTE), latenessMs: 900 },
      { id: late[5], jobId, status: 'succeeded', dueAt: iso(NOW - 6 * MINUTE), latenessMs: 30 },
    ]);
  });

  it('looks only at the range: from is included, to is not', async () => {
    const { row, summary } = await opened();
    for (let i = 1; i <= 5; i++) await row(NOW - i * HOUR, 'SUCCEEDED', i);
    const { body } = await summary(ask({ from: NOW - 4 * HOUR, to: NOW - 2 * HOUR }));
    expect(body).toMatchObject({ counts: { succeeded: 2 }, latenessMs: { p50: 3, p99: 4 } });
  });

  it('has no lateness if nothing started', async () => {
    const { body } = await (await opened()).summary();
    expect(body).toMatchObject({ lookedAt: 0, worst: [], truncated: false });
    expect(body).not.toHaveProperty('latenessMs');
  });

  it('is about the own executions. Operators can name an owner', async () => {
    const { row, summary } = await opened();
    await row(NOW - MINUTE, 'SUCCEEDED', 1);
    expect((await summary('', { user: 'bob' })).body.lookedAt).toBe(0);
    expect((await summary('?owner=alice', { user: 'bob' })).status).toBe(403);
    const operator = { user: 'olga', groups: ['punctual-operators'] };
    expect((await summary('?owner=alice', operator)).body.lookedAt).toBe(1);
  });

  it('refuses a range that ends before it begins', async () => {
    const { summary } = await opened();
    const { status, body } = await summary(ask({ from: NOW, to: NOW - 1 }));
    expect([status, body.detail]).toEqual([
      400,
      `from: must be before to (${iso(NOW - 1)}), got ${iso(NOW)}`,
    ]);
  });

  it('is not taken for an execution id', async () => {
    const { call } = await opened();
    expect((await call('GET', '/executions/summary')).status).toBe(200);
    expect((await call('GET', '/executions/summaries')).status).toBe(404);
  });
});
