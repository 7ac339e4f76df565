// Bulk changes: pause, resume and cancel of all jobs that match a filter, as a background operation.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Operation, operationShape } from '../../src/domain/jobs/background-operation.ts';
import type { BulkAction } from '../../src/domain/jobs/bulk-change.ts';
import { carryOutOperations } from '../../src/jobs/operations/carry-out.ts';
import { NOW, OPERATORS, testApi } from './api.ts';

const AS_OPERATOR = { user: 'olga', groups: [OPERATORS] };
const HOUR = 3_600_000;
const always = () => true;

function opened() {
  const api = testApi();
  const { call, store, ctx } = api;
  const bulk = (body: unknown, more = {}) => call('POST', '/jobs/bulk', { body, ...more });
  const operation = async (id: string, more = {}) =>
    operationShape.parse((await call('GET', `/operations/${id}`, more)).body);
  const hourly = async (more: Record<string, unknown> = {}, options = {}) =>
    (await api.create({ schedule: { cron: '0 * * * *' }, ...more }, options)).id as string;
  /** The statuses of jobs, in the order given. */
  const statuses = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await call('GET', `/jobs/${id}`, AS_OPERATOR)).body.status as string));
  const changes = async (id: string) => (await call('GET', `/jobs/${id}/changes`, AS_OPERATOR)).body.items;
  /** The request has no time for a step, so that the watchers do all the work. */
  const bulkLater = async (body: unknown, more = {}) => {
    const { monotonic } = ctx.clock;
    let time = monotonic();
    Object.assign(ctx.clock, { monotonic: () => (time += 1001) });
    const answer = await bulk(body, more);
    Object.assign(ctx.clock, { monotonic });
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    return answer.body.operation as string;
  };
  return { ...api, store, bulk, bulkLater, operation, hourly, statuses, changes };
}

describe('POST /jobs/bulk', () => {
  it('pauses all jobs with a tag, records each change, and leaves the others', async () => {
    const { hourly, bulk, operation, statuses, changes } = opened();
    const ids = [
      await hourly({ tags: { team: 'billing' } }),
      await hourly({ tags: { team: 'billing', x: 'y' } }),
      await hourly({ tags: { team: 'other' } }),
      await hourly(),
    ];
    const answer = await bulk({ action: 'pause', filter: { tag: 'team:billing' }, note: 'moved' });
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/operations/${answer.body.operation}` },
      body: { matched: 2, operation: expect.stringMatching(/^op_\w{20}$/) },
    });
    expect(await operation(answer.body.operation)).toEqual({
      ...{ id: answer.body.operation, kind: 'bulk', action: 'pause', owner: 'alice', note: 'moved' },
      ...{ filter: { tag: 'team:billing' }, status: 'done', done: 2, total: 2, refused: [], refusedCount: 0 },
      ...{ createdAt: new Date(NOW).toISOString(), updatedAt: new Date(NOW).toISOString() },
    });
    expect(await statuses(ids)).toEqual(['paused', 'paused', 'active', 'active']);
    expect(await changes(ids[0] as string)).toMatchObject([
      { what: 'paused', by: 'alice', note: 'moved', version: 2 },
      { what: 'created' },
    ]);
  });

  it.each([
    ['name', { name: 'nightly-' }, ['paused', 'active', 'active']],
    ['task', { task: 'http' }, ['active', 'paused', 'active']],
    ['status', { status: 'active', task: 'noop' }, ['paused', 'active', 'paused']],
    ['all', undefined, ['paused', 'paused', 'paused']],
  ])('selects by %s, like GET /jobs', async (_, filter, expected) => {
    const { hourly, bulk, statuses } = opened();
    const ids = [
      await hourly({ name: 'nightly-report' }),
      await hourly({ task: 'http', params: { url: 'https://example.com' }, name: 'a nightly-' }),
      await hourly(),
    ];
    await bulk({ action: 'pause', ...(filter ? { filter } : { all: true }) });
    expect(await statuses(ids)).toEqual(expected);
  });

  it('without a status each action selects the jobs that it changes', async () => {
    const prepared = async () => {
      const api = opened();
      const { call, hourly, create, store } = api;
      const until = new Date(NOW + HOUR).toISOString();
      const ids = {
        active: await hourly(),
        paused: await hourly(),
        pausedUntil: await hourly(),
        completed: (await create()).id as string,
        cancelled: await hourly(),
      };
      await call('POST', `/jobs/${ids.paused}/pause`);
      await call('POST', `/jobs/${ids.pausedUntil}/pause`, { body: { until } });
      const head = await store.readHead(ids.completed, { consistent: true });
      if (head) await store.updateHead(head, { status: 'completed', version: head.version + 1 });
      await call('DELETE', `/jobs/${ids.cancelled}`);
      return { ...api, ids: Object.values(ids) };
    };
    const outcome = async (body: unknown) => {
      const { bulk, statuses, ids, call } = await prepared();
      const { matched } = (await bulk(body)).body;
      const [, , pausedUntil = ''] = ids;
      const until = (await call('GET', `/jobs/${pausedUntil}`)).body.pausedUntil as string | undefined;
      return [matched, ...(await statuses(ids)), until?.slice(11, 16)];
    };
    const later = new Date(NOW + 2 * HOUR).toISOString();
    const soon = new Date(NOW + 60_000).toISOString();
    const rest = ['completed', 'cancelled'];
    // a pause with an end never resumes a job that is paused without one, or for longer
    expect(await outcome({ action: 'pause', all: true })).toEqual([
      ...[2, 'paused', 'paused', 'paused', ...rest, undefined],
    ]);
    expect(await outcome({ action: 'pause', all: true, until: later })).toEqual([
      ...[2, 'paused', 'paused', 'paused', ...rest, '14:00'],
    ]);
    expect(await outcome({ action: 'pause', all: true, until: soon })).toEqual([
      ...[1, 'paused', 'paused', 'paused', ...rest, '13:00'],
    ]);
    expect(await outcome({ action: 'resume', all: true })).toEqual([
      ...[2, 'active', 'active', 'active', ...rest, undefined],
    ]);
    expect(await outcome({ action: 'cancel', all: true })).toEqual([
      ...[3, 'cancelled', 'cancelled', 'cancelled', ...rest, '13:00'],
    ]);
    expect(await outcome({ action: 'cancel', filter: { status: 'completed', task: 'noop' } })).toEqual([
      ...[1, 'active', 'paused', 'paused', 'cancelled', 'cancelled', '13:00'],
    ]);
  });

  it.each<[string, unknown, string, string]>([
    ['no filter', { action: 'cancel' }, 'all', 'must be true if the filter has none of'],
    ['a status alone', { action: 'cancel', filter: { status: 'active' } }, 'all', 'must be true'],
    ['all: false', { action: 'cancel', all: false }, 'all', 'must be true'],
    [
      'all and a tag',
      { action: 'cancel', all: true, filter: { tag: 'a:b' } },
      'all',
      'left out if the filter has tag',
    ],
    ['an unknown word', { action: 'cancel', filter: { tags: 'a:b' } }, 'filter.tags', 'known fields are'],
    [
      'a tag without a colon',
      { action: 'cancel', filter: { tag: 'a=b' } },
      'filter.tag',
      'must be key:value',
    ],
    ['an unknown action', { action: 'edit', all: true }, 'action', '"pause", "resume", "cancel", got "edit"'],
    [
      'until for a cancel',
      { action: 'cancel', all: true, until: '2027-01-01T00:00:00Z' },
      'until',
      'only for the action "pause"',
    ],
    [
      'until in the past',
      { action: 'pause', all: true, until: '2026-01-01T00:00:00Z' },
      'until',
      'must be in the future',
    ],
    [
      'a status that cannot change',
      { action: 'resume', filter: { task: 'noop', status: 'active' } },
      'filter.status',
      'must be "paused" for the action "resume", got "active"',
    ],
    ['a long note', { action: 'pause', all: true, note: 'x'.repeat(501) }, 'note', 'at most 500'],
  ])('%s is refused, and nothing is left behind', async (_, body, path, message) => {
    const { hourly, bulk, stored, statuses } = opened();
    const id = await hourly({ tags: { a: 'b' } });
    const before = stored();
    expect(await bulk(body)).toMatchObject({
      status: 400,
      body: { errors: [{ path, message: expect.stringContaining(message) }] },
    });
    expect(stored()).toBe(before);
    expect(await statuses([id])).toEqual(['active']);
  });

  it('with dryRun=true counts and changes nothing', async () => {
    const { hourly, call, stored, statuses } = opened();
    const ids = [await hourly({ name: 'a-1' }), await hourly({ name: 'a-2' }), await hourly({ name: 'b' })];
    const before = stored();
    const body = { action: 'cancel', filter: { name: 'a-' } };
    expect(await call('POST', '/jobs/bulk?dryRun=true', { body })).toMatchObject({
      status: 200,
      body: { matched: 2 },
    });
    expect(stored()).toBe(before);
    expect(await statuses(ids)).toEqual(['active', 'active', 'active']);
    expect((await call('POST', '/jobs/bulk?dryRun=1', { body })).body.errors).toMatchObject([
      { path: 'dryRun' },
    ]);
    expect((await call('POST', '/jobs/bulk?dryRun=false', { body })).status).toBe(202);
  });

  it('if nothing matches, the operation is done', async () => {
    const { bulk, operation, store } = opened();
    const { matched, operation: id } = (await bulk({ action: 'pause', all: true })).body;
    expect(matched).toBe(0);
    expect(await operation(id)).toMatchObject({ status: 'done', done: 0, total: 0 });
    expect(store.openOperations.size).toBe(0);
  });
});

describe('whose jobs', () => {
  it('a user changes only their own; another owner is refused with 403', async () => {
    const { hourly, bulk, statuses, stored } = opened();
    const ids = [await hourly(), await hourly({}, { user: 'bob' })];
    const before = stored();
    expect(await bulk({ action: 'cancel', filter: { owner: 'bob' } })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('only operators can name another user') },
    });
    expect(stored()).toBe(before);
    await bulk({ action: 'cancel', all: true });
    expect(await statuses(ids)).toEqual(['cancelled', 'active']);
  });

  it('an operator changes those of one owner, and the record names the operator', async () => {
    const { hourly, bulk, statuses, changes, operation, call } = opened();
    const ids = [await hourly(), await hourly({}, { user: 'bob' }), await hourly({}, { user: 'olga' })];
    const { operation: id } = (await bulk({ action: 'pause', filter: { owner: 'bob' } }, AS_OPERATOR)).body;
    expect(await statuses(ids)).toEqual(['active', 'paused', 'active']);
    expect(await changes(ids[1] as string)).toMatchObject([{ what: 'paused', by: 'olga' }, {}]);
    expect(await operation(id, AS_OPERATOR)).toMatchObject({ owner: 'bob', done: 1 });
    expect((await call('GET', `/operations/${id}`, { user: 'bob' })).status, 'not their operation').toBe(404);
    await bulk({ action: 'pause', all: true }, AS_OPERATOR);
    expect(await statuses(ids), 'without owner: their own').toEqual(['active', 'paused', 'paused']);
  });
});

describe('a bulk operation', () => {
  it('that its request could not finish is carried out by the watcher, without later jobs', async () => {
    const { ctx, hourly, bulkLater, operation, statuses, tick, store } = opened();
    const before = await Promise.all(Array.from({ length: 120 }, () => hourly()));
    const id = await bulkLater({ action: 'pause', all: true });
    expect(await operation(id)).toMatchObject({ done: 0, total: 120 });
    tick();
    const later = [await hourly(), await hourly()];
    await carryOutOperations(ctx, always);
    expect(await operation(id)).toMatchObject({ status: 'done', done: 120, total: 120 });
    expect(new Set(await statuses(before))).toEqual(new Set(['paused']));
    expect(await statuses(later), 'created after the request').toEqual(['active', 'active']);
    expect(store.openOperations.size).toBe(0);
  });

  it('counts in the background if the request has no time to count all jobs', async () => {
    const { ctx, hourly, bulkLater, call, operation, store } = opened();
    const listHeads = store.listHeads.bind(store);
    store.listHeads = (userId, options) =>
      listHeads(userId, { ...options, limit: Math.min(options.limit, 3) });
    for (let i = 0; i < 64; i++) await hourly({ tags: { odd: String(i % 2 === 1) } });
    const body = { action: 'cancel', filter: { tag: 'odd:true' } };
    const { monotonic } = ctx.clock;
    let time = monotonic();
    Object.assign(ctx.clock, { monotonic: () => (time += 1001) });
    const dry = (await call('POST', '/jobs/bulk?dryRun=true', { body })).body;
    Object.assign(ctx.clock, { monotonic });
    expect(dry, 'at least so many').toEqual({ matched: expect.any(Number), counting: true });
    expect(dry.matched).toBeLessThan(10);
    const id = await bulkLater(body);
    const begun = await operation(id);
    expect(begun).toMatchObject({ done: 0, counting: true });
    expect(begun.total).toBeLessThan(20);
    let left = 3;
    await carryOutOperations(ctx, () => left-- > 0);
    const counting = await operation(id);
    expect(counting).toMatchObject({ done: 0, counting: true });
    expect(counting.total).toBeGreaterThan(begun.total);
    await carryOutOperations(ctx, always);
    expect(await operation(id)).not.toHaveProperty('counting');
    expect(await operation(id)).toMatchObject({ status: 'done', done: 32, total: 32 });
  });

  it('lists the jobs that it could not change, at most 100 of them, and counts all', async () => {
    const { ctx, hourly, bulkLater, operation, call, tick } = opened();
    const endAt = new Date(NOW + 2 * HOUR).toISOString();
    const ended = [];
    for (let i = 0; i < 130; i++) ended.push(await hourly({ schedule: { cron: '0 * * * *', endAt } }));
    const good = await hourly();
    for (const id of [...ended, good]) await call('POST', `/jobs/${id}/pause`);
    tick(3 * HOUR);
    const id = await bulkLater({ action: 'resume', all: true });
    await carryOutOperations(ctx, always);
    const done = await operation(id);
    expect(done).toMatchObject({ status: 'done', done: 1, total: 131, refusedCount: 130 });
    expect(done.refused).toHaveLength(100);
    expect(ended).toContain(done.refused[0]?.id);
    expect(done.refused[0]?.reason).toContain('has no occurrence after');
  });

  it('goes on with the others if one job cannot be changed because of others who change it', async () => {
    const { ctx, hourly, bulkLater, operation, statuses, store } = opened();
    const ids = [await hourly(), await hourly(), await hourly()];
    const contended = ids[1] as string;
    const updateHead = store.updateHead.bind(store);
    store.updateHead = async (seen, change) => seen.jobId !== contended && updateHead(seen, change);
    const id = await bulkLater({ action: 'pause', all: true });
    await carryOutOperations(ctx, always);
    expect(await operation(id)).toMatchObject({
      ...{ status: 'done', done: 2, total: 3, refusedCount: 1 },
      refused: [{ id: contended, reason: expect.stringContaining('is being changed by other requests') }],
    });
    expect(await statuses(ids)).toEqual(['paused', 'active', 'paused']);
  });

  it('leaves a job alone that no longer matches when its turn comes', async () => {
    const { ctx, hourly, bulkLater, operation, statuses, call, store } = opened();
    const ids = [await hourly({ tags: { a: 'b' } }), await hourly({ tags: { a: 'b' } })];
    const id = await bulkLater({ action: 'cancel', filter: { tag: 'a:b' } });
    // the list is behind: it shows the tag that was edited
    const stale = await store.listHeads('alice', { limit: 10 });
    await call('PATCH', `/jobs/${ids[0]}`, { body: { tags: {} } });
    store.listHeads = async () => stale;
    await carryOutOperations(ctx, always);
    expect(await operation(id)).toMatchObject({ status: 'done', done: 2, refusedCount: 0 });
    expect(await statuses(ids)).toEqual(['active', 'cancelled']);
  });

  it('is stopped by DELETE: changed jobs stay changed, the others stay as they are', async () => {
    const { ctx, hourly, bulkLater, operation, statuses, call } = opened();
    const ids = await Promise.all(Array.from({ length: 120 }, () => hourly()));
    const id = await bulkLater({ action: 'cancel', all: true });
    let left = 60;
    await carryOutOperations(ctx, () => left-- > 0);
    const cancelled = async () => (await statuses(ids)).filter((status) => status === 'cancelled').length;
    const { done } = await operation(id);
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(120);
    expect(await cancelled()).toBe(done);
    expect((await call('DELETE', `/operations/${id}`)).status).toBe(204);
    await carryOutOperations(ctx, always);
    expect(await operation(id)).toMatchObject({ status: 'stopped', done, reason: 'by request of alice' });
    expect(await cancelled()).toBe(done);
  });

  it('is stopped in the middle of a step: DELETE returns after the last change', async () => {
    const { ctx, call, hourly, bulkLater, store } = opened();
    for (let i = 0; i < 80; i++) await hourly();
    const id = await bulkLater({ action: 'pause', all: true });
    const events: string[] = [];
    Object.assign(ctx.clock, { sleep: () => new Promise((resolve) => setImmediate(resolve)) });
    let stopping: Promise<unknown> | undefined;
    const updateHead = store.updateHead.bind(store);
    store.updateHead = async (seen, change) => {
      stopping ??= call('DELETE', `/operations/${id}`).then(({ status }) => events.push(`DELETE ${status}`));
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      events.push('change');
      return updateHead(seen, change);
    };
    await carryOutOperations(ctx, always);
    await stopping;
    expect(events).toEqual([...Array.from({ length: 50 }, () => 'change'), 'DELETE 204']);
  });

  it('with an end of the pause that has passed stops and says so', async () => {
    const { ctx, hourly, bulkLater, operation, statuses, tick } = opened();
    const id = await hourly();
    const op = await bulkLater({ action: 'pause', all: true, until: new Date(NOW + 60_000).toISOString() });
    tick(60_000);
    await carryOutOperations(ctx, always);
    expect(await operation(op)).toMatchObject({
      status: 'stopped',
      reason: 'the end of the pause has passed',
    });
    expect(await statuses([id])).toEqual(['active']);
  });
});

describe('after crashes between any two calls', () => {
  const WRITES = [
    'insertChange',
    'updateHead',
    'putEntries',
    'replaceOperation',
    'listHeads',
    'readHead',
  ] as const;

  it('every selected job is changed once and recorded once, every other job stays as it is', async () => {
    const job = fc.record({
      tag: fc.constantFrom('a', 'b'),
      paused: fc.boolean(),
      overlap: fc.constantFrom('skip', 'allow'),
    });
    const action = fc.constantFrom<BulkAction>('pause', 'resume', 'cancel');
    /** A call of this kind is the last of its process, before or after its effect. */
    const crash = fc.record({ on: fc.constantFrom(...WRITES), nth: fc.nat(40), after: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(job, { minLength: 1, maxLength: 70 }),
        action,
        fc.array(crash, { maxLength: 5 }),
        async (jobs, act, crashes) => {
          const { ctx, hourly, bulkLater, operation, statuses, changes, call, store, tick } = opened();
          const ids: string[] = [];
          for (const { tag, paused, overlap } of jobs) {
            const id = await hourly({ tags: { tag }, overlap });
            if (paused) await call('POST', `/jobs/${id}/pause`);
            ids.push(id);
            tick();
          }
          const op = await bulkLater({ action: act, filter: { tag: 'tag:a' }, note: 'bulk' });
          const total = (await operation(op)).total;
          for (const { on, nth, after } of crashes) {
            const restore = crashing(store, on, nth, after);
            await carryOutOperations(ctx, always);
            restore();
            tick(30_000);
          }
          await carryOutOperations(ctx, always);
          const ended = { pause: 'paused', resume: 'active', cancel: 'cancelled' }[act];
          const initial = (paused: boolean) => (paused ? 'paused' : 'active');
          const changed = jobs.map(({ tag, paused }) => tag === 'a' && initial(paused) !== ended);
          expect(await statuses(ids)).toEqual(
            jobs.map(({ paused }, i) => (changed[i] ? ended : initial(paused))),
          );
          const selected = changed.filter(Boolean).length;
          expect(total).toBe(selected);
          expect(await operation(op)).toMatchObject({ status: 'done', done: selected, refusedCount: 0 });
          for (const [i, id] of ids.entries()) {
            const recorded = (await changes(id)).filter(({ note }: { note?: string }) => note === 'bulk');
            expect(recorded).toHaveLength(changed[i] ? 1 : 0);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** From its nth call of `on` on, the process gets no answer. The result restores the store. */
function crashing(store: object, on: string, nth: number, after: boolean): () => void {
  const target = store as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const original = target[on] as (...args: unknown[]) => Promise<unknown>;
  let calls = 0;
  let dead = false;
  const others = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(store)))
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor' && name !== on)
    .map(([name]) => name);
  for (const name of others) {
    const real = target[name] as (...args: unknown[]) => Promise<unknown>;
    target[name] = async (...args) => {
      if (dead) throw new Error('killed');
      return real.apply(store, args);
    };
  }
  target[on] = async (...args) => {
    if (dead) throw new Error('killed');
    dead = calls++ >= nth;
    if (dead && !after) throw new Error('killed');
    const result = await original.apply(store, args);
    if (dead) throw new Error('killed');
    return result;
  };
  return () => {
    for (const name of [...others, on]) delete target[name];
  };
}

it('an operation with 100 refusals stays far below the 400 KB of an item', async () => {
  const { ctx, hourly, bulkLater, call, store, tick } = opened();
  const schedule = {
    cron: `0 ${Array.from({ length: 24 }, (_, h) => h).join(',')} * * *`,
    endAt: new Date(NOW + HOUR).toISOString(),
  };
  for (let i = 0; i < 120; i++) await call('POST', `/jobs/${await hourly({ schedule })}/pause`);
  tick(2 * HOUR);
  const id = await bulkLater({ action: 'resume', all: true, note: 'n'.repeat(500) });
  await carryOutOperations(ctx, always);
  const stored = store.operations.get(id) as Operation;
  expect(stored.refused).toHaveLength(100);
  expect(JSON.stringify(stored).length).toBeLessThan(50_000);
});
