import { describe, expect, it } from 'vitest';
import { readAuthorization } from '../../src/api/authorization.ts';
import type { HttpEvent } from '../../src/api/http/http-event.ts';
import { iamPrincipalOf } from '../../src/api/http/iam.ts';
import { eventOf } from '../support/api-events.ts';
import { testApi } from './api.ts';

const ACCOUNT = '123456789012';
const OTHER = '999999999999';
const session = (role: string, name = 'i-0a1b', account = ACCOUNT) =>
  `arn:aws:sts::${account}:assumed-role/${role}/${name}`;

/** The event of API Gateway's IAM authorizer. */
function signedBy(userArn: unknown, accountId: unknown = ACCOUNT): HttpEvent {
  const event = eventOf('GET', '/jobs', { user: null });
  const iam = {
    accessKey: 'ASIAEXAMPLE',
    accountId,
    callerId: 'AROAEXAMPLE:i-0a1b',
    cognitoIdentity: null,
    principalOrgId: 'o-example',
    userArn,
    userId: 'AROAEXAMPLE:i-0a1b',
  };
  event.requestContext = { ...event.requestContext, accountId: ACCOUNT, authorizer: { iam } };
  return event;
}

const userOf = (arn: string): string => iamPrincipalOf(signedBy(arn), []).userId;

describe('the user of a signed request', () => {
  it('is the role: sessions of one role are one user, whatever their names', () => {
    expect(userOf(session('reports'))).toBe('role.123456789012.reports');
    expect(userOf(session('reports', 'role.123456789012.billing'))).toBe('role.123456789012.reports');
    expect(userOf(session('billing'))).not.toBe(userOf(session('reports')));
  });

  it('is the user of IAM, without its path', () => {
    expect(userOf(`arn:aws:iam::${ACCOUNT}:user/ann`)).toBe('user.123456789012.ann');
    expect(userOf(`arn:aws:iam::${ACCOUNT}:user/team/a/ann`)).toBe('user.123456789012.ann');
  });

  it('of a role and of a user with the same name differs', () => {
    expect(userOf(session('ann'))).not.toBe(userOf(`arn:aws:iam::${ACCOUNT}:user/ann`));
  });

  it('is derived in other partitions too', () => {
    expect(userOf(`arn:aws-cn:sts::${ACCOUNT}:assumed-role/reports/x`)).toBe('role.123456789012.reports');
  });

  it.each(['a.b', 'a+b=c,d@e', 'role.123456789012.reports', 'x'.repeat(64)])(
    'of the role %j is its own, and has no character that patterns of targets refuse',
    (role) => {
      expect(userOf(session(role))).toBe(`role.123456789012.${role}`);
      expect(userOf(session(role))).not.toMatch(/[/:]/);
    },
  );

  it.each([
    ['the root user', `arn:aws:iam::${ACCOUNT}:root`],
    ['a federated user', `arn:aws:sts::${ACCOUNT}:federated-user/ann`],
    ['a role without a session', `arn:aws:iam::${ACCOUNT}:role/reports`],
    ['a session without a name', `arn:aws:sts::${ACCOUNT}:assumed-role/reports`],
    ['a session with a path', `arn:aws:sts::${ACCOUNT}:assumed-role/a/reports/x`],
    ['a second line', `${session('reports')}\n`],
    ['an empty text', ''],
    ['a service', 'ecs.amazonaws.com'],
  ])('is refused if it is %s', (_, arn) => {
    expect(() => iamPrincipalOf(signedBy(arn), [])).toThrow(
      /^the caller must be a session of a role or a user/,
    );
  });

  it.each([
    ['in its ARN', session('reports', 'x', OTHER), ACCOUNT],
    ['beside its ARN', session('reports'), OTHER],
    ['in both', session('reports', 'x', OTHER), OTHER],
  ])('is refused if it has another account %s', (_, arn, account) => {
    expect(() => iamPrincipalOf(signedBy(arn, account), [])).toThrow(/account of the API/);
  });

  it.each([[undefined], [null], [5], [[session('reports')]]])('is refused with the ARN %j', (arn) => {
    expect(() => iamPrincipalOf(signedBy(arn), [])).toThrow('sign the request with AWS Signature Version 4');
  });
});

describe('operators of a deployment with signed requests', () => {
  const roles = (text: string) => readAuthorization({ PUNCTUAL_OPERATOR_ROLES: text }).operatorRoles;
  const isOperator = (arn: string, operators: readonly string[]) =>
    iamPrincipalOf(signedBy(arn), operators).operator;

  it('are the sessions of the named roles, whatever the path of the role', () => {
    const operators = roles(
      `arn:aws:iam::${ACCOUNT}:role/on-call arn:aws:iam::${ACCOUNT}:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Admin_0a1b`,
    );
    expect(isOperator(session('on-call'), operators)).toBe(true);
    expect(isOperator(session('AWSReservedSSO_Admin_0a1b', 'ann@example.com'), operators)).toBe(true);
  });

  it.each([
    ['another role', session('reports', 'on-call')],
    ['a role whose name begins with it', session('on-call2')],
    ['another case', session('On-Call')],
    ['a user of IAM with its name', `arn:aws:iam::${ACCOUNT}:user/on-call`],
    ['a user of IAM with its path', `arn:aws:iam::${ACCOUNT}:user/role/on-call`],
  ])('are not %s', (_, arn) => {
    expect(isOperator(arn, roles(`arn:aws:iam::${ACCOUNT}:role/on-call`))).toBe(false);
  });

  it('are nobody by default', () => {
    expect(readAuthorization({})).toEqual({ authorization: 'jwt', operatorRoles: [] });
    expect(isOperator(session('on-call'), [])).toBe(false);
  });

  it.each(['on-call', `arn:aws:iam::${ACCOUNT}:user/ann`, 'arn:aws:iam::*:role/on-call', session('on-call')])(
    'are not named by %j',
    (text) => {
      expect(() => roles(text)).toThrow(/^PUNCTUAL_OPERATOR_ROLES\[0\] must be the ARN of a role, such as /);
    },
  );
});

describe('the API with signed requests', () => {
  const operatorRoles = ['role.123456789012.on-call'];
  const api = () => testApi({ authorization: 'iam', operatorRoles });
  const body = { task: 'noop', schedule: { in: 'PT1H' } };

  it('separates roles, and lets operators see all', async () => {
    const { call } = api();
    const { body: job, status } = await call('POST', '/jobs', { iam: session('reports'), body });
    expect(status).toBe(201);
    const get = async (iam: string) => (await call('GET', `/jobs/${job.id}`, { iam })).status;
    expect(await get(session('reports', 'another-session'))).toBe(200);
    expect(await get(session('billing'))).toBe(404);
    expect(await get(session('on-call'))).toBe(200);
    expect((await call('GET', '/workers', { iam: session('reports') })).status).toBe(403);
    expect((await call('GET', '/workers', { iam: session('on-call') })).status).toBe(200);
  });

  it.each([
    ['no authorizer', { user: null }],
    ['verified claims of a token', { user: 'alice', groups: ['punctual-operators'] }],
    [
      'headers that look like an authorizer',
      {
        user: null,
        headers: {
          authorization:
            'AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20261118/us-east-1/execute-api/aws4_request',
          'x-amzn-iam-user-arn': session('on-call'),
          'x-amz-security-token': session('on-call'),
        },
      },
    ],
    ['a caller of another account', { iam: session('on-call', 'x', OTHER) }],
  ])('answers 401 to a request with %s', async (_, given) => {
    const { call, logged } = api();
    const answer = await call('GET', '/jobs', given);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('AWS4-HMAC-SHA256');
    expect(logged).toEqual([]);
  });

  it('takes the caller from the authorizer, also if a header names another', async () => {
    const { call } = api();
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${encoded({ alg: 'none' })}.${encoded({ sub: 'alice', groups: ['punctual-operators'] })}.x`;
    const answer = await call('GET', '/workers', {
      iam: session('reports'),
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(403);
  });
});

describe('the API with tokens', () => {
  it('answers 401 to a request that is signed instead', async () => {
    const { call } = testApi();
    const answer = await call('GET', '/jobs', { iam: session('reports') });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });
});
