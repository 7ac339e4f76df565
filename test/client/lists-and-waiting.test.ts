import { describe, expect, it } from 'vitest';
import { PunctualTimeoutError } from '../../src/client/client.ts';
import { clientOn, connectionLost, json, problem } from './fakes.ts';

async function idsOf(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

describe('a list', () => {
  const pages = () => [
    json(200, { items: [{ id: 'a' }, { id: 'b' }], nextCursor: 'c1' }),
    json(200, { items: [], nextCursor: 'c2' }),
    json(200, { items: [{ id: 'c' }] }),
  ];

  it('iterates over all pages, including empty ones', async () => {
    const { client, sent } = clientOn(pages());
    expect(await idsOf(client.jobs.list({ tag: 'team:billing', limit: 2 }))).toEqual(['a', 'b', 'c']);
    expect(sent.map(({ query }) => Object.fromEntries(query))).toEqual([
      { tag: 'team:billing', limit: '2' },
      { tag: 'team:billing', limit: '2', cursor: 'c1' },
      { tag: 'team:billing', limit: '2', cursor: 'c2' },
    ]);
  });

  it('fetches a page only when the iteration reaches it', async () => {
    const { client, sent } = clientOn(pages());
    for await (const { id } of client.executions.list()) if (id === 'b') break;
    expect(sent).toHaveLength(1);
  });

  it('starts from the beginning each time it is iterated', async () => {
    const { client } = clientOn([json(200, { items: [{ id: 'a' }] })]);
    const list = client.deadLetters.list();
    for (let i = 0; i < 2; i++) expect(await idsOf(list)).toEqual(['a']);
  });

  it('returns single pages', async () => {
    const { client } = clientOn(pages());
    const list = client.jobs.list();
    expect(await list.page()).toEqual({ items: [{ id: 'a' }, { id: 'b' }], nextCursor: 'c1' });
    expect(await list.page('c1')).toEqual({ items: [], nextCursor: 'c2' });
  });

  it('continues at the same page after a retry', async () => {
    const [first, second, third] = pages();
    const { client, sent } = clientOn(
      [first, connectionLost(), second, problem(503), third].map((r) => r ?? json(200, {})),
    );
    expect(await idsOf(client.jobs.list())).toEqual(['a', 'b', 'c']);
    expect(sent.map(({ query }) => query.get('cursor'))).toEqual([null, 'c1', 'c1', 'c2', 'c2']);
  });
});

describe('waitFor', () => {
  const dueAt = '2026-11-16T00:00:00.000Z';
  const execution = (status: string, more: object = {}) => json(200, { id: 'e', status, dueAt, ...more });

  it.each(['succeeded', 'failed', 'skipped', 'cancelled'])(
    'resolves with an execution that is %s',
    async (status) => {
      const { client } = clientOn([execution('running'), execution(status)]);
      expect(await client.waitFor('e')).toMatchObject({ status });
    },
  );

  it('polls with growing intervals and reports changes of the status', async () => {
    const seen: string[] = [];
    const { client, slept } = clientOn([
      execution('queued'),
      execution('running'),
      execution('running'),
      execution('retrying'),
      execution('succeeded'),
    ]);
    await client.waitFor('e', { onChange: ({ status }) => seen.push(status) });
    expect(slept).toEqual([200, 300, 450, 675]);
    expect(seen).toEqual(['queued', 'running', 'retrying', 'succeeded']);
  });

  it('polls at most every 5 seconds before the due time, and at the due time', async () => {
    const { client, slept } = clientOn([
      execution('scheduled', { dueAt: '2026-11-16T00:00:07.000Z' }),
      execution('scheduled', { dueAt: '2026-11-16T00:00:07.000Z' }),
      execution('succeeded'),
    ]);
    await client.waitFor('e');
    expect(slept).toEqual([5000, 2000]);
  });

  it('stops at the timeout and reports the last state', async () => {
    const { client, slept, clock } = clientOn([execution('running')]);
    const start = clock.now();
    const error = await client.waitFor('e', { timeoutMs: 1000 }).catch((error) => error);
    expect(error).toBeInstanceOf(PunctualTimeoutError);
    expect(error).toMatchObject({
      message: 'execution e has not ended within 1000 ms; its status is running',
      execution: { status: 'running' },
    });
    expect(clock.now() - start).toBe(1000);
    expect(slept.at(-1)).toBeLessThan(450);
  });

  it('continues after network errors', async () => {
    const { client } = clientOn([connectionLost(), execution('running'), problem(503), execution('failed')]);
    expect(await client.waitFor('e')).toMatchObject({ status: 'failed' });
  });

  it('fails immediately if the execution does not exist', async () => {
    const { client, sent } = clientOn([problem(404)]);
    await expect(client.waitFor('e')).rejects.toMatchObject({ status: 404 });
    expect(sent).toHaveLength(1);
  });

  it('can be aborted', async () => {
    const stop = new AbortController();
    const { client } = clientOn([
      () => {
        stop.abort(new Error('enough'));
        return execution('running');
      },
    ]);
    await expect(client.waitFor('e', { signal: stop.signal })).rejects.toThrow('enough');
  });
});
