// The console behind the HTTP API, and a login as its page does it: by the pool's login page, authorization code and PKCE.
import { createHash, randomBytes } from 'node:crypto';
import { holds, same } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import type { Step } from '../report.ts';
import { PASSWORD, type Site } from '../site.ts';

interface Config {
  readonly auth: {
    readonly kind: string;
    readonly issuer: string;
    readonly clientId: string;
    readonly logoutUrl: string;
  };
  readonly operatorsGroup: string;
}

/** `user` exists already, with the password of all users. */
export async function openConsole(
  deployment: Deployment,
  site: Site,
  user: string,
  step: Step,
): Promise<void> {
  const { outputs } = deployment;
  const get = (path: string, init: RequestInit = {}) => site.fetch(`${site.url}${path}`, init);
  await step('the console opens without a token', async (note) => {
    same(outputs.ConsoleUrl, `${site.url}/console/`, 'the output ConsoleUrl');
    const root = await get('/', { redirect: 'manual' });
    same([root.status, root.headers.get('location')], [302, '/console/'], 'GET /');
    for (const path of ['/console', '/console/', '/console/jobs/one']) {
      const page = await get(path);
      same(page.status, 200, `GET ${path}`);
      holds((await page.text()).includes('/console/assets/'), `${path} is the page of the console`);
      holds(page.headers.get('content-security-policy'), `${path} has a content security policy`);
    }
    const text = await (await get('/console')).text();
    const assets = [...text.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    for (const path of assets) {
      const asset = await get(path, { headers: { 'accept-encoding': 'br' } });
      same([asset.status, asset.headers.get('content-encoding')], [200, 'br'], `GET ${path}`);
      holds((await asset.text()).length > 100, `${path} has content`);
    }
    same((await get('/console/assets/none.js')).status, 404, 'an asset that does not exist');
    note(`${assets.length} assets`);
  });

  const token = await step('a user signs in to the console with a code and PKCE', async () => {
    const config = (await (await get('/console/config.json')).json()) as Config;
    const { auth } = config;
    same([auth.kind, config.operatorsGroup], ['oidc', 'punctual-operators'], '/console/config.json');
    holds((outputs.Audience ?? '').split(',').includes(auth.clientId), 'the client is an accepted audience');
    return signInWithCode(deployment.emulator.endpoint, auth.clientId, outputs.ConsoleUrl ?? '', user);
  });
  await step('the API accepts the token of the console', async () => {
    const { items } = await site.as(token).jobs.list().page();
    holds(Array.isArray(items), 'GET /jobs has items');
  });
}

/** The emulator serves the login page of every pool at its own address. */
async function signInWithCode(
  base: string,
  clientId: string,
  callback: string,
  user: string,
): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const request = {
    client_id: clientId,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid',
    state: 'state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const authorize = (changes: object) =>
    fetch(`${base}/oauth2/authorize?${new URLSearchParams({ ...request, ...changes })}`, {
      redirect: 'manual',
    });
  const elsewhere = await authorize({ redirect_uri: 'https://elsewhere.example/console/' });
  holds(elsewhere.status >= 400, 'a code is not sent to another address');
  const page = await authorize({});
  same(page.status, 200, 'GET /oauth2/authorize');
  holds((await page.text()).includes('name="password"'), 'the login page asks for a password');
  const answer = await fetch(`${base}/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ ...request, username: user, password: PASSWORD }),
  });
  const location = new URL(answer.headers.get('location') ?? callback);
  same(`${location.origin}${location.pathname}`, callback, 'the address after the login');
  const exchange = (codeVerifier: string) =>
    fetch(`${base}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: callback,
        code: location.searchParams.get('code') ?? '',
        code_verifier: codeVerifier,
      }),
    });
  const response = await exchange(verifier);
  same(response.status, 200, 'POST /oauth2/token');
  return ((await response.json()) as { access_token: string }).access_token;
}
