// A deployed service as its clients see it: the API, users of the pool, and the routes that were called.
import { Agent, fetch as undiciFetch } from 'undici';
import { CONSOLE_ROUTES } from '../../lib/compute/console.ts';
import { operations } from '../../src/api/contract/contract.ts';
import { createClient, type PunctualClient } from '../../src/client/client.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import type { Aws } from './programs.ts';

export interface Site {
  readonly url: string;
  readonly aws: Aws;
  readonly userPoolId: string;
  readonly clientId: string;
  /** Plain requests without retries. */
  readonly fetch: typeof fetch;
  /** The route keys that were called with success, such as `GET /jobs/{id}`. */
  readonly routes: ReadonlySet<string>;
  as(token: string): PunctualClient;
}

export interface SiteOptions {
  readonly outputs: Readonly<Record<string, string>>;
  readonly aws: Aws;
  /** True if the host of the URL does not resolve, because it is one of the emulator. */
  readonly isLocal: boolean;
}

export function createSite({ outputs, aws, isLocal }: SiteOptions): Site {
  const { Url: url = '', UserPoolId: userPoolId = '', Audience: audience = '' } = outputs;
  // The client of people is the first one.
  const [clientId = ''] = audience.split(',');
  // `*.execute-api.localhost` resolves in browsers, but not in Node.
  const dispatcher = isLocal
    ? new Agent({
        connect: {
          lookup: (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
          // The name in the emulator's certificate.
          servername: 'localhost',
        },
      })
    : undefined;
  const routes = new Set<string>();
  const called = (async (target: string, init: RequestInit = {}) => {
    const response = (await undiciFetch(target, { ...(init as object), dispatcher })) as unknown as Response;
    if (response.status < 400) routes.add(routeOf(init.method ?? 'GET', new URL(target).pathname));
    return response;
  }) as typeof fetch;
  return {
    url,
    aws,
    userPoolId,
    clientId,
    fetch: called,
    routes,
    // No step is repeated silently, so the client sends every request once.
    as: (token) => createClient({ baseUrl: url, token, fetch: called, retry: { maxAttempts: 1 } }),
  };
}

const ROUTES = [...operations, ...CONSOLE_ROUTES.map((path) => ({ method: 'GET', path }))];

/** Fixed paths come before paths with parameters. */
function routeOf(method: string, path: string): string {
  const matching = ROUTES.filter((route) => route.method === method)
    .filter(({ path: pattern }) =>
      new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+').replace(/\{\w+\+\}/g, '.+')}$`).test(path),
    )
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  return matching[0] ? `${method} ${matching[0].path}` : '$default';
}

/** New in each run, because users of an account have it, too. */
export const PASSWORD = `Aa1-${systemRandom.id(24)}`;

/** Creates a user and returns an access token, with the commands of docs/deploy.md. */
export async function signIn(site: Site, username: string, group?: string): Promise<string> {
  const { aws, userPoolId, clientId } = site;
  const pool = ['--user-pool-id', userPoolId];
  const user = [...pool, '--username', username];
  await aws('cognito-idp', 'admin-create-user', ...user, '--message-action', 'SUPPRESS');
  await aws('cognito-idp', 'admin-set-user-password', ...user, '--password', PASSWORD, '--permanent');
  if (group !== undefined)
    await aws('cognito-idp', 'admin-add-user-to-group', ...user, '--group-name', group);
  const { AuthenticationResult: answer } = (await aws(
    'cognito-idp',
    'admin-initiate-auth',
    ...pool,
    '--client-id',
    clientId,
    '--auth-flow',
    'ADMIN_USER_PASSWORD_AUTH',
    '--auth-parameters',
    `USERNAME=${username},PASSWORD=${PASSWORD}`,
  )) as { AuthenticationResult: { AccessToken: string } };
  return answer.AccessToken;
}
