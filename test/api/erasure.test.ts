// The erasure of an owner, through REST, on SQLite: a scan of every table finds nothing of the owner and of its jobs.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { ownerHash } from '../../src/domain/digest.ts';
import { type DueKey, parseExecutionId } from '../../src/domain/executions/ids.ts';
import { operationShape } from '../../src/domain/jobs/background-operation.ts';
import { carryOutOperations } from '../../src/jobs/operations/carry-out.ts';
import type { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { aStore } from '../support/sqlite-file.ts';
import { NOW, OPERATORS, testApi } from './api.ts';

const OWNER = 'erased-anna';
const OTHER = 'kept-otto';
const operator = { user: 'olga', groups: [OPERATORS] };
const always = () => true;
const DAY = 86_400_000;
const iso = (time: number) => new Date(time).toISOString();

type Wrap = (store: Store) => Store;

async function aWorld(wrap: Wrap = (store) => store) {
  const opened = await aStore(undefined, 10, NOW);
  const api = testApi({ store: wrap(opened.store) as MemoryStore });
  const { call, ctx } = api;
  const as = (user: string) => ({ user });
  const create = async (user: string, body: object) => {
    const answer = await call('POST', '/jobs', { ...as(user), body: { task: 'noop', ...body } });
    expect(answer.status).toBe(201);
    return answer.body.id as string;
  };
  /** One of everything that a server stores for an owner. The result has the ids of the jobs. */
  const fill = async (user: string): Promise<string[]> => {
    const big = { params: { result: 'x'.repeat(2_000) } };
    const hourly = await create(user, {
      ...big,
      schedule: { every: 'PT1H' },
      limit: { key: 'db', concurrent: 1 },
    });
    await call('PATCH', `/jobs/${hourly}`, { ...as(user), body: { params: { result: 'new' }, note: user } });
    const once = await create(user, { schedule: { at: iso(NOW + 300 * DAY) } });
    const ended = await create(user, {});
    const named = await call('PUT', '/jobs/by-name/shop/bill', {
      ...as(user),
      body: { task: 'noop', schedule: { cron: '@yearly' } },
    });
    const { store } = opened;
    const run = await call('POST', `/jobs/${hourly}/run`, {
      ...as(user),
      body: { params: { result: user } },
    });
    const key = parseExecutionId(run.body.id) as { jobId: string; due: DueKey };
    await store.putCheckpoint(key, NOW, { of: user });
    await store.putWait(key, NOW);
    const lines = [{ bytes: 9, record: JSON.stringify(`a line of ${user}`) }];
    await opened.logLines.appendLines(key, user, lines);
    await store.writeSeat(undefined, { owner: ownerHash(user), key: 'db', n: 0, ...key, number: NOW });
    const window = { jobId: hourly, event: 'failed' as const, stamp: 's', until: NOW, openedBy: run.body.id };
    await store.writeNotificationWindow(
      undefined,
      { ...window, suppressed: 0, recent: [] },
      NOW / 1_000 + 9_999,
    );
    await store.addToQuota(user, 'creates', 3);
    await store.putLimits(user, { values: { activeJobs: 9 }, updatedAt: NOW, updatedBy: 'olga' } as never);
    await call('POST', `/jobs/${hourly}/backfill`, {
      ...as(user),
      body: { from: iso(NOW - 3 * DAY), to: iso(NOW) },
    });
    const expiresAt = NOW / 1_000 + 99_999;
    const bodies = [
      { kind: 'event', jobId: hourly, due: key.due },
      { kind: 'delivery', userId: user, payload: { job: { id: hourly } } },
    ].map((body) => JSON.stringify(body));
    await opened.messages.send('notify', bodies, NOW, expiresAt);
    await opened.messages.send(
      'ingest',
      [JSON.stringify({ userId: user, spec: {} }), 'no JSON'],
      NOW,
      expiresAt,
    );
    return [hourly, once, ended, named.body.id];
  };
  /** The tables that contain one of these texts, anywhere. */
  const tablesWith = (texts: readonly string[]): string[] => {
    const db = new DatabaseSync(opened.file, { readOnly: true });
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const found = tables
      .map(({ name }) => String(name))
      .filter((name) => {
        const rows = JSON.stringify(db.prepare(`SELECT * FROM ${name}`).all());
        return texts.some((text) => rows.includes(text));
      });
    db.close();
    return found.sort();
  };
  const erase = async (who: object = operator) => {
    const answer = await call('DELETE', `/owners/${OWNER}`, who);
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/operations/${answer.body.operation}` },
    });
    return answer.body.operation as string;
  };
  const operation = async (id: string) =>
    operationShape.parse((await call('GET', `/operations/${id}`, operator)).body);
  return {
    ...api,
    opened,
    fill,
    create,
    tablesWith,
    erase,
    operation,
    carryOn: () => carryOutOperations(ctx, always),
  };
}

const TABLES = [
  ...[
    'changes',
    'checkpoints',
    'definitions',
    'executions',
    'heads',
    'limits',
    'logLines',
    'messages',
    'names',
  ],
  ...['notices', 'operations', 'quotas', 'seats', 'timetable', 'waits'],
];

describe('DELETE /owners/{owner}', () => {
  it('erases everything of the owner, and nothing of others', async () => {
    const { fill, tablesWith, erase, operation, carryOn, call } = await aWorld();
    const [own, others] = [await fill(OWNER), await fill(OTHER)];
    const [hash, otherHash] = [OWNER, OTHER].map(ownerHash) as [string, string];
    expect(tablesWith([OWNER, hash, ...own])).toEqual(TABLES);
    const id = await erase();
    await carryOn();
    expect(await operation(id)).toMatchObject({
      kind: 'erasure',
      owner: OWNER,
      status: 'done',
      done: 4,
      total: 4,
    });
    expect(tablesWith([hash, ...own])).toEqual([]);
    expect(tablesWith([OWNER]), 'the operation itself').toEqual(['operations']);
    expect(tablesWith([OTHER, otherHash, ...others])).toEqual(TABLES);
    for (const job of own) expect((await call('GET', `/jobs/${job}`, operator)).status).toBe(404);
    for (const job of others) expect((await call('GET', `/jobs/${job}`, operator)).status).toBe(200);
  });

  it('waits for what runs, and removes it when it has stopped', async () => {
    const { create, opened, tablesWith, erase, operation, carryOn, call, tick } = await aWorld();
    const { store } = opened;
    const id = await create(OWNER, { schedule: { every: 'PT1H' } });
    const run = await call('POST', `/jobs/${id}/run`, { user: OWNER });
    const { jobId, due } = parseExecutionId(run.body.id) as { jobId: string; due: DueKey };
    const row = await store.readRow(jobId, due, { consistent: true });
    if (!row) throw new Error('no row');
    const running = {
      ...row,
      status: 'RUNNING' as const,
      number: NOW,
      startedAt: NOW,
      leaseUntil: NOW + 30_000,
    };
    await store.updateRow(row, running);
    const begun = await erase();
    await carryOn();
    expect((await operation(begun)).status).toBe('running');
    expect((await call('GET', `/jobs/${id}`, operator)).body.status).toBe('cancelled');
    tick(20_000);
    const { leaseUntil: _, ...ended } = {
      ...running,
      status: 'CANCELLED' as const,
      finishedAt: NOW + 20_000,
    };
    expect(await store.updateRow(running, ended)).toBe(true);
    await carryOn();
    expect((await operation(begun)).status, 'its log lines may be on their way').toBe('running');
    tick(6_000);
    await carryOn();
    expect((await operation(begun)).status).toBe('done');
    expect(tablesWith([id])).toEqual([]);
  });

  it('finds executions whose job has expired, and a row that a late claim has left', async () => {
    const { create, opened, tablesWith, erase, operation, carryOn, call } = await aWorld();
    const id = await create(OWNER, {});
    await call('POST', `/jobs/${id}/run`, { user: OWNER });
    const db = new DatabaseSync(opened.file);
    db.prepare('DELETE FROM heads').run();
    db.close();
    const begun = await erase();
    await carryOn();
    expect((await operation(begun)).status).toBe('done');
    expect(tablesWith([OWNER])).toEqual(['operations']);
  });

  it('erases jobs that are created meanwhile', async () => {
    let late: (() => Promise<unknown>) | undefined;
    const world = await aWorld((store) => ({
      ...store,
      async eraseJobs(...given) {
        await store.eraseJobs(...given);
        const create = late;
        late = undefined;
        await create?.();
      },
    }));
    const { create, erase, operation, carryOn, tablesWith } = world;
    await create(OWNER, {});
    late = () => create(OWNER, { schedule: { every: 'PT1H' } });
    const begun = await erase();
    await carryOn();
    expect(await operation(begun)).toMatchObject({ status: 'done', done: 2 });
    expect(tablesWith([OWNER])).toEqual(['operations']);
  });

  it('goes on after a crash behind any of its writes', async () => {
    const WRITES = [
      'eraseOwner',
      'eraseRows',
      'eraseJobs',
      'updateHead',
      'insertChange',
      'replaceOperation',
    ] as const;
    let at = 0;
    for (let crashed = true; crashed; at++) {
      let calls = 0;
      crashed = false;
      let mayCrash = false;
      const crash = () => {
        if (!mayCrash || calls++ !== at) return;
        crashed = true;
        throw new Error('crash');
      };
      const crashing: Wrap = (store) => {
        const wrapped: Record<string, unknown> = { ...store };
        for (const name of WRITES)
          wrapped[name] = async (...given: unknown[]) => {
            const answer = await (store[name] as (...all: unknown[]) => unknown)(...given);
            crash();
            return answer;
          };
        return wrapped as unknown as Store;
      };
      const { fill, tablesWith, erase, operation, carryOn, tick } = await aWorld(crashing);
      const own = await fill(OWNER);
      mayCrash = true;
      const begun = await erase();
      // the lease of the process that has died
      for (let pass = 0; pass < 3; pass++) {
        tick(60_000);
        await carryOn();
      }
      expect([at, (await operation(begun)).status]).toEqual([at, 'done']);
      expect([at, tablesWith(own), tablesWith([OWNER])]).toEqual([at, [], ['operations']]);
    }
    expect(at).toBeGreaterThan(15);
  }, 120_000);

  it('is for operators, and for users who erase themselves', async () => {
    const { create, call, erase, tablesWith } = await aWorld();
    const id = await create(OWNER, {});
    const answer = await call('DELETE', `/owners/${OWNER}`, { user: OTHER });
    expect(answer).toMatchObject({
      status: 403,
      body: {
        detail: `owner must be "${OTHER}", the user of this token: only operators can name another user`,
      },
    });
    expect(tablesWith([id])).not.toEqual([]);
    await erase({ user: OWNER });
    expect(tablesWith([id])).toEqual([]);
  });

  it('keeps the limits that an operator has set, if the owner asks for it', async () => {
    const { fill, erase, operation, carryOn, opened, tablesWith } = await aWorld();
    const own = await fill(OWNER);
    const begun = await erase({ user: OWNER });
    await carryOn();
    expect((await operation(begun)).status).toBe('done');
    expect(await opened.store.readLimits(OWNER, { consistent: true })).toMatchObject({
      values: { activeJobs: 9 },
    });
    expect(tablesWith(own)).toEqual([]);
    expect(tablesWith([OWNER])).toEqual(['limits', 'operations']);
    await erase();
    await carryOn();
    expect(tablesWith([OWNER])).toEqual(['operations']);
  });

  it('that is stopped leaves limits, counters, names and other operations as they were', async () => {
    const { fill, erase, call, carryOn, opened, tick } = await aWorld((store) => ({
      ...store,
      listHeads: async () => Promise.reject(new Error('the jobs cannot be listed')),
    }));
    const [hourly] = (await fill(OWNER)) as [string];
    const { store } = opened;
    const backfill = await call('POST', `/jobs/${hourly}/backfill`, {
      user: OWNER,
      body: { from: iso(NOW - 2 * DAY), to: iso(NOW) },
    });
    const kept = async () => [
      await store.readLimits(OWNER, { consistent: true }),
      await store.readQuota(OWNER, 'creates'),
      await store.readStored(OWNER),
      await store.readName(OWNER, 'shop', 'bill'),
      (await store.readOperation(backfill.body.operation))?.id,
      await store.readSeats({ owner: ownerHash(OWNER), key: 'db' }, { consistent: true }),
    ];
    const before = await kept();
    expect(before).not.toContain(undefined);
    const begun = await erase();
    await carryOn();
    tick(60_000);
    expect((await call('DELETE', `/operations/${begun}`, operator)).status).toBe(204);
    expect(await kept()).toEqual(before);
  });

  it('of an owner does not end another erasure of the owner, nor one that the owner has begun for others', async () => {
    let fails = true;
    const { create, call, erase, operation, carryOn, tablesWith, opened, tick } = await aWorld((store) => ({
      ...store,
      listHeads: async (...given) =>
        fails ? Promise.reject(new Error('the jobs cannot be listed')) : store.listHeads(...given),
    }));
    const other = await create(OTHER, {});
    const begin = async (who: object, owner: string) =>
      (await call('DELETE', `/owners/${owner}`, who)).body.operation as string;
    const forOther = await begin({ user: OWNER, groups: [OPERATORS] }, OTHER);
    const byUser = await begin({ user: OWNER }, OWNER);
    const byOperator = await erase();
    for (const one of [byUser, byOperator]) {
      await opened.store.eraseOwner(OWNER, { operation: one, limits: true });
      for (const id of [forOther, byUser, byOperator]) expect((await operation(id)).status).toBe('running');
    }
    fails = false;
    tick(60_000);
    await carryOn();
    expect(tablesWith([other])).toEqual([]);
  });

  it('is the open one, if the caller may rely on it', async () => {
    const { create, opened, call, operation, tick, carryOn } = await aWorld();
    const job = await create(OWNER, { schedule: { every: 'PT1H' } });
    const { store } = opened;
    const run = await call('POST', `/jobs/${job}/run`, { user: OWNER });
    const { jobId, due } = parseExecutionId(run.body.id) as { jobId: string; due: DueKey };
    const row = await store.readRow(jobId, due, { consistent: true });
    if (!row) throw new Error('no row');
    const leaseUntil = NOW + 30_000;
    await store.updateRow(row, { ...row, status: 'RUNNING', number: NOW, startedAt: NOW, leaseUntil });
    const request = async (who: object) =>
      (await call('DELETE', `/owners/${OWNER}`, who)).body.operation as string;
    const own = await request({ user: OWNER });
    expect(await request({ user: OWNER }), 'repeated').toBe(own);
    const byOperator = await request(operator);
    expect(byOperator, 'the owner could stop that one').not.toBe(own);
    expect(await request(operator)).toBe(byOperator);
    expect(await request({ user: 'oscar', groups: [OPERATORS] })).toBe(byOperator);
    expect(await request({ user: OWNER }), 'the owner cannot read the operation of the operator').toBe(own);
    const stop = await call('DELETE', `/operations/${byOperator}`, { user: OWNER });
    expect(stop.status).toBe(404);
    expect((await call('DELETE', `/operations/${own}`, { user: OWNER })).status).toBe(204);
    expect(Object.keys(await operation(byOperator))).not.toContain('byOperator');
    tick(60_000);
    await carryOn();
    expect((await operation(byOperator)).status).toBe('done');
    expect((await call('GET', `/jobs/${job}`, operator)).status).toBe(404);
    expect(await request(operator), 'an erasure that has ended').not.toBe(byOperator);
  });

  it('leaves no bytes in the file and its log', async () => {
    const { create, opened, erase, operation, carryOn } = await aWorld();
    const secret = 'a-secret-of-anna';
    const job = await create(OWNER, { params: { result: secret.repeat(800) }, schedule: { every: 'PT1H' } });
    expect(job).toBeTruthy();
    const bytes = () =>
      [opened.file, `${opened.file}-wal`].map((file) => readFileSync(file).includes(secret));
    expect(bytes()).toContain(true);
    const begun = await erase();
    await carryOn();
    expect((await operation(begun)).status).toBe('done');
    await expect.poll(bytes).toEqual([false, false]);
  });
});
