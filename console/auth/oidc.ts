// The login by OpenID Connect: authorization code with PKCE, tokens in the storage of the tab, renewal by refresh token.
import * as oauth from 'oauth4webapi';
import { createValue } from '../state/value.ts';
import type { Auth, AuthState } from './auth.ts';
import { userOf } from './claims.ts';
import type { ConsoleConfig } from './config.ts';

type OidcConfig = Extract<ConsoleConfig['auth'], { kind: 'oidc' }>;

interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  readonly expiresAt: number;
}

/** A login that has begun: the values that the response of the issuer is checked against, and the address to return to. */
interface Pending {
  readonly verifier: string;
  readonly state: string;
  readonly returnTo: string;
}

const TOKENS = 'punctual.oidc.tokens';
const PENDING = 'punctual.oidc.pending';
const REFUSED_AT = 'punctual.oidc.refusedAt';
/** Two refusals of the API within this time do not lead to a third login at once. */
const REFUSED_AGAIN_MS = 60_000;
/** A token is renewed this long before its end, because the clock of the browser may be slow. */
const RENEW_BEFORE_MS = 60_000;

export async function oidcAuth(config: OidcConfig): Promise<Auth> {
  const issuer = new URL(config.issuer);
  // Loopback issuers of tests have no certificate.
  const insecure = { [oauth.allowInsecureRequests]: issuer.hostname === '127.0.0.1' };
  const found = await oauth.discoveryRequest(issuer, insecure);
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const client: oauth.Client = { client_id: config.clientId };
  const redirectUri = new URL('/console/', location.origin).href;

  await completeLogin();
  const state = createValue<AuthState>(read<Tokens>(TOKENS) ? 'loggedIn' : 'none');
  let renewal: Promise<string | undefined> | undefined;

  /** Exchanges the code in the address for tokens, and restores the address from before the login. */
  async function completeLogin(): Promise<void> {
    const pending = read<Pending>(PENDING);
    const answer = new URL(location.href);
    // Other pages have parameters with these names, too, such as the error of dead letters.
    const isAnswer =
      answer.origin + answer.pathname === redirectUri &&
      answer.searchParams.has('state') &&
      (answer.searchParams.has('code') || answer.searchParams.has('error'));
    if (!pending || !isAnswer) return;
    sessionStorage.removeItem(PENDING);
    history.replaceState(null, '', pending.returnTo);
    const params = validated(() => oauth.validateAuthResponse(server, client, answer, pending.state));
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      params,
      redirectUri,
      pending.verifier,
      insecure,
    );
    keep(await oauth.processAuthorizationCodeResponse(server, client, response));
  }

  async function renew({ refresh }: Tokens): Promise<string | undefined> {
    if (refresh === undefined) return undefined;
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refresh, insecure);
    return keep(await oauth.processRefreshTokenResponse(server, client, response), refresh).access;
  }

  function end(next: AuthState): void {
    sessionStorage.removeItem(TOKENS);
    state.set(next);
  }

  /** An API that refuses every token would otherwise lead to login after login, if the issuer knows the user. */
  function refused(): void {
    const last = read<number>(REFUSED_AT) ?? Number.NEGATIVE_INFINITY;
    sessionStorage.setItem(REFUSED_AT, JSON.stringify(Date.now()));
    end(Date.now() - last < REFUSED_AGAIN_MS ? 'refused' : 'expired');
  }

  return {
    kind: 'oidc',
    state,
    user: () => {
      const tokens = read<Tokens>(TOKENS);
      return tokens && userOf(tokens.access);
    },
    async token() {
      const tokens = read<Tokens>(TOKENS);
      if (!tokens || Date.now() < tokens.expiresAt - RENEW_BEFORE_MS) return tokens?.access;
      // Requests at the same time share one renewal, because a refresh token may be valid once.
      renewal ??= renew(tokens)
        .catch(() => undefined)
        .finally(() => {
          renewal = undefined;
        });
      return (await renewal) ?? tokens.access;
    },
    async login() {
      const verifier = oauth.generateRandomCodeVerifier();
      const pending: Pending = {
        verifier,
        state: oauth.generateRandomState(),
        returnTo: location.pathname + location.search + location.hash,
      };
      sessionStorage.setItem(PENDING, JSON.stringify(pending));
      const address = new URL(server.authorization_endpoint ?? '');
      const offline = server.scopes_supported?.includes('offline_access') ? ' offline_access' : '';
      for (const [name, value] of Object.entries({
        client_id: config.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: `openid${offline}`,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: pending.state,
      }))
        address.searchParams.set(name, value);
      location.assign(address);
    },
    logout() {
      sessionStorage.removeItem(REFUSED_AT);
      end('loggedOut');
      if (config.logoutUrl !== undefined) location.assign(config.logoutUrl);
    },
    refused() {
      // Requests at the same time are refused together.
      if (state.get() === 'loggedIn') refused();
    },
  };
}

/** Names the reason of a refused login, which the error of the library has in a field only. */
function validated<T>(validate: () => T): T {
  try {
    return validate();
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    const reason = [error.error, error.error_description].filter((part) => part !== undefined).join(': ');
    throw new Error(`The login was refused: ${reason}`, { cause: error });
  }
}

function keep(answer: oauth.TokenEndpointResponse, earlierRefresh?: string): Tokens {
  const refresh = answer.refresh_token ?? earlierRefresh;
  const tokens: Tokens = {
    access: answer.access_token,
    expiresAt: Date.now() + (answer.expires_in ?? 300) * 1000,
    ...(refresh !== undefined && { refresh }),
  };
  sessionStorage.setItem(TOKENS, JSON.stringify(tokens));
  return tokens;
}

function read<T>(key: string): T | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as T);
}
