// The command sends the tokens that it makes for itself to the server of its data folder, and to no other program that listens
// on the port.
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HttpEvent } from '../../src/api/http/http-event.ts';
import { type HttpServer, startHttpServer } from '../../src/local/http-server.ts';
import { fetchOfOwnServer } from '../../src/local/own-server.ts';
import { NotProven, PROOF_PATH, proveServer, withServerProof } from '../../src/local/server-proof.ts';
import { createAuthorizer, knownTokenKey, tokenKey } from '../../src/local/tokens.ts';
import { onSystem } from '../cli/in-process.ts';
import { type Folder, startLocal, temporaryFolder } from '../support/processes.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

let folder: Folder;
beforeAll(async () => {
  folder = temporaryFolder();
  await tokenKey(folder.path);
});
afterAll(() => folder.remove());

const key = () => tokenKey(folder.path);
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A program of another user. It keeps the headers of every request. */
async function stranger(
  answer: (request: IncomingMessage) => string | Promise<string> = () => '{}',
  port = 0,
): Promise<{ url: string; seen: () => string; paths: string[] }> {
  let seen = '';
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    paths.push(request.url ?? '');
    seen += `${request.url} ${JSON.stringify(request.headers)}`;
    for await (const chunk of request) seen += String(chunk);
    response.setHeader('content-type', 'application/json').end(await answer(request));
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => closed(server));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen: () => seen, paths };
}

const closed = (server: Server) => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
};

/** A server of the data folder, without jobs. It answers with the claims of the token. */
async function ownServer(start = 'start-1', port = 0): Promise<HttpServer & { events: HttpEvent[] }> {
  const events: HttpEvent[] = [];
  const authorize = await createAuthorizer({ key: await key(), start });
  const api = withServerProof(
    async (event) => {
      events.push(event);
      try {
        await authorize(event);
      } catch {
        return { statusCode: 401, body: '{}' };
      }
      return { statusCode: 200, body: JSON.stringify(event.requestContext.authorizer?.jwt?.claims) };
    },
    { key: await key(), start },
  );
  const server = await startHttpServer(port, Promise.resolve(api), log);
  stops.push(() => server.stop());
  return { ...server, events };
}

const JWT = /eyJ[\w-]+\./;

describe('while another program listens on the port', () => {
  it.each([
    ['answers every request', () => '{}'],
    ['invents a proof', () => JSON.stringify({ start: 'start-1', proof: 'A'.repeat(43) })],
    ['answers without an end', () => 'x'.repeat(100_000)],
    ['answers with no object', () => 'null'],
  ])('that %s, no command sends a token or anything else', async (_, answer) => {
    const other = await stranger(answer);
    const env = { PUNCTUAL_DATA: folder.path, PUNCTUAL_URL: other.url };
    for (const words of [['list'], ['workers'], ['create', '--task', 'noop', '--name', 'secret-name']]) {
      const { code, out, err } = await onSystem(words, { env });
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(
        `punctual: the program at ${other.url} is not the server of the data folder ${folder.path}, so it gets no token`,
      );
    }
    expect(other.paths.length).toBeGreaterThan(0);
    expect(other.paths.every((path) => path.startsWith(PROOF_PATH))).toBe(true);
    expect(other.seen()).not.toMatch(JWT);
    expect(other.seen()).not.toContain('authorization');
  });

  it('that passes the question on to the server, it gets no token, and the error names the server', async () => {
    const local = await startLocal(folder.path);
    stops.push(() => local.stop());
    const other = await stranger(
      (request) =>
        new Promise((resolve, reject) => {
          const headers = { ...request.headers };
          httpRequest(`${local.url}${request.url}`, { method: request.method, headers }, async (response) => {
            let text = '';
            for await (const chunk of response) text += String(chunk);
            resolve(text);
          })
            .once('error', reject)
            .end();
        }),
    );
    const env = { PUNCTUAL_DATA: folder.path, PUNCTUAL_URL: other.url };
    const { code, err } = await onSystem(['list'], { env });
    expect(code).toBe(2);
    expect(err).toContain(`which listens on ${local.url}`);
    expect(other.seen()).not.toMatch(JWT);
    // the server itself gets one
    expect(await onSystem(['list'], { env: { ...env, PUNCTUAL_URL: local.url } })).toMatchObject({ code: 0 });
  });

  it('that has recorded an earlier answer of the server, it gets no token', async () => {
    const server = await ownServer();
    const port = Number(new URL(server.url).port);
    const nonce = 'A'.repeat(32);
    const recorded = await (await fetch(`${server.url}${PROOF_PATH}?${nonce}`)).text();
    expect(JSON.parse(recorded)).toMatchObject({
      start: 'start-1',
      proof: expect.stringMatching(/^[\w-]{43}$/),
    });
    await stops.pop()?.();
    const other = await stranger(() => recorded, port);
    await expect(proveServer(new URL(other.url), await key())).rejects.toThrow(NotProven);
  });

  it('a data folder with another key gets no token', async () => {
    const server = await ownServer();
    const another = temporaryFolder();
    stops.push(() => another.remove());
    await expect(proveServer(new URL(server.url), await tokenKey(another.path))).rejects.toThrow(NotProven);
  });

  it('no link to the console is printed for it', async () => {
    const other = await stranger();
    const env = { PUNCTUAL_DATA: folder.path, PUNCTUAL_PORT: new URL(other.url).port };
    const { code, out, err } = await onSystem(['token', 'me', '--link'], { env });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(
      `no server runs with the data folder ${folder.path}. Start it first: punctual start`,
    );
  });
});

describe('the token that a command makes', () => {
  const claimsFor = async (url: string) => {
    const send = await fetchOfOwnServer(new URL(url), await key(), 'me', ['punctual-operators']);
    return (await send(`${url}/jobs`)).json() as Promise<JWTPayload>;
  };

  it('lives for five minutes, and is for this start of the server', async () => {
    const server = await ownServer();
    const { iat = 0, exp = 0, aud, sub } = await claimsFor(server.url);
    expect([exp - iat, aud, sub]).toEqual([300, 'punctual:start-1', 'me']);
  });

  it('goes to the address that proved itself, not to what a name means later', async () => {
    const server = await ownServer();
    const { port } = new URL(server.url);
    const url = `http://localhost:${port}`;
    expect(await claimsFor(url)).toMatchObject({ sub: 'me' });
    expect(server.events.map(({ headers }) => headers.host)).toEqual([`127.0.0.1:${port}`]);
  });

  it('is made again when the server was started again', async () => {
    const first = await ownServer('start-1');
    const send = await fetchOfOwnServer(new URL(first.url), await key(), 'me', []);
    expect(await (await send(`${first.url}/jobs`)).json()).toMatchObject({ aud: 'punctual:start-1' });
    await stops.pop()?.();
    const port = Number(new URL(first.url).port);
    const second = await ownServer('start-2', port);
    await expect
      .poll(async () => (await send(`${second.url}/jobs`)).json().catch(() => undefined))
      .toMatchObject({ aud: 'punctual:start-2' });
  });

  it('is accepted by no server if a program that took the port over meanwhile has seen it', async () => {
    const first = await ownServer();
    const send = await fetchOfOwnServer(new URL(first.url), await key(), 'me', []);
    await send(`${first.url}/jobs`);
    await stops.pop()?.();
    // the first request fails or finds the new program, which sees a token of a start that has ended
    const other = await stranger(() => '{}', Number(new URL(first.url).port));
    await send(`${other.url}/jobs`).catch(() => undefined);
    expect(other.paths.length).toBeGreaterThan(0);
    const authorize = await createAuthorizer({ key: await key(), start: 'start-2' });
    for (const [token] of other.seen().matchAll(/Bearer eyJ[\w.-]+/g)) {
      const event = { headers: { authorization: token }, requestContext: {} } as unknown as HttpEvent;
      await expect(authorize(event)).rejects.toThrow('"aud"');
    }
  });
});

describe('a server that is not of this machine', () => {
  it.each(['http://192.0.2.1:3000', 'https://punctual.example'])(
    '%s gets only a token that is given',
    async (url) => {
      const { code, err } = await onSystem(['list', '--url', url], { env: { PUNCTUAL_DATA: folder.path } });
      expect(code).toBe(2);
      expect(err).toContain('is not on this machine: give --token or PUNCTUAL_TOKEN');
    },
  );

  it('a data folder without a key gets none', async () => {
    const empty = temporaryFolder();
    stops.push(() => empty.remove());
    const { code, err } = await onSystem(['list'], { env: { PUNCTUAL_DATA: empty.path } });
    expect(code).toBe(2);
    expect(err).toContain(`no data folder ${empty.path} with a key`);
    expect(knownTokenKey(empty.path)).toBeUndefined();
  });
});

it('start prints no token unless its output is a terminal, and a command that makes a link', async () => {
  const local = await startLocal(folder.path);
  stops.push(() => local.stop());
  await local.printed(/curl .*\n.*curl/);
  expect(local.output()).not.toMatch(JWT);
  expect(local.output()).toContain(`npx punctual token me --operator --link --data ${folder.path}`);
  const words = ['token', 'me', '--operator', '--link', '--data', folder.path];
  const { code, out } = await onSystem(words);
  expect(code).toBe(0);
  const [, address, token] = /^(http.*)\/console\/#token=(\S+)\n$/.exec(out) ?? [];
  expect(address).toBe(local.url);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${local.url}/workers`, { headers })).status).toBe(200);
});
