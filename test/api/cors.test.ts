import { describe, expect, it } from 'vitest';
import { testApi } from './api.ts';

const ORIGIN = 'https://console.example.com';
const preflight = (method = 'PATCH', origin = ORIGIN) => ({
  user: null,
  headers: { origin, 'access-control-request-method': method },
});

describe('CORS', () => {
  it('a preflight from an allowed origin needs no token and says what the path takes', async () => {
    const { call } = testApi({ corsOrigins: [ORIGIN] });
    const { status, headers, body } = await call('OPTIONS', '/jobs/x', preflight());
    expect(status).toBe(204);
    expect(body).toBeUndefined();
    expect(headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, PATCH, DELETE',
      'access-control-allow-headers': expect.stringContaining('idempotency-key'),
      vary: 'origin',
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('every answer, refusals included, names the origin and the headers that may be read', async () => {
    const { call } = testApi({ corsOrigins: [ORIGIN] });
    for (const [path, status] of [
      ['/jobs', 200],
      ['/jobs/x', 404],
      ['/nowhere', 404],
    ] as const) {
      const answer = await call('GET', path, { headers: { origin: ORIGIN } });
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-expose-headers': expect.stringContaining('etag'),
        vary: 'origin',
      });
    }
  });

  it('another origin is named nowhere', async () => {
    const { call } = testApi({ corsOrigins: [ORIGIN] });
    for (const origin of ['https://evil.example.com', `${ORIGIN}.evil.com`, 'null', '']) {
      const asked = await call('OPTIONS', '/jobs', preflight('POST', origin));
      expect(asked.headers['access-control-allow-origin']).toBeUndefined();
      const answer = await call('GET', '/jobs', { headers: { origin } });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(answer.headers.vary).toBe('origin');
    }
  });

  it('* is anybody', async () => {
    const { call } = testApi({ corsOrigins: ['*'] });
    expect((await call('GET', '/health')).headers['access-control-allow-origin']).toBe('*');
  });

  it('is off by default: OPTIONS is a method like others', async () => {
    const { call } = testApi();
    expect((await call('OPTIONS', '/jobs', preflight())).status).toBe(405);
    const { headers } = await call('GET', '/jobs', { headers: { origin: ORIGIN } });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});
