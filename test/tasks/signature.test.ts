import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressRules } from '../../src/tasks/http/addresses.ts';
import { guardedAgent } from '../../src/tasks/http/guarded-connect.ts';
import { HostLimiter } from '../../src/tasks/http/host-limiter.ts';
import { httpTask } from '../../src/tasks/http/http.ts';
import { httpParams } from '../../src/tasks/http/http-params.ts';
import { sign, verifySignature } from '../../src/tasks/http/signature.ts';
import { derivedKeys, type MasterKeys, newMasterKey } from '../../src/tasks/http/signing-keys.ts';
import { taskContext } from '../support/task-context.ts';

const request = { method: 'POST', url: 'https://example.com/hook?a=1', body: '{"a":"ü"}' };
const old = { id: 'k1.1', secret: Buffer.alloc(32, 1).toString('base64url') };
const fresh = { id: 'k2.1', secret: Buffer.alloc(32, 2).toString('base64url') };
const TIME = 1_796_119_200;
const now = TIME * 1000;

describe('a signature', () => {
  it('is the HMAC-SHA256 of time, method, URL and body, as any language can compute it', async () => {
    const mac = createHmac('sha256', Buffer.alloc(32, 1))
      .update(`${TIME}.POST.https://example.com/hook?a=1.{"a":"ü"}`)
      .digest('hex');
    await expect(sign([old], request, TIME)).resolves.toBe(`t=${TIME},v1=k1.1:${mac}`);
  });

  it('is verified by the Python of the docs', async () => {
    const docs = readFileSync(new URL('../../docs/tasks.md', import.meta.url), 'utf8');
    const code = /```python\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';
    const seconds = Math.floor(Date.now() / 1000);
    const signature = await sign([fresh, old], request, seconds);
    const ask = (url: string, keys: object) =>
      `print(genuine(${JSON.stringify(signature)}, "POST", ${JSON.stringify(url)}, ${JSON.stringify(request.body)}.encode(), ${JSON.stringify(keys)}))`;
    const source = [
      code,
      ask(request.url, { [old.id]: old.secret }),
      ask('https://example.com/other', { [old.id]: old.secret }),
      ask(request.url, { [old.id]: fresh.secret }),
    ].join('\n');
    expect(execFileSync('python3', ['-c', source]).toString().split('\n')).toEqual([
      'True',
      'False',
      'False',
      '',
    ]);
  });

  it('is verified with any of the keys in force, for as long as a rotation takes', async () => {
    const signature = await sign([fresh, old], request, TIME);
    for (const keys of [[old], [fresh], [old, fresh]])
      await expect(verifySignature({ ...request, signature, keys, now })).resolves.toBe(true);
  });

  it.each([
    ['another body', { body: '{"a":2}' }],
    ['no body', { body: undefined }],
    ['another method', { method: 'PUT' }],
    ['another URL', { url: 'https://example.com/hook?a=2' }],
    ['another key of the same id', { keys: [{ ...fresh, id: 'k1.1' }] }],
    ['a key it was not signed with', { keys: [fresh] }],
    ['no key', { keys: [] }],
    ['too late', { now: now + 301_000 }],
    ['from the future', { now: now - 301_000 }],
    ['a narrower tolerance', { now: now + 11_000, toleranceSeconds: 10 }],
  ])('does not hold for %s', async (_what, more) => {
    const signature = await sign([old], request, TIME);
    await expect(verifySignature({ ...request, signature, keys: [old], now, ...more })).resolves.toBe(false);
  });

  it.each([
    [null],
    [''],
    ['t=1'],
    ['v1=k1.1:00'],
    [`t=${TIME}`],
    [`t=${TIME},v1=k1.1:zz`],
    [`t=${TIME},t=${TIME}`],
    ['t=NaN,v1=k1.1:'],
    [`t=${TIME},v2=k1.1:${'0'.repeat(64)}`],
  ])('is not %j', async (signature) => {
    await expect(verifySignature({ ...request, signature, keys: [old], now })).resolves.toBe(false);
  });

  it('cannot be moved to a newer time', async () => {
    const signature = (await sign([old], request, TIME)).replace(`t=${TIME}`, `t=${TIME + 600}`);
    await expect(verifySignature({ ...request, signature, keys: [old], now: now + 600_000 })).resolves.toBe(
      false,
    );
  });
});

describe('the keys of users', () => {
  const master: MasterKeys = { keys: [newMasterKey('k1')] };
  const keysOf = (keys: MasterKeys, user: string) => derivedKeys(async () => keys).keysOf(user);

  it('are the same every time, another for each user, and nothing of the master key', async () => {
    const [[alice], [again], [bob]] = await Promise.all([
      keysOf(master, 'alice'),
      keysOf(master, 'alice'),
      keysOf(master, 'bob'),
    ]);
    expect(alice).toEqual(again);
    expect(alice?.id).toBe('k1.1');
    expect(bob?.secret).not.toBe(alice?.secret);
    expect(alice?.secret).not.toBe(master.keys[0]?.secret);
    expect(Buffer.from(alice?.secret ?? '', 'base64url')).toHaveLength(32);
  });

  it('are replaced for all by a new master key, and for one user by a new generation; the old one stays as long as wanted', async () => {
    const both = { keys: [newMasterKey('k2'), ...master.keys] };
    expect((await keysOf(both, 'alice')).map(({ id }) => id)).toEqual(['k2.1', 'k1.1']);
    expect((await keysOf(both, 'alice'))[1]).toEqual((await keysOf(master, 'alice'))[0]);
    const rotated = { ...master, generations: { alice: [2, 1] } };
    expect((await keysOf(rotated, 'alice')).map(({ id }) => id)).toEqual(['k1.2', 'k1.1']);
    expect((await keysOf(rotated, 'bob')).map(({ id }) => id)).toEqual(['k1.1']);
    expect((await keysOf(rotated, 'toString')).map(({ id }) => id)).toEqual(['k1.1']);
  });

  it('that are not as they should be are told without showing them', async () => {
    const wrong = derivedKeys(async () => ({ keys: [{ id: 'k1', secret: 'c2hvcnQ' }] }));
    await expect(wrong.keysOf('alice')).rejects.toThrow(
      'the signing keys have an invalid format at keys.0.secret',
    );
    await expect(wrong.keysOf('alice')).rejects.not.toThrow('c2hvcnQ');
  });
});

describe('requests of the task http', () => {
  const seen: { request: IncomingMessage; body: string }[] = [];
  let origin = '';
  let redirect: string | undefined;
  const server = createServer(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    seen.push({ request: incoming, body });
    if (redirect && incoming.url === '/hook') response.writeHead(307, { location: redirect }).end();
    else response.end();
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const keys = derivedKeys(async () => ({
    keys: [{ id: 'k1', secret: Buffer.alloc(32, 9).toString('base64url') }],
  }));
  const http = httpTask(() => ({
    dispatcher: guardedAgent(addressRules({ loopback: true })),
    hostLimiter: new HostLimiter({ perHost: 4 }),
    signingKeys: keys,
  }));
  const send = (params: object, userId = 'alice') =>
    http.run(taskContext(httpParams.parse({ url: `${origin}/hook`, ...params }), { userId }));
  const holds = async (at: number, userId: string) => {
    const { request: got, body } = seen[at] ?? expect.fail('no request');
    return verifySignature({
      method: got.method ?? '',
      url: `${origin}${got.url}`,
      body,
      signature: got.headers['punctual-signature'] as string | undefined,
      keys: await keys.keysOf(userId),
    });
  };

  it('are signed with the key of the job’s user', async () => {
    await send({ body: { a: 1 } });
    await send({ method: 'GET' });
    expect([await holds(0, 'alice'), await holds(0, 'bob'), await holds(1, 'alice')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('are signed anew for a redirect within the origin, and not at all for one to another', async () => {
    seen.length = 0;
    redirect = '/moved';
    await send({ body: 'x' });
    expect(await holds(1, 'alice')).toBe(true);
    seen.length = 0;
    redirect = `${origin.replace('127.0.0.1', 'localhost')}/moved`;
    await send({ method: 'DELETE' });
    expect(seen[1]?.request.headers).not.toHaveProperty('punctual-signature');
    expect(seen[1]?.request.headers).toHaveProperty('punctual-execution');
  });

  it('cannot have a signature of the job’s own making', () => {
    const own = { url: 'https://example.com', headers: { 'Punctual-Signature': 't=1' } };
    expect(httpParams.safeParse(own).success).toBe(false);
  });
});
