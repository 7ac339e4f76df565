import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/domain/jobs/background-operation.ts';
import { operationShape } from '../../src/domain/jobs/background-operation.ts';
import { carryOutOperations } from '../../src/jobs/operations/carry-out.ts';
import { NOW, OPERATORS, testApi } from './api.ts';

const HOUR = 3_600_000;
const hoursAgo = (hours: number) => new Date(NOW - hours * HOUR).toISOString();

/** An API whose requests have no time for a step, so that the watchers do all the work of an operation. */
function opened() {
  const api = testApi();
  const { ctx, store, call } = api;
  const hourly = async (more: Record<string, unknown> = {}) =>
    (await api.create({ schedule: { cron: '0 * * * *' }, ...more })).id as string;
  const fill = (id: string, hours: number, more = {}) =>
    call('POST', `/jobs/${id}/backfill`, { body: { from: hoursAgo(hours), to: hoursAgo(0) }, ...more });
  const operation = async (id: string) => {
    const { body } = await call('GET', `/operations/${id}`);
    return operationShape.parse(body);
  };
  /** The clock of a request advances so fast that its time for the first step is over before the step begins. */
  const fillLater = async (id: string, hours: number) => {
    const { monotonic } = ctx.clock;
    let time = monotonic();
    Object.assign(ctx.clock, { monotonic: () => (time += 1001) });
    const { body } = await fill(id, hours);
    Object.assign(ctx.clock, { monotonic });
    return body as { planned: number; operation: string };
  };
  const rows = (id: string) => store.rows.all().filter(({ jobId }) => jobId === id);
  return { ...api, hourly, fill, fillLater, operation, rows };
}

const always = () => true;

describe('POST /jobs/{id}/backfill', () => {
  it('says how many occurrences have no row, and which operation runs them', async () => {
    const { hourly, fill, operation, rows, call } = opened();
    const id = await hourly();
    const answer = await fill(id, 3);
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/operations/${answer.body.operation}` },
      body: { planned: 3, operation: expect.stringMatching(/^op_\w{20}$/) },
    });
    expect(await operation(answer.body.operation)).toEqual({
      ...{ id: answer.body.operation, kind: 'backfill', jobId: id, status: 'done' },
      ...{ done: 3, total: 3, refused: [], refusedCount: 0, createdAt: hoursAgo(0), updatedAt: hoursAgo(0) },
    });
    const { items } = (await call('GET', `/jobs/${id}/executions`)).body;
    expect(items.map((e: { dueAt: string; status: string }) => [e.dueAt.slice(11, 16), e.status])).toEqual([
      ['11:00', 'queued'],
      ['10:00', 'queued'],
      ['09:00', 'queued'],
    ]);
    const again = await fill(id, 4);
    expect(again.body.planned).toBe(1);
    expect(rows(id)).toHaveLength(4);
  });

  it('of an empty range, of what is to come or is there already: an operation that is done', async () => {
    const { hourly, call, fill, operation, store } = opened();
    const id = await hourly();
    const none = async (from: string, to: string) => {
      const { body } = await call('POST', `/jobs/${id}/backfill`, { body: { from, to } });
      expect(body.planned).toBe(0);
      expect(await operation(body.operation)).toMatchObject({ status: 'done', done: 0, total: 0 });
    };
    await none(hoursAgo(0), hoursAgo(5));
    await none(hoursAgo(-1), hoursAgo(-5));
    await fill(id, 2);
    await none(hoursAgo(2), hoursAgo(0));
    expect(store.openOperations.size).toBe(0);
  });

  it('of more than 1000 occurrences is refused, and nothing is left behind', async () => {
    const { create, call, stored } = opened();
    const { id } = await create({ schedule: { cron: '* * * * *' } });
    const before = stored();
    const answer = await call('POST', `/jobs/${id}/backfill`, {
      body: { from: hoursAgo(17), to: hoursAgo(0) },
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'to' }] } });
    expect(stored()).toBe(before);
    const most = await call('POST', `/jobs/${id}/backfill`, {
      body: { from: new Date(NOW - 1000 * 60_000).toISOString(), to: hoursAgo(0) },
    });
    expect(most.body.planned).toBe(1000);
  });

  it('of a cancelled job is a conflict', async () => {
    const { hourly, call, fill } = opened();
    const id = await hourly();
    await call('DELETE', `/jobs/${id}`);
    expect((await fill(id, 3)).status).toBe(409);
  });
});

describe('an operation', () => {
  it('that its request could not finish is carried out by the watcher', async () => {
    const { ctx, hourly, fillLater, operation, rows, store } = opened();
    const id = await hourly();
    const { planned, operation: op } = await fillLater(id, 30);
    expect(planned).toBe(30);
    expect(await operation(op)).toMatchObject({ status: 'running', done: 0, total: 30 });
    expect(rows(id)).toHaveLength(0);
    await carryOutOperations(ctx, always);
    expect(await operation(op)).toMatchObject({ status: 'done', done: 30, total: 30 });
    expect(rows(id)).toHaveLength(30);
    expect(store.openOperations.size, 'nobody looks at it any more').toBe(0);
  });

  it('with overlap: allow too', async () => {
    const { ctx, hourly, fillLater, operation, rows } = opened();
    const id = await hourly({ overlap: 'allow' });
    const { operation: op } = await fillLater(id, 12);
    await carryOutOperations(ctx, always);
    expect(await operation(op)).toMatchObject({ status: 'done', done: 12, total: 12 });
    expect(rows(id).every(({ status }) => status === 'QUEUED')).toBe(true);
  });

  it('goes on where it stopped, step by step', async () => {
    const { ctx, hourly, fillLater, operation, rows } = opened();
    const id = await hourly();
    const { operation: op } = await fillLater(id, 30);
    let left = 25;
    await carryOutOperations(ctx, () => left-- > 0);
    const { status, done } = await operation(op);
    expect(status).toBe('running');
    expect(done).toBeGreaterThan(5);
    expect(done).toBeLessThan(30);
    expect(rows(id)).toHaveLength(done);
    await carryOutOperations(ctx, always);
    expect(await operation(op)).toMatchObject({ status: 'done', done: 30 });
  });

  it('is stopped by DELETE: what is done stays, nothing more begins', async () => {
    const { ctx, call, hourly, fillLater, operation, rows, store } = opened();
    const id = await hourly();
    const { operation: op } = await fillLater(id, 30);
    let left = 25;
    await carryOutOperations(ctx, () => left-- > 0);
    const { done } = await operation(op);
    expect((await call('DELETE', `/operations/${op}`)).status).toBe(204);
    await carryOutOperations(ctx, always);
    const stopped = await operation(op);
    expect(stopped).toMatchObject({ status: 'stopped', done, total: 30, reason: 'by request of alice' });
    expect(rows(id)).toHaveLength(done);
    expect(store.openOperations.size).toBe(0);
    expect((await call('DELETE', `/operations/${op}`)).status, 'twice is once').toBe(204);
    expect(await operation(op)).toEqual(stopped);
  });

  it('is stopped in the middle of a step: DELETE returns after the last decision', async () => {
    const { ctx, call, hourly, fillLater, operation, rows, store } = opened();
    const id = await hourly();
    const { operation: op } = await fillLater(id, 30);
    const events: string[] = [];
    Object.assign(ctx.clock, { sleep: () => new Promise((resolve) => setImmediate(resolve)) });
    let stopping: Promise<unknown> | undefined;
    const insertRow = store.insertRow.bind(store);
    store.insertRow = async (row) => {
      stopping ??= call('DELETE', `/operations/${op}`).then(({ status }) => events.push(`DELETE ${status}`));
      await new Promise((resolve) => setImmediate(resolve));
      events.push('decision');
      return insertRow(row);
    };
    await carryOutOperations(ctx, always);
    await stopping;
    expect(events).toEqual([...Array.from({ length: 10 }, () => 'decision'), 'DELETE 204']);
    expect(rows(id)).toHaveLength(10);
    expect(await operation(op)).toMatchObject({ status: 'stopped', done: 0, total: 30 });
  });

  it('whose process has died is stopped when the lease of that process is over', async () => {
    const { ctx, call, hourly, fillLater, operation, store, tick } = opened();
    const { operation: op } = await fillLater(await hourly(), 12);
    const seen = store.operations.get(op) as Operation;
    const { operationLeaseMs, clockSkewMs } = ctx.settings;
    const held = { ...seen, stamp: 'another', holder: 'dead', leaseUntil: NOW + operationLeaseMs };
    await store.replaceOperation(seen, held);
    let slept = 0;
    const sleep = async (ms: number) => {
      slept += ms;
      tick(ms);
    };
    Object.assign(ctx.clock, { sleep });
    expect((await call('DELETE', `/operations/${op}`)).status).toBe(204);
    expect(slept).toBeGreaterThanOrEqual(operationLeaseMs + clockSkewMs);
    expect(slept).toBeLessThan(operationLeaseMs + clockSkewMs + 1_001);
    expect(await operation(op)).toMatchObject({ status: 'stopped' });
  });

  it('that is done stays done when it is stopped', async () => {
    const { call, hourly, fill, operation } = opened();
    const { operation: op } = (await fill(await hourly(), 2)).body;
    expect((await call('DELETE', `/operations/${op}`)).status).toBe(204);
    expect(await operation(op)).toMatchObject({ status: 'done', done: 2 });
  });

  it.each([
    ['cancelled', 'was cancelled', (call: Call, id: string) => call('DELETE', `/jobs/${id}`)],
    [
      'edited',
      'the schedule of job',
      (call: Call, id: string) => call('PATCH', `/jobs/${id}`, { body: { schedule: { every: 'PT1H' } } }),
    ],
  ])('ends when its job is %s meanwhile, and says so', async (_, reason, change) => {
    const { ctx, call, hourly, fillLater, operation, rows } = opened();
    const id = await hourly();
    const { operation: op } = await fillLater(id, 30);
    let left = 25;
    await carryOutOperations(ctx, () => left-- > 0);
    const { done } = await operation(op);
    await change(call, id);
    await carryOutOperations(ctx, always);
    const ended = await operation(op);
    expect(ended).toMatchObject({ status: 'stopped', done, reason: expect.stringContaining(reason) });
    expect(rows(id)).toHaveLength(done);
  });

  it('goes on over a pause, a resume and an edit of anything else', async () => {
    const { ctx, call, hourly, fillLater, operation, tick } = opened();
    const id = await hourly();
    const { operation: op } = await fillLater(id, 30);
    tick(1);
    await call('POST', `/jobs/${id}/pause`);
    let left = 15;
    await carryOutOperations(ctx, () => left-- > 0);
    await call('POST', `/jobs/${id}/resume`);
    await call('PATCH', `/jobs/${id}`, { body: { name: 'x', params: { result: 1 } } });
    await carryOutOperations(ctx, always);
    expect(await operation(op)).toMatchObject({ status: 'done', done: 30 });
  });

  it('is of the user who asked for it, and of operators', async () => {
    const { call, hourly, fillLater, fill, ctx } = opened();
    const id = await hourly();
    const { operation: own } = await fillLater(id, 30);
    const { operation: byOperator } = (await fill(id, 40, { user: 'olga', groups: [OPERATORS] })).body;
    const status = async (op: string, method: string, more = {}) =>
      (await call(method, `/operations/${op}`, more)).status;
    expect(await status(own, 'GET', { user: 'bob' })).toBe(404);
    expect(await status(own, 'DELETE', { user: 'bob' })).toBe(404);
    expect(await status(byOperator, 'GET')).toBe(404);
    expect(await status(own, 'GET', { user: 'olga', groups: [OPERATORS] })).toBe(200);
    expect(await status(own, 'DELETE', { user: 'olga', groups: [OPERATORS] })).toBe(204);
    await carryOutOperations(ctx, always);
  });

  it('in the hands of another process is left alone until its lease is over', async () => {
    const { ctx, hourly, fillLater, operation, rows, store, tick } = opened();
    const id = await hourly();
    const { operation: op } = await fillLater(id, 12);
    const seen = store.operations.get(op) as Operation;
    await store.replaceOperation(seen, {
      ...seen,
      stamp: 'another',
      leaseUntil: NOW + ctx.settings.operationLeaseMs,
    });
    await carryOutOperations(ctx, always);
    expect(rows(id)).toHaveLength(0);
    tick(ctx.settings.operationLeaseMs + ctx.settings.clockSkewMs);
    await carryOutOperations(ctx, always);
    expect(await operation(op)).toMatchObject({ status: 'done', done: 12 });
  });

  it('of which a step is repeated counts nothing twice and runs nothing twice', async () => {
    const { ctx, hourly, fillLater, operation, rows, store, queue } = opened();
    const id = await hourly();
    const { operation: op } = await fillLater(id, 12);
    const before = store.operations.get(op) as Operation;
    await carryOutOperations(ctx, always);
    // Restores the state before the commit.
    const after = store.operations.get(op) as Operation;
    await store.replaceOperation(after, { ...before, stamp: 'again' });
    store.openOperations.set(op, before);
    const sent = queue.messages.length;
    await carryOutOperations(ctx, always);
    expect(await operation(op)).toMatchObject({ status: 'done', done: 12, total: 12 });
    expect(rows(id)).toHaveLength(12);
    expect(queue.messages.length - sent, 'a message that may never have been sent is sent again').toBe(12);
  });

  it('what cannot be decided is refused by name, and the others go on', async () => {
    const { ctx, hourly, fillLater, operation, rows, store } = opened();
    const id = await hourly();
    const { operation: op } = await fillLater(id, 4);
    const insertRow = store.insertRow.bind(store);
    const contended = String(NOW - 3 * HOUR);
    store.insertRow = async (row) => (row.due === contended ? false : insertRow(row));
    await carryOutOperations(ctx, always);
    expect(await operation(op)).toMatchObject({
      ...{ status: 'done', done: 3, total: 4 },
      refused: [
        { id: `${id}.${contended}`, reason: expect.stringContaining('is being changed by other requests') },
      ],
    });
    expect(rows(id)).toHaveLength(3);
  });

  it('that was not done within a day fails', async () => {
    const { ctx, hourly, fillLater, operation, rows, store, tick } = opened();
    const id = await hourly();
    const { operation: op } = await fillLater(id, 4);
    tick(25 * HOUR);
    await carryOutOperations(ctx, always);
    expect(await operation(op)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('24 hours'),
    });
    expect(rows(id)).toHaveLength(0);
    expect(store.openOperations.size).toBe(0);
  });

  it('a place in the list without its operation goes after ten minutes', async () => {
    const { ctx, store, tick } = opened();
    store.openOperations.set('op_x', { id: 'op_x', createdAt: NOW, userId: 'alice' });
    await carryOutOperations(ctx, always);
    expect(store.openOperations.size).toBe(1);
    tick(600_001);
    await carryOutOperations(ctx, always);
    expect(store.openOperations.size).toBe(0);
  });

  it('of one user does not keep those of another waiting', async () => {
    const { ctx, hourly, fillLater, store } = opened();
    for (let i = 0; i < 6; i++) await fillLater(await hourly(), 2);
    const { operation: last } = await fillLater(await hourly(), 2);
    const open = store.openOperations.get(last);
    if (open) store.openOperations.set(last, { ...open, userId: 'bob' });
    const begun: string[] = [];
    const readOperation = store.readOperation.bind(store);
    store.readOperation = async (id) => {
      begun.push(id);
      return readOperation(id);
    };
    await carryOutOperations(ctx, always);
    expect(begun.indexOf(last)).toBeLessThan(2);
  });

  it('of one user goes on again and again beside many long ones of another', async () => {
    const { ctx, hourly, fillLater, store } = opened();
    for (let i = 0; i < 40; i++) await fillLater(await hourly(), 40);
    const { operation: ofBob } = await fillLater(await hourly(), 40);
    const open = store.openOperations.get(ofBob);
    if (open) store.openOperations.set(ofBob, { ...open, userId: 'bob' });
    const begun: string[] = [];
    const readOperation = store.readOperation.bind(store);
    store.readOperation = async (id) => {
      begun.push(id);
      return readOperation(id);
    };
    // a slice of 5 s is over after a few decisions
    let time = 0;
    Object.assign(ctx.clock, { monotonic: () => (time += 250) });
    await carryOutOperations(ctx, () => begun.length < 200);
    const turns = begun.flatMap((id, at) => (id === ofBob ? [at] : []));
    const waits = turns.slice(1).map((at, i) => at - (turns[i] ?? 0));
    expect(waits.length).toBeGreaterThan(2);
    expect(Math.max(...waits)).toBeLessThan(20);
  });
});

type Call = ReturnType<typeof testApi>['call'];
