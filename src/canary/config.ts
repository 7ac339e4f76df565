// The configuration of the canary. The stack sets all of its variables (lib/operations/canary.ts).
import { z } from 'zod';
import { authorizationKind } from '../api/authorization.ts';
import { type Environment, httpUrl, readConfig } from '../runtime/config.ts';

const common = z.object({
  PUNCTUAL_PREFIX: z.string(),
  /** The public URL of the API. */
  PUNCTUAL_CANARY_URL: httpUrl,
  PUNCTUAL_AUTHORIZATION: authorizationKind,
  AWS_REGION: z.string(),
});

/** With tokens: the canary's client of the user pool, and where its token and its secret come from. */
const client = z.object({
  PUNCTUAL_CANARY_TOKEN_URL: httpUrl,
  PUNCTUAL_CANARY_COGNITO_URL: httpUrl,
  PUNCTUAL_CANARY_USER_POOL_ID: z.string(),
  PUNCTUAL_CANARY_CLIENT_ID: z.string(),
});

export interface ServiceClient {
  readonly tokenUrl: string;
  /** The endpoint of Cognito's API. */
  readonly cognitoUrl: string;
  readonly userPoolId: string;
  readonly clientId: string;
}

export interface CanaryConfig {
  readonly prefix: string;
  readonly url: string;
  readonly region: string;
  /** Undefined if requests are signed. */
  readonly client?: ServiceClient;
}

export function readCanaryConfig(env: Environment): CanaryConfig {
  const given = readConfig(common, env);
  return {
    prefix: given.PUNCTUAL_PREFIX,
    url: given.PUNCTUAL_CANARY_URL,
    region: given.AWS_REGION,
    ...(given.PUNCTUAL_AUTHORIZATION === 'jwt' && { client: readClient(env) }),
  };
}

function readClient(env: Environment): ServiceClient {
  const given = readConfig(client, env);
  return {
    tokenUrl: given.PUNCTUAL_CANARY_TOKEN_URL,
    cognitoUrl: given.PUNCTUAL_CANARY_COGNITO_URL,
    userPoolId: given.PUNCTUAL_CANARY_USER_POOL_ID,
    clientId: given.PUNCTUAL_CANARY_CLIENT_ID,
  };
}
