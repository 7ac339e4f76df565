// How the canary gets in: by a token of its client, or by signed requests.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCanaryConfig } from '../../src/canary/config.ts';
import { serviceToken } from '../../src/canary/service-token.ts';
import { signedFetch } from '../../src/canary/signed-fetch.ts';

const ENV = {
  AWS_REGION: 'eu-central-1',
  PUNCTUAL_PREFIX: 'punctual-dev-',
  PUNCTUAL_CANARY_URL: 'https://api.test',
};
const CLIENT = {
  tokenUrl: 'https://pool.test/oauth2/token',
  cognitoUrl: 'https://cognito.test/',
  userPoolId: 'pool',
  clientId: 'client',
};

function tokens(answers: Partial<Record<'cognito' | 'token', () => Response>> = {}) {
  let now = 0;
  const calls: string[] = [];
  const of =
    (name: 'cognito' | 'token', standard: () => Response): typeof fetch =>
    async (_, init) => {
      calls.push(`${name} ${new Headers(init?.headers).get('authorization') ?? ''}`.trim());
      return (answers[name] ?? standard)();
    };
  const token = serviceToken({
    client: CLIENT,
    signed: of('cognito', () => Response.json({ UserPoolClient: { ClientSecret: 's3cret' } })),
    fetch: of('token', () => Response.json({ access_token: `t${calls.length}`, expires_in: 3600 })),
    now: () => now,
  });
  return { token, calls, advance: (ms: number) => (now += ms) };
}

describe('the token of the canary', () => {
  it('comes by client credentials, with the secret that Cognito has', async () => {
    const { token, calls } = tokens();
    expect(await token()).toBe('t2');
    expect(calls).toEqual(['cognito', `token Basic ${Buffer.from('client:s3cret').toString('base64')}`]);
  });

  it('is used until shortly before it expires, and then replaced with the secret of that time', async () => {
    const { token, calls, advance } = tokens();
    await token();
    advance(3_479_000);
    expect(await token()).toBe('t2');
    advance(1_000);
    expect(await token()).toBe('t4');
    expect(calls).toHaveLength(4);
  });

  it('is asked for once by the requests of a pass, which start together', async () => {
    const { token, calls, advance } = tokens();
    expect(await Promise.all([token(), token()])).toEqual(['t2', 't2']);
    advance(3_600_000);
    expect(await Promise.all([token(), token()])).toEqual(['t4', 't4']);
    expect(calls).toHaveLength(4);
  });

  it('is asked for again after an error, which names the endpoint and the status', async () => {
    let isRefused = true;
    const answer = () =>
      isRefused
        ? new Response('{"error":"invalid_client"}', { status: 400 })
        : Response.json({ access_token: 'later', expires_in: 3600 });
    const { token } = tokens({ token: answer });
    await expect(token()).rejects.toThrow('the token endpoint answered 400: {"error":"invalid_client"}');
    isRefused = false;
    expect(await token()).toBe('later');
  });

  it('is not asked for if Cognito refuses the secret', async () => {
    const { token, calls } = tokens({ cognito: () => new Response('AccessDenied', { status: 400 }) });
    await expect(token()).rejects.toThrow('DescribeUserPoolClient answered 400: AccessDenied');
    expect(calls).toEqual(['cognito']);
  });
});

describe('the signature of the canary', () => {
  it('covers the host, the query and the body, and has the session token', async () => {
    const sent: { url: string; headers: Headers }[] = [];
    const signed = signedFetch({
      service: 'execute-api',
      region: 'eu-central-1',
      credentials: async () => ({ accessKeyId: 'AK', secretAccessKey: 'SK', sessionToken: 'ST' }),
      fetch: async (url, init) => {
        sent.push({ url: String(url), headers: new Headers(init?.headers) });
        return new Response();
      },
    });
    await signed('https://api.test/executions?b=2&a=x+y', { headers: { accept: 'application/json' } });
    const [{ url, headers } = { url: '', headers: new Headers() }] = sent;
    expect(url).toBe('https://api.test/executions?b=2&a=x%20y');
    expect(headers.get('x-amz-security-token')).toBe('ST');
    const date = headers.get('x-amz-date') ?? '';
    const [, credential = '', names = '', signature = ''] =
      /Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(headers.get('authorization') ?? '') ??
      [];
    const scope = `${date.slice(0, 8)}/eu-central-1/execute-api/aws4_request`;
    expect(credential).toBe(`AK/${scope}`);
    expect(names.split(';')).toContain('host');
    // the signature as AWS computes it
    const canonical = [
      'GET',
      '/executions',
      'a=x%20y&b=2',
      ...names.split(';').map((name) => `${name}:${name === 'host' ? 'api.test' : headers.get(name)}`),
      '',
      names,
      headers.get('x-amz-content-sha256'),
    ].join('\n');
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
    const key = scope.split('/').reduce<string | Buffer>((before, part) => hmac(before, part), 'AWS4SK');
    const { createHash } = await import('node:crypto');
    const hash = createHash('sha256').update(canonical).digest('hex');
    expect(signature).toBe(hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash}`).toString('hex'));
  });
});

describe('the configuration of the canary', () => {
  it('needs the client only with tokens', () => {
    expect(readCanaryConfig({ ...ENV, PUNCTUAL_AUTHORIZATION: 'iam' }).client).toBeUndefined();
    expect(() => readCanaryConfig(ENV)).toThrow(/PUNCTUAL_CANARY_TOKEN_URL/);
  });

  it('names a variable that is not a URL', () => {
    expect(() => readCanaryConfig({ ...ENV, PUNCTUAL_CANARY_URL: 'api.test' })).toThrow(
      /PUNCTUAL_CANARY_URL/,
    );
  });
});
