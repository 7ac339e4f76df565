// The login by OpenID Connect: authorization code with PKCE, renewal, and logout. The issuer is part of this file. It has the origin
// of the server, because the content security policy of local mode allows no other.
import { createHash } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole } from './console-session.ts';

const session = useConsole();

interface Issuer {
  /** The grants that the token endpoint has seen. */
  readonly grants: string[];
  /** The lifetime of the next tokens, in seconds. */
  expiresIn: number;
  refuse: boolean;
}

/** Answers the requests of the page to the issuer. The login page is a link, as a user would click it. */
async function startIssuer(page: Page, accessToken: () => string): Promise<Issuer> {
  const issuer: Issuer = { grants: [], expiresIn: 3600, refuse: false };
  const url = `${session.url()}/issuer`;
  let challenge = '';
  const json = (route: Route, body: unknown, status = 200) =>
    route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });
  await page.route('**/console/config.json', (route) =>
    json(route, {
      auth: { kind: 'oidc', issuer: url, clientId: 'console', logoutUrl: `${url}/logged-out` },
      version: '1.2.3',
    }),
  );
  await page.route('**/issuer/**', async (route) => {
    const request = route.request();
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/.well-known/openid-configuration'))
      return json(route, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
      });
    if (pathname.endsWith('/authorize')) {
      challenge = searchParams.get('code_challenge') ?? '';
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      if (issuer.refuse) back.searchParams.set('error', 'access_denied');
      else back.searchParams.set('code', 'the-code');
      return route.fulfill({
        contentType: 'text/html',
        body: `<title>Sign in</title><a href="${back}">Sign in</a>`,
      });
    }
    if (pathname.endsWith('/token')) {
      const form = new URLSearchParams(request.postData() ?? '');
      issuer.grants.push(form.get('grant_type') ?? '');
      const verified =
        form.get('grant_type') === 'refresh_token'
          ? form.get('refresh_token') === 'the-refresh-token'
          : createHash('sha256')
              .update(form.get('code_verifier') ?? '')
              .digest('base64url') === challenge;
      if (!verified || form.get('client_id') !== 'console')
        return json(route, { error: 'invalid_grant' }, 400);
      return json(route, {
        access_token: accessToken(),
        token_type: 'Bearer',
        expires_in: issuer.expiresIn,
        refresh_token: 'the-refresh-token',
      });
    }
    return route.fulfill({
      contentType: 'text/html',
      body: '<title>Out</title><p>Logged out at the issuer</p>',
    });
  });
  return issuer;
}

/** A page whose tokens are those of the local server, so that its API accepts them. */
async function openWithIssuer(path: string, expected?: RegExp) {
  const page = await session.open('/jobs', { ...(expected && { expected }) });
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  const token = await page.evaluate(() => sessionStorage.getItem('punctual.token') ?? '');
  await page.evaluate(() => sessionStorage.clear());
  const issuer = await startIssuer(page, () => token);
  await page.goto(`${session.url()}/console${path}`);
  return { page, issuer };
}

it('leads to the login and back to the same address, and keeps the user in the tab', async () => {
  const { page, issuer } = await openWithIssuer('/jobs?status=active&tz=utc');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  expect(page.url()).toBe(`${session.url()}/console/jobs?status=active&tz=utc`);
  await page.reload();
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  expect(issuer.grants).toEqual(['authorization_code']);
});

it('renews a token that expires soon', async () => {
  const { page, issuer } = await openWithIssuer('/jobs');
  issuer.expiresIn = 30;
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'You have no jobs yet' }).waitFor();
  expect(issuer.grants.slice(0, 2)).toEqual(['authorization_code', 'refresh_token']);
});

it('leads to the login again after a 401', async () => {
  const { page } = await openWithIssuer('/jobs?sort=name', /401/);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'You have no jobs yet' }).waitFor();
  await page.route('**/jobs?**', (route) =>
    route.request().resourceType() === 'fetch'
      ? route.fulfill({ status: 401, body: '{}' })
      : route.continue(),
  );
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await page.unroute('**/jobs?**');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'You have no jobs yet' }).waitFor();
  expect(page.url()).toBe(`${session.url()}/console/jobs?sort=name`);
});

it('says why a login was refused', async () => {
  const { page, issuer } = await openWithIssuer('/jobs');
  issuer.refuse = true;
  await page.reload();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByText('access_denied').waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
});

it('does not take a parameter of a page for the answer of a login', async () => {
  const { page } = await openWithIssuer('/dead-letters?error=q7RkZ1mVb0sA');
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  // The user comes back without a login.
  await page.goto(`${session.url()}/console/dead-letters?error=q7RkZ1mVb0sA`);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByText('This group is empty').waitFor();
  expect(page.url()).toBe(`${session.url()}/console/dead-letters?error=q7RkZ1mVb0sA`);
});

it('does not begin a login without end if the API refuses new tokens', async () => {
  const { page } = await openWithIssuer('/jobs', /401/);
  await page.route('**/jobs?**', (route) =>
    route.request().resourceType() === 'fetch'
      ? route.fulfill({ status: 401, body: '{}' })
      : route.continue(),
  );
  for (let logins = 0; logins < 2; logins++) await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'The API refused your login' }).waitFor();
  await page.unroute('**/jobs?**');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'You have no jobs yet' }).waitFor();
});

it('logs out here and at the issuer', async () => {
  const { page } = await openWithIssuer('/jobs');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'You have no jobs yet' }).waitFor();
  await page.getByRole('button', { name: 'me', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByText('Logged out at the issuer').waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});
