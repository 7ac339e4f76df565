// The examples that need a server run on a local one.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PLANS, pauseTenant, setPlan, usageOf } from '../../examples/multi-tenant/operate.ts';
import { createApp } from '../../examples/reminders/app.ts';
import { createReceiver } from '../../examples/webhook-receiver/receiver.ts';
import { createClient } from '../../src/client/client.ts';
import { localSigningKeys } from '../../src/local/local-signing-keys.ts';
import { localToken } from '../../src/local/tokens.ts';
import { startLocal, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
let local: Awaited<ReturnType<typeof startLocal>>;
const servers: Server[] = [];
beforeAll(async () => {
  local = await startLocal(folder.path);
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await local.stop();
  folder.remove();
});

const clientOf = async (user: string, operator = false) =>
  createClient({
    baseUrl: local.url,
    token: await localToken(folder.path, user, operator, {}),
    retry: { maxAttempts: 1 },
  });

/** A free port, and the URL of the server that will listen there. */
async function freeUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

async function listenAt(url: string, server: Server): Promise<void> {
  servers.push(server.listen(Number(new URL(url).port), '127.0.0.1'));
  await once(server, 'listening');
}

it('webhook-receiver handles signed requests once, and refuses others', async () => {
  const handled: string[] = [];
  const keys = await localSigningKeys(folder.path, 'ann');
  const publicUrl = await freeUrl();
  let failures = 1;
  const handle = async (body: string) => {
    if (failures-- > 0) throw new Error('the database is restarted');
    handled.push(body);
  };
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  await listenAt(publicUrl, createServer(createReceiver({ keys, publicUrl, handle })));
  const client = await clientOf('ann');
  const job = await client.jobs.create({
    task: 'http',
    params: { url: `${publicUrl}/hook?a=1`, method: 'POST', body: { n: 1 } },
    retry: { maxAttempts: 2, backoffSeconds: 1 },
  });
  await until('the job has called', () => handled.length > 0, { withinMs: 30_000 });
  const { items } = await client.executions.ofJob(job.id).page();
  expect(await client.waitFor(items[0]?.id ?? '')).toMatchObject({
    status: 'succeeded',
    attempt: 2,
  });
  expect(handled).toEqual(['{"n":1}']);
  expect(printed).toHaveBeenCalledOnce();
  printed.mockRestore();

  const forged = await fetch(`${publicUrl}/hook`, {
    method: 'POST',
    body: '{"n":2}',
    headers: { 'punctual-signature': `t=${Math.floor(Date.now() / 1000)},v1=k1.1:00` },
  });
  expect(forged.status).toBe(401);
  const large = await fetch(`${publicUrl}/hook`, { method: 'POST', body: 'x'.repeat(1_000_001) });
  expect([large.status, await large.text()]).toEqual([413, 'the body is too large\n']);
  const stranger = await (await clientOf('bob')).jobs.create({
    task: 'http',
    params: { url: `${publicUrl}/hook`, method: 'POST', body: { n: 3 } },
    retry: { maxAttempts: 1 },
  });
  const bob = await clientOf('bob');
  const [run] = (await bob.executions.ofJob(stranger.id).page()).items;
  expect(await bob.waitFor(run?.id ?? '')).toMatchObject({ status: 'failed' });
  expect(handled).toHaveLength(1);
});

it('reminders are set, listed, deleted and shown when they are due', async () => {
  const shown: string[] = [];
  const appUrl = await freeUrl();
  const app = createApp({
    client: await clientOf('app'),
    appUrl,
    userOf: ({ headers }) => String(headers['x-user']),
    remind: async (user, about) => void shown.push(`${user}: ${about}`),
  });
  await listenAt(appUrl, app);
  const call = async (user: string, method: string, path: string, body?: unknown) => {
    const response = await fetch(`${appUrl}${path}`, {
      method,
      headers: { 'x-user': user },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    return { status: response.status, body: answer ? JSON.parse(answer) : undefined };
  };
  const soon = new Date(Date.now() + 2_000).toISOString().slice(0, -1);
  const first = await call('ann', 'POST', '/reminders', {
    key: 'k1',
    text: 'call Bob',
    at: soon,
    timezone: 'UTC',
  });
  expect(first.status, JSON.stringify(first.body)).toBe(201);
  const again = await call('ann', 'POST', '/reminders', {
    key: 'k1',
    text: 'call Bob',
    at: soon,
    timezone: 'UTC',
  });
  expect(again.body.id).toBe(first.body.id);
  const later = { key: 'k2', text: 'rest', at: '2040-01-01T09:00', timezone: 'Europe/Paris' };
  const { id } = (await call('ann', 'POST', '/reminders', later)).body;
  expect((await call('ann', 'GET', '/reminders')).body).toContainEqual({
    id,
    at: '2040-01-01T08:00:00.000Z',
  });
  expect((await call('bob', 'GET', '/reminders')).body).toEqual([]);
  const his = await call('bob', 'POST', '/reminders', { ...later, text: 'sleep' });
  expect(his.status, 'the key of another user').toBe(201);
  expect((await call('bob', 'DELETE', `/reminders/${id}`)).status, 'not his').toBe(404);
  expect((await call('ann', 'DELETE', `/reminders/${id}`)).status).toBe(204);
  const wrong = await call('ann', 'POST', '/reminders', { ...later, key: 'k3', timezone: 'Mars/Olympus' });
  expect(wrong).toMatchObject({ status: 400, body: { error: expect.stringContaining('timezone') } });
  await until('the reminder is shown', () => shown.length > 0, { withinMs: 30_000 });
  expect(shown).toEqual(['ann: call Bob']);
  const isEmpty = async () => (await call('ann', 'GET', '/reminders')).body.length === 0;
  await until('the list is empty', isEmpty, { withinMs: 30_000 });
});

it('multi-tenant: limits by plan, a look at one tenant, and a pause of all of its jobs', async () => {
  const operator = await clientOf('team', true);
  const [acme, other] = [await clientOf('acme'), await clientOf('other')];
  await setPlan(operator, 'acme', 'free');
  const hourly = { task: 'noop', schedule: { cron: '0 * * * *' } };
  for (let i = 0; i < PLANS.free.activeJobs; i++) await acme.jobs.create(hourly);
  await expect(acme.jobs.create(hourly)).rejects.toMatchObject({ status: 429 });
  await other.jobs.create(hourly);
  expect(await usageOf(operator, 'acme')).toEqual({ tenant: 'acme', jobs: 3, failed: 0 });
  expect(await pauseTenant(operator, 'acme', 'too many requests')).toBe(3);
  expect(await usageOf(operator, 'acme')).toMatchObject({ jobs: 0 });
  expect(await usageOf(operator, 'other')).toMatchObject({ jobs: 1 });
  const [job] = (await acme.jobs.list().page()).items;
  const [change] = (await acme.jobs.changes(job?.id ?? '').page()).items;
  expect(change).toMatchObject({ what: 'paused', by: 'team', note: 'too many requests' });
  await expect(usageOf(acme, 'other')).rejects.toMatchObject({ status: 403 });
});
