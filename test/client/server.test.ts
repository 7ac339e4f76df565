// The client with a real local server, over a network that loses responses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type Job, PunctualApiError } from '../../src/client/client.ts';
import { signToken, tokenKey } from '../../src/local/tokens.ts';
import { type Folder, startLocal, temporaryFolder } from '../support/processes.ts';

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;

beforeAll(async () => {
  folder = temporaryFolder();
  // A running task learns of its cancellation at the next heartbeat.
  local = await startLocal(folder.path, { PUNCTUAL_HEARTBEAT_MS: '1000' });
});
afterAll(async () => {
  await local?.stop();
  folder?.remove();
});

const tokenOf = async (user: string, operator = false) =>
  signToken(await tokenKey(folder.path), user, operator ? ['punctual-operators'] : []);

function clientOf(user: string, options: { fetch?: typeof fetch; operator?: boolean } = {}) {
  return createClient({
    baseUrl: local.url,
    token: () => tokenOf(user, options.operator),
    retry: { baseDelayMs: 10 },
    ...(options.fetch && { fetch: options.fetch }),
  });
}

/** Delivers every request, but loses the first `times` responses. */
function losingResponses(times: number) {
  const lossy = { lost: 0, fetch: (async () => {}) as unknown as typeof fetch };
  lossy.fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (lossy.lost === times) return response;
    await response.text();
    lossy.lost++;
    throw new TypeError('fetch failed', { cause: new Error('other side closed') });
  };
  return lossy;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const dailyJob = (name: string) => ({ name, task: 'noop', schedule: { cron: '0 9 * * *' } });

describe('the client', () => {
  it('creates one job if the responses to the first two attempts are lost', async () => {
    const network = losingResponses(2);
    const client = clientOf('lossy', network);
    const job = await client.jobs.create(dailyJob('one'));
    expect(network.lost).toBe(2);
    expect(await all(client.jobs.list())).toMatchObject([{ id: job.id, name: 'one' }]);
  });

  it('does not start a second run if the response to the first is lost', async () => {
    const sure = clientOf('runner');
    const job = await sure.jobs.create(dailyJob('run'));
    await expect(clientOf('runner', losingResponses(1)).jobs.run(job.id)).rejects.toThrow(
      'it is unknown whether the server handled the request',
    );
    await expect.poll(() => all(sure.executions.ofJob(job.id))).toHaveLength(1);
  });

  it('iterates over all pages, each job once, while jobs are added', async () => {
    const client = clientOf('pages');
    const before = new Set<string>();
    for (let i = 0; i < 12; i++) {
      const { id } = await client.jobs.create({ ...dailyJob(`p${i}`), tags: { team: 'billing' } });
      before.add(id);
    }
    const seen: string[] = [];
    for await (const { id } of client.jobs.list({ tag: 'team:billing', limit: 5 })) {
      seen.push(id);
      if (seen.length % 5 === 3) await client.jobs.create({ ...dailyJob('late'), tags: { team: 'billing' } });
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => before.has(id))).toHaveLength(12);
  });

  it('waits until an execution has ended', async () => {
    const client = clientOf('waiting');
    const job = await client.jobs.create({
      task: 'noop',
      params: { durationMs: 400, result: { rows: 3 } },
      schedule: { cron: '0 9 * * *' },
    });
    const seen: string[] = [];
    const started = await client.jobs.run(job.id);
    const ended = await client.waitFor(started.id, {
      timeoutMs: 15_000,
      onChange: ({ status }) => seen.push(status),
    });
    expect(ended).toMatchObject({ id: started.id, status: 'succeeded', result: { rows: 3 } });
    expect(seen.at(-1)).toBe('succeeded');
    expect(await client.executions.get(started.id)).toEqual(ended);
  });

  it('stops waiting at the timeout', async () => {
    const client = clientOf('waiting');
    const job = await client.jobs.create({ task: 'noop', schedule: { in: 'P1D' } });
    const [coming] = await all(client.executions.ofJob(job.id));
    await expect(client.waitFor(coming?.id ?? '', { timeoutMs: 300 })).rejects.toThrow(
      'has not ended within 300 ms; its status is scheduled',
    );
  });

  it('reports each wrong field', async () => {
    const failed = await clientOf('wrong')
      .jobs.create({ task: 'noop', schedule: { cron: '0 9 * *' }, retry: { maxAttempts: 0 } })
      .catch((error) => error);
    expect(failed).toBeInstanceOf(PunctualApiError);
    expect(failed).toMatchObject({ status: 400, attempts: 1, requestId: expect.any(String) });
    expect(failed.fieldErrors.map(({ path }: { path: string }) => path)).toContain('retry.maxAttempts');
  });

  it('throws 401 and 404 as errors with the reason', async () => {
    const job = await clientOf('owner').jobs.create(dailyJob('mine'));
    await expect(clientOf('stranger').jobs.get(job.id)).rejects.toMatchObject({ status: 404 });
    const nobody = createClient({ baseUrl: local.url, token: 'x.y.z' });
    await expect(nobody.jobs.list().page()).rejects.toMatchObject({ status: 401 });
  });

  it('creates a batch, each job independently, even if the response is lost', async () => {
    const network = losingResponses(1);
    const client = clientOf('batch', network);
    const results = await client.jobs.createBatch([
      dailyJob('a'),
      { task: 'noop', schedule: { cron: 'nonsense' } },
      dailyJob('b'),
    ]);
    expect(results.map(({ status }) => status)).toEqual([201, 400, 201]);
    expect((await all(client.jobs.list())).map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });

  it('creates a job asynchronously and finds it a moment later', async () => {
    const client = clientOf('async');
    const { id } = await client.jobs.createAsync(dailyJob('soon'));
    const job = () => client.jobs.get(id).catch(() => undefined);
    await expect.poll(job, { timeout: 10_000 }).toMatchObject({ id, name: 'soon' } satisfies Partial<Job>);
  });

  it('edits, pauses, resumes and cancels', async () => {
    const client = clientOf('managing');
    const job = await client.jobs.create(dailyJob('first'));
    const edited = await client.jobs.edit(job.id, { name: 'second' }, { ifMatch: job.version });
    expect(edited).toMatchObject({ name: 'second', version: job.version + 1 });
    await expect(client.jobs.edit(job.id, { name: 'third' }, { ifMatch: job.version })).rejects.toMatchObject(
      { status: 412 },
    );
    expect(await client.jobs.pause(job.id)).toMatchObject({ status: 'paused' });
    expect(await client.jobs.resume(job.id)).toMatchObject({ status: 'active' });
    expect(await client.jobs.cancel(job.id)).toBeUndefined();
    expect(await client.jobs.get(job.id)).toMatchObject({ status: 'cancelled', name: 'second' });
  });

  it('retries a pause, a resume and a cancel whose response is lost', async () => {
    const { id } = await clientOf('repeating').jobs.create(dailyJob('again'));
    expect(await clientOf('repeating', losingResponses(1)).jobs.pause(id)).toMatchObject({
      status: 'paused',
    });
    expect(await clientOf('repeating', losingResponses(1)).jobs.resume(id)).toMatchObject({
      status: 'active',
    });
    await clientOf('repeating', losingResponses(1)).jobs.cancel(id);
    expect(await clientOf('repeating').jobs.get(id)).toMatchObject({ status: 'cancelled' });
  });

  it('cancels and retries executions, and redrives dead letters', async () => {
    const client = clientOf('failing');
    const job = await client.jobs.create({ ...dailyJob('fails'), params: { fail: true } });
    const failed = await client.waitFor((await client.jobs.run(job.id)).id, { timeoutMs: 15_000 });
    expect(failed.status).toBe('failed');
    expect(await all(client.deadLetters.list())).toMatchObject([{ id: failed.id }]);
    expect(await client.deadLetters.redrive({ ids: [failed.id] })).toEqual({ redriven: 1 });
    expect(await client.waitFor(failed.id, { timeoutMs: 15_000 })).toMatchObject({ status: 'failed' });
    await client.executions.retry(failed.id);
    expect(await client.waitFor(failed.id, { timeoutMs: 15_000 })).toMatchObject({ status: 'failed' });
    expect(await all(client.executions.list({ status: 'failed' }))).toMatchObject([{ id: failed.id }]);

    const long = await client.jobs.create({ ...dailyJob('long'), params: { durationMs: 60_000 } });
    const running = await client.jobs.run(long.id);
    await client.executions.cancel(running.id);
    expect(await client.waitFor(running.id, { timeoutMs: 20_000 })).toMatchObject({ status: 'cancelled' });
  });

  it('backfills, previews, and reads tasks, workers, health and the OpenAPI document', async () => {
    const client = clientOf('reading', { operator: true });
    const { id, createdAt } = await client.jobs.create(dailyJob('none'));
    const { planned, operation } = await client.jobs.backfill(id, {
      from: createdAt,
      to: new Date().toISOString(),
    });
    expect(planned).toBe(0);
    await client.operations.stop(operation);
    expect(await client.operations.waitFor(operation)).toMatchObject({ id: operation, status: 'done' });
    const preview = await client.preview({ schedule: { cron: '0 9 * * *' }, count: 3 });
    expect(preview).toMatchObject({ description: 'At 09:00 every day, UTC', warnings: [] });
    expect(preview.fireTimes).toHaveLength(3);
    expect((await client.tasks()).map(({ name }) => name)).toContain('noop');
    await expect.poll(() => client.workers(), { timeout: 15_000 }).toHaveLength(1);
    expect(await client.health()).toEqual({ status: 'ok' });
    expect((await client.openapi()).openapi).toMatch(/^3\.1/);
  });
});
