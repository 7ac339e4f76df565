// Who is calling. Tokens are verified before a handler runs: on AWS by API Gateway's JWT authorizer, locally by the
// server; both leave the claims in the same place of the event. What the caller may do: src/scheduling/owned.ts.
import { z } from 'zod';
import type { Principal } from '../domain/principal.ts';
import { Unauthorized } from './errors.ts';
import type { HttpEvent } from './handler.ts';

const claimsSchema = z.object({
  sub: z.string().min(1).max(256),
  groups: z.unknown().optional(),
  'cognito:groups': z.unknown().optional(),
});

export function principalOf(event: HttpEvent): Principal {
  const claims = event.requestContext.authorizer?.jwt?.claims;
  if (!claims) throw new Unauthorized('send a token: "Authorization: Bearer <token>"');
  const parsed = claimsSchema.safeParse(claims);
  if (!parsed.success) throw new Unauthorized('the token names no user in its claim "sub"', true);
  const groups = [...groupNames(parsed.data.groups), ...groupNames(parsed.data['cognito:groups'])];
  return { userId: parsed.data.sub, operator: groups.includes('operators') };
}

/** API Gateway hands a list on as the text `[a b]`. */
function groupNames(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.map(String);
  if (typeof claim !== 'string') return [];
  return claim
    .replace(/^\[|\]$/g, '')
    .split(/[\s,]+/)
    .filter(Boolean);
}
