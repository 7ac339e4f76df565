// Batches of jobs, and asynchronous creates.
import { describe, expect, it } from 'vitest';
import { batchShape } from '../../src/api/contract/response-schemas.ts';
import { ingest } from '../../src/api/handlers/ingest.ts';
import { NOW, testApi } from './api.ts';

describe('POST /jobs/batch', () => {
  it('each is created or refused on its own, in their order', async () => {
    const { call, store } = testApi();
    const jobs = [
      { task: 'noop', name: 'a' },
      { task: 'bake' },
      null,
      { task: 'noop', schedule: { at: '2020-01-01T00:00:00Z' } },
      { task: 'noop', name: 'b', schedule: { cron: '@daily' } },
    ];
    const { status, body } = await call('POST', '/jobs/batch', { body: { jobs } });
    expect(status).toBe(207);
    expect(batchShape.parse(body)).toBeTruthy();
    expect(body.results.map((r: { status: number }) => r.status)).toEqual([201, 400, 400, 422, 201]);
    expect(body.results[0].job.name).toBe('a');
    expect(body.results[1].error).toMatchObject({ status: 400, errors: [{ path: 'task' }] });
    expect(body.results[4].job).toMatchObject({ name: 'b', status: 'active' });
    expect(store.heads.all()).toHaveLength(2);
  });

  it('100 at once; 101 or none are refused as a whole', async () => {
    const { call, store } = testApi();
    const jobs = (count: number) => ({ jobs: Array.from({ length: count }, () => ({ task: 'noop' })) });
    expect((await call('POST', '/jobs/batch', { body: jobs(101) })).status).toBe(400);
    expect((await call('POST', '/jobs/batch', { body: jobs(0) })).status).toBe(400);
    expect(store.heads.all()).toHaveLength(0);
    const { body } = await call('POST', '/jobs/batch', { body: jobs(100) });
    expect(new Set(body.results.map((r: { job: { id: string } }) => r.job.id)).size).toBe(100);
  });

  it('repeated with its key it creates nothing twice, and what failed then may succeed now', async () => {
    const { call, store } = testApi();
    const headers = { 'idempotency-key': 'k' };
    const body = {
      jobs: [
        { task: 'noop', name: 'a' },
        { task: 'noop', name: 'b' },
        { task: 'noop', name: 'c' },
      ],
    };
    const insertHead = store.insertHead.bind(store);
    store.insertHead = (head) =>
      head.name === 'b' ? Promise.reject(new Error('a bad moment')) : insertHead(head);
    const first = await call('POST', '/jobs/batch', { body, headers });
    expect(first.body.results.map((r: { status: number }) => r.status)).toEqual([201, 500, 201]);
    expect(JSON.stringify(first.body)).not.toContain('bad moment');
    store.insertHead = insertHead;
    const second = await call('POST', '/jobs/batch', { body, headers });
    expect(second.body.results.map((r: { status: number }) => r.status)).toEqual([201, 201, 201]);
    expect(second.body.results[0].job.id).toBe(first.body.results[0].job.id);
    expect(store.heads.all()).toHaveLength(3);
    // The key of a single create cannot collide with the keys of a batch.
    expect((await call('POST', '/jobs', { body: body.jobs[0], headers })).status).toBe(201);
    expect(store.heads.all()).toHaveLength(4);
  });
});

describe('Prefer: respond-async', () => {
  const headers = { prefer: 'respond-async' };

  it('is accepted with the id under which it will be there, once, however often it is delivered', async () => {
    const { call, ingested, ctx, store } = testApi();
    const body = {
      task: 'noop',
      name: 'later',
      schedule: { every: 'PT1H', startAt: '2026-11-16T13:00:00Z' },
    };
    const answer = await call('POST', '/jobs', { body, headers });
    expect(answer).toMatchObject({ status: 202, headers: { 'preference-applied': 'respond-async' } });
    const { id } = answer.body;
    expect(answer.headers.location).toBe(`/jobs/${id}`);
    expect((await call('GET', `/jobs/${id}`)).status).toBe(404);
    expect(ingested).toHaveLength(1);
    const [message = ''] = ingested;
    await Promise.all([ingest(ctx, message), ingest(ctx, message)]);
    expect(await ingest(ctx, message)).toBeUndefined();
    expect(await call('GET', `/jobs/${id}`)).toMatchObject({
      status: 200,
      body: { ...body, status: 'active' },
    });
    expect(store.heads.all()).toHaveLength(1);
    await call('DELETE', `/jobs/${id}`);
    expect(await ingest(ctx, message)).toBeUndefined();
    expect((await call('GET', `/jobs/${id}`)).body.status).toBe('cancelled');
  });

  it.each(['respond-async', 'Respond-Async; wait=5', 'wait=10, respond-async'])('"%s"', async (prefer) => {
    const { call } = testApi();
    expect((await call('POST', '/jobs', { body: { task: 'noop' }, headers: { prefer } })).status).toBe(202);
  });

  it.each(['return=minimal', 'respond-asynchronously', ''])('not "%s"', async (prefer) => {
    const { call } = testApi();
    expect((await call('POST', '/jobs', { body: { task: 'noop' }, headers: { prefer } })).status).toBe(201);
  });

  it.each([
    [{ task: 'bake' }, 400],
    [{ task: 'noop', schedule: { cron: '61 * * * *' } }, 400],
    [{ task: 'noop', schedule: { at: '2020-01-01T00:00:00Z' } }, 422],
  ])('what is wrong is told at once: %j', async (body, status) => {
    const { call, stored } = testApi();
    expect((await call('POST', '/jobs', { body, headers })).status).toBe(status);
    expect(stored()).toBe(0);
  });

  it('with an Idempotency-Key a repeat has the same id; another body is a conflict once it is there', async () => {
    const { call, ingested, ctx, store } = testApi();
    const keyed = { ...headers, 'idempotency-key': 'order-17' };
    const send = (name: string) => call('POST', '/jobs', { body: { task: 'noop', name }, headers: keyed });
    const first = await send('a');
    expect((await send('a')).body).toEqual(first.body);
    const other = await send('b'); // not known to be another yet
    expect(other.status).toBe(202);
    const reasons: (string | undefined)[] = [];
    for (const message of ingested) reasons.push(await ingest(ctx, message));
    expect(reasons).toEqual([
      undefined,
      undefined,
      expect.stringMatching(/Conflict.*different request body/),
    ]);
    expect((await send('b')).status).toBe(409);
    expect((await send('a')).body).toEqual(first.body);
    // Without the preference, the same key finds the same job.
    const now = await call('POST', '/jobs', {
      body: { task: 'noop', name: 'a' },
      headers: { 'idempotency-key': 'order-17' },
    });
    expect(now).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect(store.heads.all()).toHaveLength(1);
  });

  it('times count from the acceptance; what has come due meanwhile runs now', async () => {
    const { call, ingested, ctx, tick } = testApi();
    const schedules = [
      { in: 'PT90S' },
      { in: 'PT1S' },
      undefined,
      { at: '2026-11-16T12:00:05Z' },
      { every: 'P1D' },
    ];
    for (const schedule of schedules)
      await call('POST', '/jobs', { body: { task: 'noop', schedule }, headers });
    tick(30_000);
    for (const message of ingested) expect(await ingest(ctx, message)).toBeUndefined();
    const { items } = (await call('GET', '/jobs')).body;
    const [now, later] = [NOW + 30_000, NOW + 90_000];
    expect(items.map((job: { nextRunAt: string }) => Date.parse(job.nextRunAt) - NOW).sort()).toEqual(
      [now, now, now, later, now + 86_400_000].map((time) => time - NOW).sort(),
    );
  });

  it('a consumer that fails half way is asked again, and the job is there once', async () => {
    const { call, ingested, ctx, store, queue } = testApi();
    const { id } = (await call('POST', '/jobs', { body: { task: 'noop' }, headers })).body;
    const [message = ''] = ingested;
    const send = queue.send.bind(queue);
    const insertHead = store.insertHead.bind(store);
    store.insertHead = () => Promise.reject(new Error('crash before the head'));
    await expect(ingest(ctx, message)).rejects.toThrow('crash');
    store.insertHead = insertHead;
    queue.send = () => Promise.reject(new Error('crash after the head'));
    await expect(ingest(ctx, message)).rejects.toThrow('crash');
    queue.send = send;
    expect(await ingest(ctx, message)).toBeUndefined();
    expect(store.heads.all()).toMatchObject([{ jobId: id, status: 'active' }]);
  });

  it('the limits of jobs and bytes refuse a job when it is accepted, so that no queue keeps what cannot be created', async () => {
    const schedule = { every: 'PT1H' };
    for (const [limit, params] of [
      ['activeJobs', {}],
      ['storedBytes', { result: 'x'.repeat(90_000) }],
    ] as const) {
      const { call, ingested, ctx } = testApi({ limits: { activeJobs: 1, storedBytes: 100_000 } });
      if (limit === 'activeJobs') await call('POST', '/jobs', { body: { task: 'noop', schedule } });
      const body = { task: 'noop', schedule, params };
      const answers = [];
      for (let i = 0; i < 2; i++) answers.push(await call('POST', '/jobs', { body, headers }));
      expect(answers.at(-1)).toMatchObject({ status: 429, body: { limit: { name: limit } } });
      for (const message of ingested) expect(await ingest(ctx, message)).toBeUndefined();
    }
  });

  it('what is refused when it is created says why; what is no message of ours too', async () => {
    const { call, ingested, ctx } = testApi();
    const soon = { in: 'PT1H' };
    const keyed = { ...headers, 'idempotency-key': 'one' };
    const body = (n: number) => ({ task: 'noop', schedule: soon, params: { result: n } });
    for (const n of [1, 2]) await call('POST', '/jobs', { body: body(n), headers: keyed });
    const [first = '', second = ''] = ingested;
    expect(await ingest(ctx, first)).toBeUndefined();
    expect(await ingest(ctx, second)).toMatch(/the Idempotency-Key was used before/);
    expect(await ingest(ctx, '{"task":"noop"}')).toBe('the message is not an accepted job');
    expect(await ingest(ctx, 'x')).toBe('the message is not an accepted job');
  });
});
