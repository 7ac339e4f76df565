import { describe, expect, it } from 'vitest';
import { readApiConfig } from '../../src/api/config.ts';
import { principalOf } from '../../src/api/http/auth.ts';
import type { HttpEvent } from '../../src/api/http/http-event.ts';
import { eventOf } from '../support/api-events.ts';
import { testApi } from './api.ts';

const GROUP = 'punctual-operators';
const operatorOf = (event: HttpEvent, group = GROUP): boolean => principalOf(event, group).operator;

/** An event of API Gateway: claims are strings, and the verified token is in its header. */
function fromGateway(claims: Record<string, unknown>, header?: string): HttpEvent {
  const event = eventOf('GET', '/');
  const flattened = Object.entries(claims).map(([name, value]) => [
    name,
    Array.isArray(value) ? `[${value.join(' ')}]` : String(value),
  ]);
  event.requestContext.authorizer = { jwt: { claims: Object.fromEntries(flattened) } };
  event.headers.authorization = header ?? `Bearer ${tokenWith(claims)}`;
  return event;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenWith = (claims: object): string => `${encoded({ alg: 'RS256' })}.${encoded(claims)}.c2lnbmF0dXJl`;

describe('operators', () => {
  it.each([
    ['a list', ['admins', GROUP]],
    ['a list as API Gateway writes it', `[admins ${GROUP}]`],
    ['a list of one as API Gateway writes it', `[${GROUP}]`],
    ['a single group', GROUP],
  ])('by %s', (_, groups) => {
    expect(principalOf(eventOf('GET', '/', { groups }), GROUP)).toEqual({ userId: 'alice', operator: true });
  });

  it.each([
    [undefined],
    ['operators'],
    [['operators']],
    ['[network operators]'],
    [['network punctual-operators']],
    ['network punctual-operators'],
    ['admins,punctual-operators'],
    ['[admins,punctual-operators]'],
    ['[punctual-operators2]'],
    [['Punctual-Operators']],
    [['x] [punctual-operators']],
    ['[x] [punctual-operators]'],
    ['[]'],
    [[]],
    [''],
  ])('not by %j', (groups) => {
    expect(operatorOf(eventOf('GET', '/', { groups }))).toBe(false);
  });

  it('of another name, when that is configured', () => {
    expect(operatorOf(eventOf('GET', '/', { groups: ['ops'] }), 'ops')).toBe(true);
    expect(operatorOf(eventOf('GET', '/', { groups: [GROUP] }), 'ops')).toBe(false);
  });

  it.each([['[punctual-operators]'], [[GROUP]]])("by Cognito's claim %j", (groups) => {
    const event = eventOf('GET', '/');
    event.requestContext.authorizer = { jwt: { claims: { sub: 'alice', 'cognito:groups': groups } } };
    expect(operatorOf(event)).toBe(true);
  });

  it.each([
    [5],
    [true],
    [null],
    [{ 'punctual-operators': true }],
    [[5]],
    [[null]],
    [[['punctual-operators']]],
    [[{ toString: 5 }]],
  ])('a claim %j is neither a list of texts nor a text: 401', async (groups) => {
    const { call, logged } = testApi();
    for (const answer of [
      await call('GET', '/jobs', { groups }),
      await call('GET', '/jobs', { claims: { sub: 'alice', 'cognito:groups': groups } }),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      expect(answer.body.detail).toMatch(/groups" must be a string or a list of strings/);
    }
    expect(logged).toEqual([]);
  });
});

describe('behind API Gateway, which writes a list as one text', () => {
  it('the verified token says which groups these are', () => {
    expect(operatorOf(fromGateway({ sub: 'alice', groups: ['admins', GROUP] }))).toBe(true);
    expect(operatorOf(fromGateway({ sub: 'alice', 'cognito:groups': [GROUP] }))).toBe(true);
    expect(operatorOf(fromGateway({ sub: 'alice', groups: GROUP }))).toBe(true);
    expect(operatorOf(fromGateway({ sub: 'alice' }))).toBe(false);
  });

  it.each([
    [['network punctual-operators']],
    [['a punctual-operators b']],
    [['x] [punctual-operators']],
    ['[a punctual-operators]'],
  ])('a group named %j makes no operator', (groups) => {
    expect(operatorOf(fromGateway({ sub: 'alice', groups }))).toBe(false);
  });

  it('the token without its scheme is read too: API Gateway accepts it', () => {
    const claims = { sub: 'alice', groups: ['network punctual-operators'] };
    expect(operatorOf(fromGateway(claims, tokenWith(claims)))).toBe(false);
  });

  it.each([
    ['two tokens', `Bearer ${tokenWith({ sub: 'alice' })},Bearer ${tokenWith({ sub: 'alice' })}`],
    ['another scheme', 'Basic YWxpY2U6eA=='],
    ['no JSON', `Bearer a.${Buffer.from('{').toString('base64url')}.b`],
    ['no object', `Bearer a.${encoded([GROUP])}.b`],
    ['the token of another user', `Bearer ${tokenWith({ sub: 'bob', groups: [GROUP] })}`],
  ])('a header with %s is 401', (_, header) => {
    const event = fromGateway({ sub: 'alice', groups: [GROUP] }, header);
    expect(() => principalOf(event, GROUP)).toThrow(/token/);
  });

  it('a header that was not verified makes no operator', () => {
    const event = fromGateway({ sub: 'alice' }, `Bearer ${tokenWith({ sub: 'alice', groups: [GROUP] })}`);
    expect(operatorOf(event)).toBe(false);
  });
});

describe("a service's token, by client credentials of Cognito", () => {
  const client = '4fh2k9s0m1n7q8r3t5v6w0x1y2';
  /** The claims of Cognito's access token. It has no `aud` and no groups. */
  const claims = {
    sub: client,
    client_id: client,
    scope: 'punctual/jobs',
    token_use: 'access',
    iss: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_a',
    version: 2,
  };

  it('makes the client a user of its own, and no operator', () => {
    expect(principalOf(fromGateway(claims), GROUP)).toEqual({ userId: client, operator: false });
  });

  it.each(['punctual/punctual-operators', GROUP])('with the scope %j makes no operator', (scope) => {
    expect(operatorOf(fromGateway({ ...claims, scope }))).toBe(false);
  });

  it('cannot see the jobs of others, and lists its own', async () => {
    const { call } = testApi();
    const body = { task: 'noop', schedule: { in: 'PT1H' } };
    const { body: job } = await call('POST', '/jobs', { user: 'alice', body });
    expect((await call('GET', `/jobs/${job.id}`, { claims })).status).toBe(404);
    expect((await call('POST', '/jobs', { claims, body })).status).toBe(201);
    expect((await call('GET', '/jobs', { claims })).body.items).toHaveLength(1);
    expect((await call('GET', '/workers', { claims })).status).toBe(403);
  });
});

describe('the name of the group', () => {
  it('is punctual-operators unless it is set', () => {
    expect(readApiConfig({}).operatorsGroup).toBe(GROUP);
    expect(readApiConfig({ PUNCTUAL_OPERATORS_GROUP: 'ops' }).operatorsGroup).toBe('ops');
  });

  it.each(['network operators', 'a,b', '[ops]', 'ops]', 'a\tb', 'x'.repeat(129)])(
    '%j is refused: it cannot be told apart in a list',
    (name) => {
      expect(() => readApiConfig({ PUNCTUAL_OPERATORS_GROUP: name })).toThrow(
        /^PUNCTUAL_OPERATORS_GROUP must be 1 to 128 characters without spaces, commas or brackets, got /,
      );
    },
  );

  it('counts for the API', async () => {
    const { call } = testApi({ operatorsGroup: 'ops' });
    expect((await call('GET', '/workers', { groups: ['ops'] })).status).toBe(200);
    expect((await call('GET', '/workers', { groups: [GROUP] })).status).toBe(403);
  });
});
