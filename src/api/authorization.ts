// How the deployed API authenticates its callers: by tokens, or by signed requests. The local server takes tokens only.
import { z } from 'zod';
import { type Environment, readConfig } from '../runtime/config.ts';
import { roleArn, userIdOfRole } from './http/iam.ts';

/** `jwt`: callers send tokens. `iam`: callers sign their requests (SigV4). */
export const authorizationKind = z.literal(['jwt', 'iam']).default('jwt');

const variables = z.object({
  PUNCTUAL_AUTHORIZATION: authorizationKind,
  /** ARNs of roles, separated by spaces. Their sessions are operators, with `iam`. */
  PUNCTUAL_OPERATOR_ROLES: z
    .string()
    .transform((text) => text.trim().split(/\s+/))
    .pipe(z.array(roleArn))
    .default([]),
});

export function readAuthorization(env: Environment) {
  const given = readConfig(variables, env);
  return {
    authorization: given.PUNCTUAL_AUTHORIZATION,
    /** The user ids of the sessions of these roles. */
    operatorRoles: given.PUNCTUAL_OPERATOR_ROLES.map(userIdOfRole),
  };
}
