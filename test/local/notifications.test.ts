// Notifications as a user of local mode sees them: the webhook is called, the e-mail is in a file, and a receiver that
// never answers keeps no job waiting.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMasterKeys } from '../../src/local/key-files.ts';
import { verifySignature } from '../../src/tasks/http/signature.ts';
import { derivedKeys } from '../../src/tasks/http/signing-keys.ts';
import { startLocal, startTarget, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
const got: { path: string; body: string; signature: string }[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  got.push({ path: request.url ?? '', body, signature: String(request.headers['punctual-signature']) });
  if (request.url !== '/hangs') response.end();
});
let hooks = '';
let local: Awaited<ReturnType<typeof startLocal>>;
let target: Awaited<ReturnType<typeof startTarget>>;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hooks = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  target = await startTarget();
  local = await startLocal(folder.path, {
    PUNCTUAL_NOTIFY_WINDOW_SECONDS: '0',
    PUNCTUAL_EMAIL_RECIPIENTS: '*@example.com',
  });
});
afterAll(async () => {
  await local.stop();
  target.stop();
  server.closeAllConnections();
  server.close();
  folder.remove();
});

test('a failure is sent to the webhook, signed, and by e-mail; receivers that hang delay no job', async () => {
  const me = local.as('me');
  const fails = { task: 'noop', params: { fail: true }, retry: { maxAttempts: 1 } };
  // 12 failures whose receiver never answers, fewer than one owner's share of requests to one host (20)
  for (let i = 0; i < 12; i++)
    await me('POST', '/jobs', { ...fails, notify: [{ on: ['failed'], webhook: { url: `${hooks}/hangs` } }] });
  const created = await me('POST', '/jobs', {
    ...fails,
    name: 'nightly',
    notify: [
      { on: ['failed'], webhook: { url: `${hooks}/alert` } },
      { on: ['failed'], email: { to: 'ops@example.com' } },
    ],
  });
  expect(created.status).toBe(201);
  const elsewhere = [{ on: ['failed'], email: { to: 'ops@elsewhere.example' } }];
  expect((await me('POST', '/jobs', { ...fails, notify: elsewhere })).status).toBe(400);
  const ticking = await me('POST', '/jobs', {
    task: 'http',
    params: { url: `${target.url}/tick` },
    schedule: { every: 'PT1S' },
  });
  await target.called('/tick', 6, 15_000);
  const ticks = await me('GET', `/jobs/${ticking.body.id}/executions?status=succeeded`);
  const late = ticks.body.items.map(({ latenessMs }: { latenessMs: number }) => latenessMs);
  expect(late.length).toBeGreaterThan(3);
  expect(Math.max(...late)).toBeLessThan(5_000);

  const alert = () => got.find(({ path }) => path === '/alert');
  const { body = '', signature = '' } = await until('the webhook is called', alert, { withinMs: 10_000 });
  expect(JSON.parse(body)).toMatchObject({
    event: 'failed',
    job: { id: created.body.id, name: 'nightly' },
    execution: { jobId: created.body.id, status: 'failed', attempt: 1, error: { name: 'DoNotRetry' } },
    folded: 0,
  });
  const keys = await derivedKeys(async () => readMasterKeys(folder.path)).keysOf('me');
  expect(await verifySignature({ signature, keys, method: 'POST', url: `${hooks}/alert`, body })).toBe(true);
  expect(got.filter(({ path }) => path === '/hangs').length).toBeGreaterThan(3);

  const mail = JSON.parse(readFileSync(join(folder.path, 'outbox.jsonl'), 'utf8').trim());
  expect(mail).toMatchObject({ to: ['ops@example.com'], subject: '[Punctual] nightly failed' });
});
