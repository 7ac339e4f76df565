// Access tokens of local mode, signed and verified with a key of the data folder. On AWS, an OIDC issuer signs them and API
// Gateway verifies them.
import { join } from 'node:path';
import {
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { readApiConfig } from '../api/config.ts';
import type { HttpEvent } from '../api/http/http-event.ts';
import { Unauthorized } from '../api/http/request-errors.ts';
import type { Environment } from '../runtime/config.ts';
import { createOnce } from './create-once.ts';
import { readJsonFile } from './json-file.ts';
import { requirePrivateFolder } from './private-folder.ts';
import type { ServerIdentity } from './server-proof.ts';

const ALGORITHM = 'ES256';
const ISSUER = 'punctual-local';
const AUDIENCE = 'punctual';
const LIFETIME = '30 days';
/** The lifetime of a token in a link to the console, which ends up in the history of a terminal. */
export const LINK_LIFETIME = '12 hours';
/** The lifetime of a token that the command makes for its own requests. */
export const COMMAND_LIFETIME = '5 minutes';
const CLOCK_TOLERANCE_SECONDS = 5;
/** The size of the cache of verified tokens. The oldest entry is evicted. */
const MAX_CACHED = 1_000;

interface Verified {
  readonly claims: JWTPayload;
  /** Epoch milliseconds. The entry is valid from `from` to `until`. */
  readonly from: number;
  readonly until: number;
}

/** The file of the data folder with the key that signs tokens. */
export const TOKEN_KEY = 'token-key.json';

/** Created if absent. */
export async function tokenKey(dataFolder: string): Promise<JWK> {
  requirePrivateFolder(dataFolder);
  const known = knownTokenKey(dataFolder);
  if (known) return known;
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  createOnce(join(dataFolder, TOKEN_KEY), JSON.stringify(await exportJWK(privateKey)));
  return knownTokenKey(dataFolder) as JWK;
}

/** Undefined if the folder has no key. */
export function knownTokenKey(dataFolder: string): JWK | undefined {
  return readJsonFile(
    join(dataFolder, TOKEN_KEY),
    'Delete it to create a new key. Tokens that the old key has signed are refused then.',
  ) as JWK | undefined;
}

export interface TokenLimits {
  readonly lifetime: string;
  /** The only start of the server that accepts the token. Undefined: every start does. */
  readonly start?: string;
}

export async function signToken(
  key: JWK,
  user: string,
  groups: readonly string[] = [],
  { lifetime, start }: TokenLimits = { lifetime: LIFETIME },
): Promise<string> {
  return new SignJWT(groups.length > 0 ? { groups } : {})
    .setProtectedHeader({ alg: ALGORITHM })
    .setSubject(user)
    .setIssuer(ISSUER)
    .setAudience(start === undefined ? AUDIENCE : audienceOf(start))
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .sign(await importJWK(key, ALGORITHM));
}

/** A program that takes over the port of a stopped server can do nothing with tokens for one start. */
const audienceOf = (start: string): string => `${AUDIENCE}:${start}`;

/** The groups of a token that is made with the key. Operators have the group that `env` names. */
export const groupsOf = (operator: boolean, env: Environment): string[] =>
  operator ? [readApiConfig(env).operatorsGroup] : [];

/** A token of 30 days for the server with this data folder. */
export async function localToken(
  dataFolder: string,
  user: string,
  operator: boolean,
  env: Environment,
): Promise<string> {
  return signToken(await tokenKey(dataFolder), user, groupsOf(operator, env));
}

/**
 * The JWT authorizer of local mode. It verifies the token and adds its claims to the event, as API Gateway does. The
 * verification of a signature takes 0.3 ms, so a verified token is cached until its `exp`. That is safe: the key never changes
 * within a process, and single local tokens cannot be revoked. A refused token is never cached.
 */
export async function createAuthorizer({
  key,
  start,
}: ServerIdentity): Promise<(event: HttpEvent) => Promise<void>> {
  const { d: _private, ...publicPart } = key;
  const publicKey = await importJWK(publicPart, ALGORITHM);
  const cached = new Map<string, Verified>();

  async function verified(token: string): Promise<JWTPayload> {
    const now = Date.now();
    const known = cached.get(token);
    if (known && known.from <= now && now < known.until) return known.claims;
    cached.delete(token);
    const { payload } = await jwtVerify(token, publicKey, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: [AUDIENCE, audienceOf(start)],
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    const [oldest] = cached.keys();
    if (oldest !== undefined && cached.size >= MAX_CACHED) cached.delete(oldest);
    cached.set(token, { claims: payload, from: now, until: (payload.exp ?? 0) * 1_000 });
    return payload;
  }

  return async (event) => {
    const token = /^Bearer +([^ ]+)$/i.exec(event.headers.authorization?.trim() ?? '')?.[1];
    if (token === undefined)
      throw new Unauthorized('the request must have a token in the header "Authorization: Bearer <token>"');
    try {
      event.requestContext.authorizer = { jwt: { claims: await verified(token) } };
    } catch (error) {
      throw new Unauthorized(reason(error), true);
    }
  };
}

function reason(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `the token's claim "${error.claim}" is missing or not valid`;
  if (error instanceof errors.JOSEAlgNotAllowed) return `the token must be signed with ${ALGORITHM}`;
  return 'the token is not signed by this server';
}
