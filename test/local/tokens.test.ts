import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAuthorizer, signToken, tokenKey } from '../../src/local/tokens.ts';
import { eventOf } from '../support/api-events.ts';

let folder: string;
let key: JWK;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'punctual-tokens-'));
  key = await tokenKey(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The claims that the handler gets, or the reason of the refusal. */
async function authorize(authorization?: string): Promise<unknown> {
  const event = eventOf('GET', '/jobs', { user: null, headers: authorization ? { authorization } : {} });
  const authorizer = await createAuthorizer({ key, start: 'start-1' });
  try {
    await authorizer(event);
  } catch (error) {
    return (error as Error).message;
  }
  return event.requestContext.authorizer?.jwt?.claims;
}

/** One authorizer for many requests, as in a server. Returns the user, or the reason of the refusal. */
async function server(): Promise<(token: string) => Promise<unknown>> {
  const authorizer = await createAuthorizer({ key, start: 'start-1' });
  return async (token) => {
    const event = eventOf('GET', '/jobs', { user: null, headers: { authorization: `Bearer ${token}` } });
    try {
      await authorizer(event);
    } catch (error) {
      return (error as Error).message;
    }
    return event.requestContext.authorizer?.jwt?.claims.sub;
  };
}

interface Claims {
  sub?: string;
  iss?: string;
  aud?: string;
  exp?: string | number;
}

async function signed(claims: Claims, by: JWK = key, alg = 'ES256'): Promise<string> {
  const { sub = 'alice', iss = 'punctual-local', aud = 'punctual', exp = '1h' } = claims;
  return new SignJWT({ ...(sub && { sub }) })
    .setProtectedHeader({ alg })
    .setIssuer(iss)
    .setAudience(aud)
    .setExpirationTime(exp)
    .sign(await importJWK(by, alg));
}

describe('the key', () => {
  it('is readable only by its owner', () => {
    expect(statSync(join(folder, 'token-key.json')).mode & 0o777).toBe(0o600);
  });

  it('is created once, also by concurrent calls', async () => {
    const other = join(folder, 'not-there-yet');
    const keys = await Promise.all(Array.from({ length: 5 }, () => tokenKey(other)));
    expect(new Set(keys.map((k) => k.d)).size).toBe(1);
    expect(JSON.parse(readFileSync(join(other, 'token-key.json'), 'utf8')).d).toBe(keys[0]?.d);
  });
});

describe('a token', () => {
  it('names its user', async () => {
    expect(await authorize(`Bearer ${await signToken(key, 'alice')}`)).toMatchObject({ sub: 'alice' });
  });

  it('names an operator', async () => {
    expect(await authorize(`Bearer ${await signToken(key, 'olga', ['punctual-operators'])}`)).toMatchObject({
      groups: ['punctual-operators'],
    });
  });

  it.each([
    ['no header', undefined],
    ['another scheme', 'Basic YWxpY2U6eA=='],
    ['no token', 'Bearer '],
  ])('%s: says how to send one', async (_, header) => {
    expect(await authorize(header)).toMatch(/must have a token/);
  });

  it('for one start of the server is refused by the next one', async () => {
    const limits = { lifetime: '5 minutes', start: 'start-1' };
    expect(await authorize(`Bearer ${await signToken(key, 'alice', [], limits)}`)).toMatchObject({
      sub: 'alice',
    });
    const other = await signToken(key, 'alice', [], { ...limits, start: 'start-2' });
    expect(await authorize(`Bearer ${other}`)).toBe('the token\'s claim "aud" is missing or not valid');
  });

  it('expired', async () => {
    const exp = Math.floor(Date.now() / 1000) - 60;
    expect(await authorize(`Bearer ${await signed({ exp })}`)).toBe('the token has expired');
  });

  it('of another issuer', async () => {
    expect(await authorize(`Bearer ${await signed({ iss: 'elsewhere' })}`)).toBe(
      'the token\'s claim "iss" is missing or not valid',
    );
  });

  it('for another audience', async () => {
    expect(await authorize(`Bearer ${await signed({ aud: 'elsewhere' })}`)).toBe(
      'the token\'s claim "aud" is missing or not valid',
    );
  });

  it('without a user', async () => {
    expect(await authorize(`Bearer ${await signed({ sub: '' })}`)).toBe(
      'the token\'s claim "sub" is missing or not valid',
    );
  });

  it('without an end', async () => {
    const endless = await new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('punctual-local')
      .setAudience('punctual')
      .sign(await importJWK(key, 'ES256'));
    expect(await authorize(`Bearer ${endless}`)).toBe('the token\'s claim "exp" is missing or not valid');
  });

  it('with alg none', async () => {
    const unsigned = new UnsecuredJWT({ sub: 'alice' })
      .setIssuer('punctual-local')
      .setAudience('punctual')
      .setExpirationTime('1h')
      .encode();
    expect(await authorize(`Bearer ${unsigned}`)).toMatch(
      /must be signed with ES256|not signed by this server/,
    );
  });

  it('signed with the public key as an HMAC secret', async () => {
    const secret = {
      kty: 'oct',
      k: Buffer.from(JSON.stringify({ ...key, d: undefined })).toString('base64url'),
    };
    expect(await authorize(`Bearer ${await signed({}, secret, 'HS256')}`)).toBe(
      'the token must be signed with ES256',
    );
  });

  it('signed by another key', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    expect(await authorize(`Bearer ${await signed({}, await exportJWK(privateKey))}`)).toBe(
      'the token is not signed by this server',
    );
  });

  it('with a tampered payload', async () => {
    const [header, payload = '', signature] = (await signed({})).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const tampered = Buffer.from(JSON.stringify({ ...claims, sub: 'bob' })).toString('base64url');
    expect(await authorize(`Bearer ${header}.${tampered}.${signature}`)).toBe(
      'the token is not signed by this server',
    );
  });

  it.each(['x', 'a.b.c', '....', 'e30.e30.e30'])('that is garbage: %s', async (garbage) => {
    expect(await authorize(`Bearer ${garbage}`)).toBe('the token is not signed by this server');
  });
});

describe('a token that was verified before', () => {
  afterEach(() => void vi.useRealTimers());
  const at = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: ms });

  it('is verified once', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify');
    const authorize = await server();
    const token = await signed({});
    expect([await authorize(token), await authorize(token)]).toEqual(['alice', 'alice']);
    expect(verify).toHaveBeenCalledTimes(1);
    verify.mockRestore();
  });

  it('is refused after its exp, with the same tolerance as at first', async () => {
    const authorize = await server();
    const exp = Math.floor(Date.now() / 1000) + 3_600;
    const token = await signed({ exp });
    expect(await authorize(token)).toBe('alice');
    at((exp + 4) * 1000);
    expect(await authorize(token)).toBe('alice');
    at((exp + 6) * 1000);
    expect(await authorize(token)).toBe('the token has expired');
  });

  it('is refused before its nbf, also when the clock was set back', async () => {
    const authorize = await server();
    const now = Math.floor(Date.now() / 1000);
    const token = await new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('punctual-local')
      .setAudience('punctual')
      .setNotBefore(now)
      .setExpirationTime(now + 3_600)
      .sign(await importJWK(key, 'ES256'));
    expect(await authorize(token)).toBe('alice');
    at((now - 60) * 1000);
    expect(await authorize(token)).toBe('the token\'s claim "nbf" is missing or not valid');
  });

  it('does not admit another token with the same header and payload', async () => {
    const authorize = await server();
    const token = await signed({});
    expect(await authorize(token)).toBe('alice');
    const [header, payload] = token.split('.');
    const [, , other] = (await signed({ sub: 'bob' })).split('.');
    expect(await authorize(`${header}.${payload}.${other}`)).toBe('the token is not signed by this server');
    expect(await authorize(`${header}.${payload}.`)).toBe('the token is not signed by this server');
  });
});
