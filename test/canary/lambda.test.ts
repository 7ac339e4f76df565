// The canary's function on a fake network.
import { afterEach, expect, it, vi } from 'vitest';
import { createCanary } from '../../src/canary/lambda.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('reports a failure at once if the API asks to wait for longer than the function may run', async () => {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((line) => written.push(String(line)) > 0);
  let requests = 0;
  vi.stubGlobal('fetch', async () => {
    requests += 1;
    return new Response('', { status: 429, headers: { 'retry-after': '55' } });
  });
  const canary = createCanary({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AK',
    AWS_SECRET_ACCESS_KEY: 'SK',
    PUNCTUAL_PREFIX: 'punctual-dev-',
    PUNCTUAL_AUTHORIZATION: 'iam',
    PUNCTUAL_CANARY_URL: 'https://api.test',
  });
  expect(await canary()).toEqual({ succeeded: false });
  expect(requests).toBe(2);
  expect(written.filter((line) => line.includes('"CanarySucceeded":0'))).toHaveLength(1);
});
