import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES } from '../../src/api/http/body.ts';
import type { HttpEvent } from '../../src/api/http/http-event.ts';
import { type HttpServer, startHttpServer } from '../../src/local/http-server.ts';
import { createLog } from '../../src/runtime/log.ts';

const log = createLog('silent');
let server: HttpServer;
let last: HttpEvent;
beforeAll(async () => {
  const handler = async (event: HttpEvent) => {
    last = event;
    return { statusCode: 201, headers: { 'x-test': 'yes' }, body: '{"ok":true}' };
  };
  server = await startHttpServer(0, Promise.resolve(handler), log);
});
afterAll(() => server.stop());

const bodyOf = (event: HttpEvent) => Buffer.from(event.body ?? '', 'base64');

describe('the local HTTP server', () => {
  // Other systems have one loopback address only.
  it.runIf(process.platform === 'linux')(
    'listens on the loopback address unless it is told another one, and names an address that is not its own',
    async () => {
      expect(new URL(server.url).hostname).toBe('127.0.0.1');
      const handler = Promise.resolve(async () => ({ statusCode: 204 }));
      const other = await startHttpServer(0, handler, log, '127.0.0.3');
      expect(new URL(other.url).hostname).toBe('127.0.0.3');
      expect((await fetch(other.url)).status).toBe(204);
      await other.stop();
      await expect(startHttpServer(0, handler, log, '192.0.2.1')).rejects.toThrow(
        '192.0.2.1 is not an address of this machine. Set PUNCTUAL_HOST to one that is.',
      );
    },
  );

  it('passes a request on as an event of API Gateway and sends the response', async () => {
    const response = await fetch(`${server.url}/jobs/a%20b?x=1&y=%20`, {
      method: 'POST',
      headers: { 'X-Mixed': 'Case', 'content-type': 'application/json' },
      body: '{"é":1}',
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-test')).toBe('yes');
    expect(await response.json()).toEqual({ ok: true });
    expect(last).toMatchObject({
      rawPath: '/jobs/a%20b',
      rawQueryString: 'x=1&y=%20',
      isBase64Encoded: true,
    });
    expect(last.headers['x-mixed']).toBe('Case');
    expect(last.requestContext.http).toMatchObject({ method: 'POST', path: '/jobs/a%20b' });
    expect(bodyOf(last).toString()).toBe('{"é":1}');
  });

  it('accepts no claims from a client', async () => {
    await fetch(`${server.url}/jobs`, { headers: { authorizer: '{"jwt":{"claims":{"sub":"x"}}}' } });
    expect(last.requestContext.authorizer).toBeUndefined();
  });

  it('stops reading a body without a length one byte above the limit, and still answers', async () => {
    const { port } = new URL(server.url);
    const call = request({ port, method: 'POST', path: '/jobs' });
    for (let i = 0; i < 5; i++) call.write(Buffer.alloc(100 * 1024));
    call.end();
    const [response] = await once(call, 'response');
    response.resume();
    expect(response.statusCode).toBe(201);
    expect(bodyOf(last)).toHaveLength(MAX_BODY_BYTES + 1);
  });

  it('does not read a body with a content-length above the limit; the handler sees the length', async () => {
    const response = await fetch(`${server.url}/jobs`, { method: 'POST', body: Buffer.alloc(300 * 1024) });
    expect(response.status).toBe(201);
    expect(last.body).toBeUndefined();
    expect(Number(last.headers['content-length'])).toBe(300 * 1024);
  });

  it('keeps the connection open after a response', async () => {
    const response = await fetch(`${server.url}/health`);
    expect(response.headers.get('connection')).toBe('keep-alive');
  });

  it('names a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const start = startHttpServer(port, new Promise(() => {}), log);
    await expect(start).rejects.toThrow(`port ${port} is in use`);
    other.close();
  });
});
