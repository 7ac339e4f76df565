// The console of a started server, opened as a user opens it: by the link that the server prints.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, startLocal, startPart, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;
beforeAll(async () => {
  folder = temporaryFolder();
  local = await startLocal(folder.path);
});
afterAll(async () => {
  await local.stop();
  folder.remove();
});

const claimsOf = (token = '') => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe('the console of npm start', () => {
  it('is built while the page says so, and then its files are served', { timeout: 300_000 }, async () => {
    const page = await until(
      'the console is built',
      async () => {
        const response = await fetch(`${local.url}/console/jobs`);
        const body = await response.text();
        if (response.status === 500) throw new Error(body);
        if (response.status === 503) expect(body).toContain('Building the console');
        return response.status === 200 ? body : undefined;
      },
      { withinMs: 240_000, everyMs: 500 },
    );
    const assets = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets.length).toBeGreaterThan(1);
    for (const path of assets) {
      const response = await fetch(`${local.url}${path}`, { headers: { 'accept-encoding': 'br' } });
      expect([path, response.status, response.headers.get('content-encoding')]).toEqual([path, 200, 'br']);
      expect(response.headers.get('cache-control')).toContain('immutable');
      expect((await response.text()).length).toBeGreaterThan(0);
    }
  });

  it('is at /', async () => {
    const response = await fetch(local.url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console/']);
  });

  it('says that users sign in with a local token', async () => {
    const config = await (await fetch(`${local.url}/console/config.json`)).json();
    expect(config).toEqual({
      auth: { kind: 'local' },
      operatorsGroup: 'punctual-operators',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  it('has no file outside of its folder', async () => {
    // fetch would normalize the path
    const call = request({ port: new URL(local.url).port, path: '/console/assets/../../../../package.json' });
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
      call.once('response', resolve).once('error', reject).end(),
    );
    expect(await text(response)).not.toContain('devDependencies');
    expect(response.statusCode).not.toBe(200);
  });

  it('answers HEAD, and leaves all other methods to the API', async () => {
    const head = await fetch(`${local.url}/console/config.json`, { method: 'HEAD' });
    expect([head.status, Number(head.headers.get('content-length'))]).toEqual([200, expect.any(Number)]);
    const post = await fetch(`${local.url}/console/config.json`, { method: 'POST' });
    expect([post.status, post.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });

  it('is not part of the OpenAPI document', async () => {
    const document = (await (await fetch(`${local.url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(document.paths).filter((path) => path === '/' || path.includes('console'))).toEqual(
      [],
    );
  });
});

describe('the link to the console', () => {
  it('is not printed where no terminal is, but the command that prints it, for an operator and 12 hours', async () => {
    await local.printed(/listens on .*\n.*: npx punctual token me --operator --link --data \S+\n/);
    expect(local.output()).not.toContain('#token=');
    const printed = startPart('token.main', { PUNCTUAL_DATA: folder.path }, ['me', '--operator', '--link']);
    expect(await printed.exited).toBe(0);
    const [url, token = ''] = printed.output().trim().split('/console/#token=');
    expect(url).toBe(local.url);
    const { sub, groups, iat, exp } = claimsOf(token);
    expect({ sub, groups, hours: (exp - iat) / 3600 }).toEqual({
      sub: 'me',
      groups: ['punctual-operators'],
      hours: 12,
    });
    const response = await fetch(`${url}/workers`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
  });

  it('is printed for another user by npm run token, with the port of the running server', async () => {
    const printed = startPart('token.main', { PUNCTUAL_DATA: folder.path }, ['ops', '--link']);
    expect(await printed.exited).toBe(0);
    const [url, token] = printed.output().trim().split('/console/#token=');
    expect(url).toBe(local.url);
    const claims = claimsOf(token);
    expect(claims).toMatchObject({ sub: 'ops', exp: claims.iat + 12 * 3600 });
    expect(claims).not.toHaveProperty('groups');
    const response = await fetch(`${url}/jobs`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
  });

  it('needs a running server: nobody else may listen on its port and get the token', async () => {
    const other = temporaryFolder();
    const more = { PUNCTUAL_DATA: other.path, PUNCTUAL_PORT: '4321' };
    const link = startPart('token.main', more, ['me', '--link']);
    expect(await link.exited).toBe(1);
    expect(link.output()).toMatch(/no server runs with the data folder /);
    other.remove();
  });
});
