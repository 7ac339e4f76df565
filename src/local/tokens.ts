// Tokens of local mode: signed and verified with a key that lives in the data folder. On AWS, API Gateway and an OIDC
// issuer do this.
import { linkSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
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
import { readJsonFile } from './json-file.ts';

const ALGORITHM = 'ES256';
const ISSUER = 'punctual-local';
const AUDIENCE = 'punctual';
const LIFETIME = '30 days';
const CLOCK_TOLERANCE_SECONDS = 5;
/** Verified tokens in memory. The oldest entry makes room. */
const MAX_REMEMBERED = 1_000;

interface Verified {
  readonly claims: JWTPayload;
  /** Epoch milliseconds. Outside of these times the token is verified again. */
  readonly from: number;
  readonly until: number;
}

/** The file of the data folder with the key that tokens are signed with. */
export const TOKEN_KEY = 'token-key.json';

/** Made when it is not there. Two processes may try at once: `link` lets one win, and both read the winner's. */
export async function tokenKey(dataFolder: string): Promise<JWK> {
  const file = join(dataFolder, TOKEN_KEY);
  const known = readKeyFile(file);
  if (known !== undefined) return known as JWK;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(await exportJWK(privateKey)), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readKeyFile(file) as JWK;
}

/** Undefined if there is none. */
function readKeyFile(file: string): unknown {
  return readJsonFile(
    file,
    'Delete it, and a new key is made: tokens that were signed with the old one are refused then.',
  );
}

export async function signToken(key: JWK, user: string, groups: readonly string[] = []): Promise<string> {
  return new SignJWT(groups.length > 0 ? { groups } : {})
    .setProtectedHeader({ alg: ALGORITHM })
    .setSubject(user)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime(LIFETIME)
    .sign(await importJWK(key, ALGORITHM));
}

/** A token for the server with this data folder. An operator's has the group that `env` names. */
export async function localToken(
  dataFolder: string,
  user: string,
  operator: boolean,
  env: Environment,
): Promise<string> {
  const groups = operator ? [readApiConfig(env).operatorsGroup] : [];
  return signToken(await tokenKey(dataFolder), user, groups);
}

/**
 * Does what API Gateway's JWT authorizer does: verifies the token and leaves its claims in the event. A signature takes 0.3 ms
 * to verify, so a token that was verified is remembered until its `exp`. The key stays the same for the life of the process,
 * and local tokens are never revoked one by one. A refused token is never remembered.
 */
export async function createAuthorizer(key: JWK): Promise<(event: HttpEvent) => Promise<void>> {
  const { d: _private, ...publicPart } = key;
  const publicKey = await importJWK(publicPart, ALGORITHM);
  const remembered = new Map<string, Verified>();

  async function verified(token: string): Promise<JWTPayload> {
    const now = Date.now();
    const known = remembered.get(token);
    if (known && known.from <= now && now < known.until) return known.claims;
    remembered.delete(token);
    const { payload } = await jwtVerify(token, publicKey, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= MAX_REMEMBERED) remembered.delete(oldest);
    remembered.set(token, { claims: payload, from: now, until: (payload.exp ?? 0) * 1_000 });
    return payload;
  }

  return async (event) => {
    const token = /^Bearer +([^ ]+)$/i.exec(event.headers.authorization?.trim() ?? '')?.[1];
    if (token === undefined) throw new Unauthorized('send a token: "Authorization: Bearer <token>"');
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
    return `the token's claim "${error.claim}" is not right`;
  if (error instanceof errors.JOSEAlgNotAllowed) return `the token must be signed with ${ALGORITHM}`;
  return 'the token is not signed by this server';
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
