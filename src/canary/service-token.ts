// The access token of the canary's client, by client credentials. The secret of the client is read from Cognito, so that no
// variable has it.
import { z } from 'zod';
import type { ServiceClient } from './config.ts';

export interface TokenParts {
  readonly client: ServiceClient;
  /** Signs requests to Cognito. */
  readonly signed: typeof fetch;
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

/** A token is renewed this long before it expires. */
const RENEW_BEFORE_MS = 120_000;
/** A renewal has two requests, and each attempt of the client may wait for one (lambda.ts). */
const TIMEOUT_MS = 5_000;

const clientAnswer = z.object({ UserPoolClient: z.object({ ClientSecret: z.string() }) });
const tokenAnswer = z.object({ access_token: z.string(), expires_in: z.number() });

/** Cognito charges for each token, so one is used until it expires, and callers at the same time share one renewal. */
export function serviceToken(parts: TokenParts): () => Promise<string> {
  let current: Token | undefined;
  let renewal: Promise<Token> | undefined;
  return async () => {
    if (current && parts.now() < current.until) return current.token;
    renewal ??= renew(parts).finally(() => {
      renewal = undefined;
    });
    current = await renewal;
    return current.token;
  };
}

interface Token {
  readonly token: string;
  readonly until: number;
}

async function renew({ client, signed, fetch, now }: TokenParts): Promise<Token> {
  const secret = await readSecret(client, signed);
  const basic = Buffer.from(`${client.clientId}:${secret}`).toString('base64');
  const response = await fetch(client.tokenUrl, {
    method: 'POST',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = tokenAnswer.parse(await jsonOf(response, 'the token endpoint'));
  return { token: answer.access_token, until: now() + answer.expires_in * 1000 - RENEW_BEFORE_MS };
}

async function readSecret(
  { cognitoUrl, userPoolId, clientId }: ServiceClient,
  signed: typeof fetch,
): Promise<string> {
  const response = await signed(cognitoUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSCognitoIdentityProviderService.DescribeUserPoolClient',
    },
    body: JSON.stringify({ UserPoolId: userPoolId, ClientId: clientId }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return clientAnswer.parse(await jsonOf(response, 'DescribeUserPoolClient')).UserPoolClient.ClientSecret;
}

/** The body of an error of OAuth or Cognito has no secret. */
async function jsonOf(response: Response, what: string): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${what} answered ${response.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text);
}
