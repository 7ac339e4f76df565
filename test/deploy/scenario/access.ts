// Who may call the API: nobody without a token, users their own jobs, operators all.

import type { PunctualClient } from '../../../src/client/client.ts';
import { holds, same } from '../check.ts';
import type { Step } from '../report.ts';
import { type Site, signIn } from '../site.ts';

export interface Users {
  readonly ann: PunctualClient;
  readonly ben: PunctualClient;
  readonly operator: PunctualClient;
  /** The token of ann. */
  readonly token: string;
  readonly operatorToken: string;
}

export interface SignInOptions {
  /** Comes before the names of users. */
  readonly prefix?: string;
  readonly operatorsGroup?: string;
  /** Called before each user is created, for its removal. */
  readonly created?: (username: string) => void;
}

export async function signInAll(
  site: Site,
  step: Step,
  { prefix = '', operatorsGroup = 'punctual-operators', created }: SignInOptions = {},
): Promise<Users> {
  return step('create users and get their tokens from Cognito', async () => {
    const tokenOf = (name: string, group?: string) => {
      const username = `${prefix}${name}@example.com`;
      created?.(username);
      return signIn(site, username, group);
    };
    const token = await tokenOf('ann');
    const ben = site.as(await tokenOf('ben'));
    const operatorToken = await tokenOf('olga', operatorsGroup);
    return { token, ann: site.as(token), ben, operator: site.as(operatorToken), operatorToken };
  });
}

export async function checkAccess(
  site: Site,
  { ann, ben, operator, token }: Users,
  step: Step,
): Promise<void> {
  const get = (path: string, headers: Record<string, string> = {}) =>
    site.fetch(`${site.url}${path}`, { headers });
  await step('401 without a valid token', async () => {
    const [head = '', body = '', signature = ''] = token.split('.');
    const forged = Buffer.from(body, 'base64url')
      .toString()
      .replace(/"sub": ?"/, '"sub":"x');
    for (const [what, value] of [
      ['no token', undefined],
      ['no JWT', 'Bearer nonsense'],
      ['a forged token', `Bearer ${head}.${Buffer.from(forged).toString('base64url')}.${signature}`],
    ] as const) {
      const response = await get('/jobs', value === undefined ? {} : { authorization: value });
      same(response.status, 401, `GET /jobs with ${what}`);
    }
    same((await get('/jobs', { authorization: `Bearer ${token}` })).status, 200, 'GET /jobs with a token');
  });
  await step('open routes and unknown paths', async () => {
    const document = (await (await get('/openapi.json')).json()) as { openapi: string };
    holds(document.openapi.startsWith('3.'), '/openapi.json is an OpenAPI document');
    const [file] = /docs\/swagger-ui-[\w-]+\.css/.exec(await (await get('/docs')).text()) ?? [];
    holds(file !== undefined, '/docs is the API page');
    same((await get(`/${file}`)).status, 200, 'its style sheet');
    const unknown = await get('/nowhere');
    same(unknown.status, 404, 'GET /nowhere');
    same(unknown.headers.get('content-type'), 'application/problem+json', 'the body of the 404');
  });
  await step('users see their own jobs, operators all', async () => {
    const { id } = await ann.jobs.create({ task: 'noop', schedule: { in: 'PT1H' } });
    const status = (client: PunctualClient) =>
      client.jobs.get(id).then(
        () => 200,
        (error: { status: number }) => error.status,
      );
    same(
      [await status(ann), await status(ben), await status(operator)],
      [200, 404, 200],
      "ann's job for ann, ben and an operator",
    );
    same(
      await ann.workers().then(
        () => 200,
        (error: { status: number }) => error.status,
      ),
      403,
      'GET /workers for a user',
    );
    await ann.jobs.cancel(id);
  });
}
