// The console of a deployment: its client, its addresses, and the function as it is bundled.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, OUTPUT } from '../../lib/bundling/bundle.ts';
import type { ApiHandler } from '../../src/api/http/http-event.ts';
import { eventOf } from '../support/api-events.ts';
import { cleanUp, type DeploymentName, synthesizedOnce as of, type Properties } from './synth.ts';

afterAll(cleanUp);

const consoleOf = (name: DeploymentName): Properties =>
  of(name)
    .ofType('AWS::Lambda::Function')
    .map(({ Properties: f }) => f.Environment.Variables)
    .find((variables) => 'PUNCTUAL_CONSOLE_ISSUER' in variables);
const outputOf = (name: DeploymentName, id: RegExp): unknown =>
  Object.entries(of(name).outputs).find(([key]) => id.test(key))?.[1].Value;
const idOf = (name: DeploymentName, type: string, id = /./): string | undefined =>
  Object.entries(of(name).resources).find(([key, { Type }]) => Type === type && id.test(key))?.[0];

describe('the console of a deployment', { timeout: 120_000 }, () => {
  it('has a client without a secret, for the authorization code, which comes back to the console only', () => {
    const address = {
      'Fn::Join': [
        '',
        [{ 'Fn::GetAtt': [idOf('default', 'AWS::ApiGatewayV2::Api'), 'ApiEndpoint'] }, '/console/'],
      ],
    };
    const [client] = of('default')
      .ofType('AWS::Cognito::UserPoolClient')
      .filter(({ Properties: one }) => one.AllowedOAuthFlows);
    expect(client?.Properties).toMatchObject({
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid'],
      GenerateSecret: false,
      CallbackURLs: [address],
      LogoutURLs: [address],
      // no password without the login page
      ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
    });
    expect(outputOf('default', /ConsoleUrl/)).toEqual(address);
  });

  it('is known to the API, which accepts its tokens, and to its function', () => {
    const client = { Ref: idOf('default', 'AWS::Cognito::UserPoolClient', /Console/) };
    const [authorizer] = of('default').ofType('AWS::ApiGatewayV2::Authorizer');
    expect(authorizer?.Properties.JwtConfiguration.Audience).toContainEqual(client);
    const variables = consoleOf('default');
    expect(variables.PUNCTUAL_CONSOLE_CLIENT_ID).toEqual(client);
    expect(variables.PUNCTUAL_CONSOLE_LOG_GROUP).toEqual({
      Ref: idOf('default', 'AWS::Logs::LogGroup', /WorkersLogs/),
    });
    expect(JSON.stringify(variables.PUNCTUAL_CONSOLE_LOGOUT_URL)).toMatch(
      /amazoncognito\.com\/logout\?client_id=.*&logout_uri=.*\/console\//,
    );
  });

  it('uses the client and the domain that are given, with an issuer of your own', () => {
    expect(consoleOf('closed')).toMatchObject({
      PUNCTUAL_CONSOLE_ISSUER: 'https://login.example.com/',
      PUNCTUAL_CONSOLE_CLIENT_ID: 'console',
    });
    expect(consoleOf('closed')).not.toHaveProperty('PUNCTUAL_CONSOLE_LOGOUT_URL');
    const domain = { Ref: idOf('closed', 'AWS::ApiGatewayV2::DomainName') };
    expect(outputOf('closed', /ConsoleUrl/)).toEqual({ 'Fn::Join': ['', ['https://', domain, '/console/']] });
  });

  it('is left out with signed requests', () => {
    expect(consoleOf('signed')).toBeUndefined();
    expect(outputOf('signed', /ConsoleUrl/)).toBeUndefined();
  });
});

describe('the function of the console', { timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-console-'));
  let handler: ApiHandler;
  const saved = { ...process.env };
  beforeAll(async () => {
    await bundle('console', folder);
    Object.assign(process.env, {
      PUNCTUAL_CONSOLE_ISSUER: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a',
      PUNCTUAL_CONSOLE_CLIENT_ID: 'client',
      PUNCTUAL_CONSOLE_LOGOUT_URL:
        'https://punctual.auth.eu-west-1.amazoncognito.com/logout?client_id=client',
      PUNCTUAL_CONSOLE_LOG_GROUP: '/workers',
      PUNCTUAL_OPERATORS_GROUP: 'ops',
      AWS_REGION: 'eu-west-1',
    });
    // Node itself loads the bundle, as Lambda does.
    ({ handler } = await createRequire(import.meta.url)('./load.cjs')(join(folder, OUTPUT)));
  }, 300_000);
  afterAll(() => {
    process.env = saved;
    rmSync(folder, { recursive: true, force: true });
  });
  const get = (path: string) =>
    handler(eventOf('GET', path, { user: null, headers: { 'accept-encoding': 'br' } }));
  const textOf = (body = '') => brotliDecompressSync(Buffer.from(body, 'base64')).toString();

  it('has the page and the assets that it refers to, compressed only', async () => {
    const page = await get('/console/jobs');
    expect(page).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    const assets = [...textOf(page.body).matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(assets.length).toBeGreaterThan(1);
    for (const path of assets) {
      const asset = await get(path);
      expect([path, asset.statusCode, asset.headers?.['content-encoding']]).toEqual([path, 200, 'br']);
    }
    const files = readdirSync(join(folder, 'console', 'assets'));
    expect(files.filter((name) => !name.endsWith('.br'))).toEqual([]);
  });

  it('answers each file in less than the 6 MB of a Lambda response', async () => {
    for (const name of readdirSync(join(folder, 'console', 'assets'))) {
      const path = `/console/assets/${name.replace(/\.br$/, '')}`;
      const plain = await handler(eventOf('GET', path, { user: null }));
      expect(plain.body?.length, path).toBeLessThan(6_000_000);
    }
  });

  it('tells the page how to sign in and where the logs are', async () => {
    const { body = '' } = await get('/console/config.json');
    const config = JSON.parse(body);
    expect(config).toMatchObject({
      auth: {
        kind: 'oidc',
        issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a',
        clientId: 'client',
        logoutUrl: 'https://punctual.auth.eu-west-1.amazoncognito.com/logout?client_id=client',
      },
      operatorsGroup: 'ops',
      region: 'eu-west-1',
    });
    expect(config.logsUrl).toMatch(
      /^https:\/\/eu-west-1\.console\.aws\.amazon\.com\/cloudwatch\/home\?region=eu-west-1#logsV2:/,
    );
    expect(config.logsUrl).toContain('like*20*22{executionId}*22');
    expect(config.logsUrl).toContain("source~(~'*2fworkers)");
  });

  it('lets the page call the issuer and the page that gives tokens, and nothing else', async () => {
    const { headers } = await get('/console/');
    expect(headers?.['content-security-policy']).toContain(
      "connect-src 'self' https://cognito-idp.eu-west-1.amazonaws.com https://punctual.auth.eu-west-1.amazoncognito.com;",
    );
  });
});
