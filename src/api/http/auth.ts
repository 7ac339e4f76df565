// Authentication by a token: the principal of a request. The token is verified before: on AWS by API Gateway's JWT
// authorizer, locally by the server. Both put the claims into the event. Requests that are signed instead are in iam.ts.
// Authorization is in src/jobs/access.ts.
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

/** Members of `operatorsGroup` are operators. Its name has no spaces, commas or brackets. */
export function principalOf(event: HttpEvent, operatorsGroup: string): Principal {
  const verified = event.requestContext.authorizer?.jwt?.claims;
  if (!verified) throw new Unauthorized('send a token: "Authorization: Bearer <token>"');
  const sub = subSchema.safeParse(verified.sub);
  if (!sub.success)
    throw new Unauthorized('the token\'s claim "sub" must be a string of 1 to 256 Unicode characters', true);
  const inToken = claimsInToken(event, sub.data);
  // API Gateway passes ["a b"] and ["a", "b"] as the same string. The token distinguishes them, but only the claims of the
  // event are verified. Both must contain the group.
  const operator =
    groupsIn(verified, parseGatewayList).includes(operatorsGroup) &&
    (inToken === undefined || groupsIn(inToken, singleGroup).includes(operatorsGroup));
  return { userId: sub.data, operator };
}

/** The claims in the token itself, with their original types. Undefined if the event has no `Authorization` header. */
function claimsInToken({ headers }: HttpEvent, sub: string): Claims | undefined {
  if (headers.authorization === undefined) return undefined;
  const payload = /^(?:Bearer +)?[\w-]+\.([\w-]+)\.[\w-]+$/i.exec(headers.authorization.trim())?.[1];
  const claims = payload === undefined ? undefined : parsePayload(payload);
  if (claims?.sub !== sub)
    throw new Unauthorized('the header Authorization must have exactly one token, the verified one', true);
  return claims;
}

function parsePayload(payload: string): Claims | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return claims !== null && typeof claims === 'object' ? (claims as Claims) : undefined;
  } catch {
    return undefined;
  }
}

function groupsIn(claims: Claims, parseString: (claim: string) => string[]): string[] {
  return GROUP_CLAIMS.flatMap((name) => {
    const { success, data = [] } = groupsSchema.safeParse(claims[name]);
    if (!success)
      throw new Unauthorized(`the token's claim "${name}" must be a string or a list of strings`, true);
    return typeof data === 'string' ? parseString(data) : data;
  });
}

const singleGroup = (claim: string): string[] => [claim];

/** API Gateway passes a list as `[a b]`. Any other string is the name of one group. */
const parseGatewayList = (claim: string): string[] => /^\[(.*)\]$/s.exec(claim)?.[1]?.split(' ') ?? [claim];
