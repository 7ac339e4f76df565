// The handler of the console, called as API Gateway and the local server call it.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpEvent } from '../../src/api/http/http-event.ts';
import { loadConsoleFiles } from '../../src/console/console-files.ts';
import { type ConsoleState, createConsole, isForConsole } from '../../src/console/handler.ts';
import { eventOf } from '../support/api-events.ts';
import { type BuiltFolder, builtFolder, PAGE, SCRIPT, STYLE } from './built-folder.ts';

const CONFIG = { auth: { kind: 'local' }, operatorsGroup: 'ops', version: '1.2.3' } as const;

let folder: BuiltFolder;
let state: ConsoleState;
beforeAll(async () => {
  folder = builtFolder();
  state = { kind: 'ready', files: await loadConsoleFiles(folder.path) };
});
afterAll(() => folder.remove());

interface Got {
  readonly status: number | undefined;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
  readonly text: string;
}

async function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const handler = createConsole({ config: CONFIG, state: async () => state });
  const event = eventOf(method, path, { user: null, headers });
  const response = await handler(event);
  const bytes = Buffer.from(response.body ?? '', response.isBase64Encoded ? 'base64' : 'utf8');
  const sent = response.headers as Record<string, string>;
  const plain = bytes.length > 0 && sent['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes;
  return { status: response.statusCode, headers: sent, bytes, text: plain.toString() };
}

const BROTLI = { 'accept-encoding': 'gzip, deflate, br, zstd' };

describe('the console', () => {
  it('redirects / to its page', async () => {
    expect(await get('/')).toMatchObject({ status: 302, headers: { location: '/console/' } });
  });

  it.each([
    '/console',
    '/console/',
    '/console/jobs',
    '/console/jobs/job_1/executions',
    '/console/a.b',
    '/console/assets',
  ])('answers %s with the page, which the browser asks for each time', async (path) => {
    const { status, headers, text } = await get(path, BROTLI);
    expect([status, text]).toEqual([200, PAGE]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    });
  });

  it('answers 304 if the browser has the page, and not if it has another encoding of it', async () => {
    const { headers } = await get('/console/', BROTLI);
    const etag = headers.etag ?? '';
    const again = await get('/console/jobs', { ...BROTLI, 'if-none-match': etag });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    // A cache takes these from the 304.
    expect(again.headers).toMatchObject({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
    expect((await get('/console/', { 'if-none-match': etag })).status).toBe(200);
  });

  it('sends assets compressed, to be kept for a year', async () => {
    const script = await get('/console/assets/main-AB12.js', BROTLI);
    expect(script.text).toBe(SCRIPT);
    expect(script.bytes.length).toBeLessThan(SCRIPT.length / 10);
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect((await get('/console/assets/main-CD34.css', BROTLI)).text).toBe(STYLE);
    expect((await get('/console/assets/dot-EF56.svg', BROTLI)).headers).toMatchObject({
      'content-type': 'image/svg+xml',
    });
  });

  it.each([undefined, 'br;q=0', 'identity', 'brotli'])(
    'decompresses for a client that accepts %s',
    async (accepted) => {
      const script = await get(
        '/console/assets/main-AB12.js',
        accepted ? { 'accept-encoding': accepted } : {},
      );
      expect(script.headers).not.toHaveProperty('content-encoding');
      expect(script.bytes.toString()).toBe(SCRIPT);
    },
  );

  it.each(['gzip', 'br; q=0.0, gzip'])(
    'compresses with gzip for a client that accepts %s',
    async (accepted) => {
      const script = await get('/console/assets/main-AB12.js', { 'accept-encoding': accepted });
      expect(script.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(script.bytes).toString()).toBe(SCRIPT);
    },
  );

  it.each(['br;q=0.5', 'BR', 'gzip,br'])('compresses for a client that accepts %s', async (accepted) => {
    const script = await get('/console/assets/main-AB12.js', { 'accept-encoding': accepted });
    expect(script.headers['content-encoding']).toBe('br');
  });

  it.each([
    'gone-0000.js',
    '',
    'main-AB12.js.br',
    '../index.html',
    '..%2findex.html',
    '%2e%2e/index.html',
    '..\\index.html',
    '../manifest.json',
    '/etc/passwd',
    '../../../../../../etc/passwd',
    'main-AB12.js/',
    'main-AB12.js\0.css',
    '__proto__',
    'constructor',
  ])('answers 404 for the asset %j, and nobody keeps the answer', async (name) => {
    const { status, headers } = await get(`/console/assets/${name}`, BROTLI);
    expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each([
    '/console/../package.json',
    '/console/%2e%2e/%2e%2e/etc/passwd',
    '/console//etc/passwd',
    '/console/manifest.json',
  ])('answers %s with the page and not with a file', async (path) => {
    expect((await get(path)).text).toBe(PAGE);
  });

  it.each(['/console/', '/console/assets/main-AB12.js', '/console/config.json', '/console/assets/none.js'])(
    'answers HEAD %s with the headers of GET',
    async (path) => {
      const [got, head] = [await get(path, BROTLI), await get(path, BROTLI, 'HEAD')];
      expect(head.status).toBe(got.status);
      expect(head.bytes).toHaveLength(0);
      expect(head.headers).toEqual({ ...got.headers, 'content-length': String(got.bytes.length) });
    },
  );

  it('says how users sign in, without a token', async () => {
    const { status, headers, text } = await get('/console/config.json');
    expect([status, JSON.parse(text)]).toEqual([200, CONFIG]);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-cache' });
  });

  it.each([
    '/',
    '/console/',
    '/console/config.json',
    '/console/assets/main-AB12.js',
    '/console/assets/none.js',
  ])('protects %s', async (path) => {
    const { headers } = await get(path, { 'x-request-id': 'mine' });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': 'mine',
    });
    const policy = headers['content-security-policy']?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy?.join()).not.toContain('unsafe');
  });

  it('may call the issuer that its users sign in with', async () => {
    const handler = createConsole({
      config: CONFIG,
      connectTo: ['https://login.example.com'],
      state: async () => state,
    });
    const { headers } = await handler(eventOf('GET', '/console/', { user: null }));
    expect(headers?.['content-security-policy']).toContain("connect-src 'self' https://login.example.com;");
  });

  it('says that it is being built, and reloads by a header or by a script of its own origin', async () => {
    const ready = state;
    state = { kind: 'building' };
    const { status, headers, text } = await get('/console/');
    expect([status, headers.refresh, headers['cache-control']]).toEqual([503, '1', 'no-store']);
    expect(text).toContain('Building the console');
    expect(text).not.toMatch(/<style|style=/);
    const [, script = '', code] = /<script src="([^"]+)" defer>(.*)<\/script>/.exec(text) ?? [];
    expect(code).toBe('');
    expect((await get(script)).headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect((await get('/console/config.json')).status).toBe(200);
    state = ready;
  });

  it('shows why the build failed, as text', async () => {
    const ready = state;
    state = { kind: 'failed', error: 'app.tsx:3: expected ">" but found <img src=x onerror="alert(1)">' };
    const { status, headers, text } = await get('/console/');
    expect([status, headers.refresh]).toEqual([500, '1']);
    expect(text).toContain('app.tsx:3: expected');
    expect(text).not.toContain('<img');
    state = ready;
  });
});

describe('the requests of the console', () => {
  const isFor = (method: string, path: string) => isForConsole(eventOf(method, path) as HttpEvent);

  it('are the reads of / and of everything below /console', () => {
    const mine = ['/', '/console', '/console/', '/console/x'].flatMap((path) => [
      isFor('GET', path),
      isFor('HEAD', path),
    ]);
    expect(mine).toEqual(Array(8).fill(true));
  });

  it('are no writes, and no paths of the API', () => {
    const others = [
      isFor('POST', '/console/'),
      isFor('OPTIONS', '/'),
      isFor('GET', '/consoles'),
      isFor('GET', '/jobs'),
    ];
    expect(others).toEqual([false, false, false, false]);
  });
});
