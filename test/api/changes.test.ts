import { describe, expect, it } from 'vitest';
import type { ChangeKey } from '../../src/domain/jobs/change.ts';
import { changeShape } from '../../src/domain/jobs/change.ts';
import type { HeadChange } from '../../src/domain/jobs/job.ts';
import { completeOneTimeJob } from '../../src/scheduling/running/after-execution.ts';
import { NOW, testApi } from './api.ts';

const EVERY = { every: 'PT1H' };
const at = (ms: number) => new Date(NOW + ms).toISOString();

function opened() {
  const api = testApi();
  const changes = async (id: string, query = '', call = {}) => {
    const answer = await api.call('GET', `/jobs/${id}/changes${query}`, call);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body as { items: Record<string, unknown>[]; nextCursor?: string };
  };
  /** Each change as `[version, what, by, note]`. */
  const told = async (id: string) =>
    (await changes(id)).items.map(({ version, what, by, note }) => [version, what, by, note]);
  return { ...api, changes, told };
}

describe('GET /jobs/{id}/changes', () => {
  it('has each create, edit, pause, resume and cancel, with who, when and why, newest first', async () => {
    const { call, create, changes, tick } = opened();
    const { id } = await create({ schedule: EVERY });
    const steps = [
      () => call('PATCH', `/jobs/${id}`, { body: { timeoutSeconds: 60, note: 'too slow' } }),
      () => call('POST', `/jobs/${id}/pause`, { body: { note: 'the receiver is being moved' } }),
      () => call('POST', `/jobs/${id}/resume`, { body: { note: 'moved' } }),
      () => call('POST', `/jobs/${id}/pause`),
      () => call('DELETE', `/jobs/${id}?note=no%20longer%20needed`),
    ];
    for (const step of steps) {
      tick(1000);
      expect((await step()).status).toBeLessThan(300);
    }
    const { items } = await changes(id);
    for (const item of items) changeShape.parse(item);
    const by = 'alice';
    expect(items).toEqual([
      {
        ...{ version: 6, at: at(5000), by, what: 'cancelled', note: 'no longer needed' },
        ...{ before: { status: 'paused' }, after: { status: 'cancelled' } },
      },
      {
        ...{ version: 5, at: at(4000), by, what: 'paused' },
        ...{ before: { status: 'active' }, after: { status: 'paused' } },
      },
      {
        ...{ version: 4, at: at(3000), by, what: 'resumed', note: 'moved' },
        ...{ before: { status: 'paused' }, after: { status: 'active' } },
      },
      {
        ...{ version: 3, at: at(2000), by, what: 'paused', note: 'the receiver is being moved' },
        ...{ before: { status: 'active' }, after: { status: 'paused' } },
      },
      {
        ...{ version: 2, at: at(1000), by, what: 'edited', note: 'too slow' },
        ...{ before: { timeoutSeconds: 300 }, after: { timeoutSeconds: 60 } },
      },
      {
        ...{ version: 1, at: at(0), by, what: 'created' },
        after: {
          schedule: { every: 'PT1H', startAt: at(0) },
          retry: { maxAttempts: 3, backoffSeconds: 2, maxBackoffSeconds: 900 },
          timeoutSeconds: 300,
          overlap: 'skip',
          misfire: { policy: 'runOnce', graceSeconds: 60 },
        },
      },
    ]);
  });

  it('shows both sides of what an edit changed, and nothing of what it did not', async () => {
    const { call, create, changes } = opened();
    const { id } = await create({ name: 'old', schedule: EVERY, tags: { team: 'a' } });
    const body = {
      name: 'new',
      schedule: { cron: '0 9 * * *' },
      retry: { maxAttempts: 3 },
      tags: { team: 'b' },
    };
    await call('PATCH', `/jobs/${id}`, { body });
    const [edit] = (await changes(id)).items;
    expect(edit).toMatchObject({
      before: { name: 'old', schedule: { every: 'PT1H', startAt: at(0) }, tags: { team: 'a' } },
      after: { name: 'new', schedule: { cron: '0 9 * * *', timezone: 'UTC' }, tags: { team: 'b' } },
    });
    expect(Object.keys(edit?.after ?? {}).sort()).toEqual(['name', 'schedule', 'tags']);
  });

  it('never has the content of params and notify: only that they changed, and the versions', async () => {
    const { call, create, changes } = opened();
    const { id } = await create({ schedule: EVERY, params: { result: 'swordfish-1' } });
    const webhook = { url: 'https://example.com/swordfish-2' };
    await call('PATCH', `/jobs/${id}`, { body: { params: { result: 'swordfish-3' } } });
    await call('PATCH', `/jobs/${id}`, { body: { notify: [{ on: ['failed'], webhook }] } });
    await call('PATCH', `/jobs/${id}`, { body: { params: { result: 'swordfish-3' }, timeoutSeconds: 9 } });
    const { items } = await changes(id);
    expect(items.slice(0, 3).map(({ before, after }) => [before, after])).toEqual([
      [{ timeoutSeconds: 300 }, { timeoutSeconds: 9 }],
      [{ notify: { version: 2 } }, { notify: { version: 3 } }],
      [{ params: { version: 1 } }, { params: { version: 2 } }],
    ]);
    expect(JSON.stringify(items)).not.toContain('swordfish');
  });

  it('an operator who changes the job of another is the one who is named', async () => {
    const { call, create, told } = opened();
    const { id } = await create({ schedule: EVERY });
    const operator = { user: 'olga', groups: ['punctual-operators'] };
    await call('POST', `/jobs/${id}/pause`, { ...operator, body: { note: 'by request' } });
    expect(await told(id)).toEqual([
      [2, 'paused', 'olga', 'by request'],
      [1, 'created', 'alice', undefined],
    ]);
    expect((await call('GET', `/jobs/${id}/changes`, operator)).status).toBe(200);
    expect((await call('GET', `/jobs/${id}/changes`, { user: 'bob' })).status).toBe(404);
  });

  it('has nothing of what changed nothing, or was refused', async () => {
    const { call, create, told } = opened();
    const { id } = await create({ schedule: EVERY });
    await call('POST', `/jobs/${id}/resume`, { body: { note: 'it is active already' } });
    await call('PATCH', `/jobs/${id}`, { body: {} });
    await call('PATCH', `/jobs/${id}`, { body: { overlap: 'allow' } });
    await call('PATCH', `/jobs/${id}`, { body: { name: 'x' }, headers: { 'if-match': '"7"' } });
    await call('POST', `/jobs/${id}/pause`, { body: { note: 'x', until: at(0) } });
    await call('DELETE', `/jobs/${id}`, { user: 'bob' });
    expect((await told(id)).length).toBe(1);
    await call('DELETE', `/jobs/${id}`);
    await call('DELETE', `/jobs/${id}`);
    await call('POST', `/jobs/${id}/pause`);
    expect((await told(id)).map(([, what]) => what)).toEqual(['cancelled', 'created']);
  });

  it('comes in pages, which stay right while the job changes', async () => {
    const { call, create, changes, tick } = opened();
    const { id } = await create({ schedule: EVERY });
    for (let i = 0; i < 6; i++) {
      tick();
      await call('PATCH', `/jobs/${id}`, { body: { name: `n${i}` } });
    }
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await changes(id, `?limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(page.items.map(({ version }) => version));
      cursor = page.nextCursor;
      await call('PATCH', `/jobs/${id}`, { body: { name: `later ${seen.length}` } });
    } while (cursor);
    expect(seen).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
    expect((await call('GET', `/jobs/${id}/changes?cursor=eA`)).body).toMatchObject({
      status: 400,
      errors: [{ path: 'cursor' }],
    });
  });

  it('of a batch, and of a repeated request with the same key: one create each', async () => {
    const { call, told, store } = opened();
    const headers = { 'idempotency-key': 'k' };
    const body = { jobs: [{ task: 'noop', schedule: EVERY }, { task: 'nope' }] };
    const first = await call('POST', '/jobs/batch', { body, headers });
    await call('POST', '/jobs/batch', { body, headers });
    expect(await told(first.body.results[0].job.id)).toEqual([[1, 'created', 'alice', undefined]]);
    expect(store.changes.size).toBe(1);
  });

  it('goes on beyond the end of a one-time job, which nobody changed', async () => {
    const { call, create, told, store, tick, ctx } = opened();
    const { id } = await create({ schedule: { in: 'PT1H' } });
    tick();
    await call('PATCH', `/jobs/${id}`, { body: { name: 'x' } });
    const head = await store.readHead(id, { consistent: true });
    if (!head) throw new Error('no head');
    await completeOneTimeJob(ctx, head, head.revision, 'SUCCEEDED');
    const edits = [
      [2, 'edited', 'alice', undefined],
      [1, 'created', 'alice', undefined],
    ];
    expect((await call('GET', `/jobs/${id}`)).body).toMatchObject({ status: 'completed', version: 3 });
    expect(await told(id)).toEqual(edits);
    await call('DELETE', `/jobs/${id}`);
    expect(await told(id)).toEqual([[4, 'cancelled', 'alice', undefined], ...edits]);
  });
});

describe('records of changes that never reached the head', () => {
  it('are not shown: of two at the same version and time only the one that came first', async () => {
    const { call, create, told, store } = opened();
    const { id } = await create({ schedule: EVERY });
    // Another request reads the same head, records its change, and loses the race for the head.
    const updateHead = store.updateHead.bind(store);
    let raced: ChangeKey[] = [];
    store.updateHead = async (seen, change: HeadChange) => {
      store.updateHead = updateHead;
      await call('POST', `/jobs/${id}/pause`, { user: 'olga', groups: ['punctual-operators'] });
      raced = [...(store.changes.get(id)?.values() ?? [])].map(({ version, at }) => ({ version, at }));
      return updateHead(seen, change);
    };
    await call('PATCH', `/jobs/${id}`, { body: { name: 'x' } });
    expect(raced).toEqual([
      { version: 1, at: NOW },
      { version: 2, at: NOW },
      { version: 2, at: NOW + 1 },
    ]);
    expect(await told(id)).toEqual([
      [3, 'edited', 'alice', undefined],
      [2, 'paused', 'olga', undefined],
      [1, 'created', 'alice', undefined],
    ]);
  });

  it('a job without records has no changes, until the next one', async () => {
    const { call, create, told, store } = opened();
    const { id } = await create({ schedule: EVERY });
    store.changes.clear();
    expect(await told(id)).toEqual([]);
    await call('POST', `/jobs/${id}/pause`);
    expect(await told(id)).toEqual([[2, 'paused', 'alice', undefined]]);
  });
});

describe('a note', () => {
  it.each([
    ['POST', 'pause', { note: '' }, 'note'],
    ['POST', 'pause', { note: 'x'.repeat(501) }, 'note'],
    ['POST', 'resume', { note: 7 }, 'note'],
    ['POST', 'resume', { reason: 'x' }, 'reason'],
  ])('%s %s refuses %j', async (method, verb, body, field) => {
    const { call, create, stored } = opened();
    const { id } = await create({ schedule: EVERY });
    const before = stored();
    const answer = await call(method, `/jobs/${id}/${verb}`, { body });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body.errors)).toContain(field);
    expect(stored()).toBe(before);
  });

  it('is not needed: a request without a body is taken', async () => {
    const { call, create } = opened();
    const { id } = await create({ schedule: EVERY });
    const headers = { 'content-type': 'application/json' };
    expect((await call('POST', `/jobs/${id}/pause`)).status).toBe(200);
    expect((await call('POST', `/jobs/${id}/resume`, { headers })).status).toBe(200);
  });
});
