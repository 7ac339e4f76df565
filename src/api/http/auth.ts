// The caller of a request. Tokens are verified before a handler runs: on AWS by API Gateway's JWT authorizer, locally by
// the server. Both leave the claims in the same place of the event. Authorization is in src/jobs/access.ts.
import { z } from 'zod';
import type { Principal } from '../../domain/principal.ts';
import type { HttpEvent } from './http-event.ts';
import { Unauthorized } from './request-errors.ts';

const subSchema = z
  .string()
  .min(1)
  .max(256)
  .refine((sub) => sub.isWellFormed());
const groupsSchema = z.union([z.string(), z.array(z.string())]).optional();
const GROUP_CLAIMS = ['groups', 'cognito:groups'];

type Claims = Readonly<Record<string, unknown>>;

/** Members of the group `operatorsGroup` are operators. Its name has no spaces, commas or brackets. */
export function principalOf(event: HttpEvent, operatorsGroup: string): Principal {
  const verified = event.requestContext.authorizer?.jwt?.claims;
  if (!verified) throw new Unauthorized('send a token: "Authorization: Bearer <token>"');
  const sub = subSchema.safeParse(verified.sub);
  if (!sub.success)
    throw new Unauthorized('the token\'s claim "sub" must be a text of 1 to 256 characters of Unicode', true);
  const inToken = claimsInToken(event, sub.data);
  // API Gateway's text cannot tell ["a b"] from ["a", "b"]. The token can, but only the claims were verified.
  const operator =
    groupsIn(verified, listInText).includes(operatorsGroup) &&
    (inToken === undefined || groupsIn(inToken, oneGroup).includes(operatorsGroup));
  return { userId: sub.data, operator };
}

/** The claims with the types that the token gives them. Undefined: the event has no header with a token. */
function claimsInToken({ headers }: HttpEvent, sub: string): Claims | undefined {
  if (headers.authorization === undefined) return undefined;
  const payload = /^(?:Bearer +)?[\w-]+\.([\w-]+)\.[\w-]+$/i.exec(headers.authorization.trim())?.[1];
  const claims = payload === undefined ? undefined : parsed(payload);
  if (claims?.sub !== sub)
    throw new Unauthorized('the header Authorization must have one token, that of the user', true);
  return claims;
}

function parsed(payload: string): Claims | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return claims !== null && typeof claims === 'object' ? (claims as Claims) : undefined;
  } catch {
    return undefined;
  }
}

function groupsIn(claims: Claims, inText: (claim: string) => string[]): string[] {
  return GROUP_CLAIMS.flatMap((name) => {
    const { success, data = [] } = groupsSchema.safeParse(claims[name]);
    if (!success)
      throw new Unauthorized(`the token's claim "${name}" must be a text or a list of texts`, true);
    return typeof data === 'string' ? inText(data) : data;
  });
}

const oneGroup = (claim: string): string[] => [claim];

/** API Gateway writes a list as `[a b]`. Any other text is the name of one group. */
const listInText = (claim: string): string[] => /^\[(.*)\]$/s.exec(claim)?.[1]?.split(' ') ?? [claim];
