// The principal of a request that API Gateway's IAM authorizer has verified (`authorization: iam`). API Gateway verifies the
// signature (SigV4) and the caller's permission `execute-api:Invoke`, and puts the caller's ARN into the event.
import { z } from 'zod';
import type { Principal } from '../../domain/principal.ts';
import type { HttpEvent } from './http-event.ts';
import { Unauthorized } from './request-errors.ts';

/** The names of roles, users and sessions in IAM. They have no "/" and no ":". */
const NAME = '[\\w+=,.@-]{1,64}';
const SESSION = new RegExp(`^arn:[\\w-]+:sts::(\\d{12}):assumed-role/(${NAME})/${NAME}$`);
/** A path has any printable character, and ends with "/". */
const ROLE = new RegExp(`^arn:[\\w-]+:iam::(\\d{12}):role/(?:[!-~]+/)?(${NAME})$`);
const USER = new RegExp(`^arn:[\\w-]+:iam::(\\d{12}):user/(?:[!-~]+/)?(${NAME})$`);

const iamSchema = z.object({ accountId: z.string(), userArn: z.string().max(2048) });

export const roleArn = z.string().regex(ROLE, {
  error: 'must be the ARN of a role, such as arn:aws:iam::123456789012:role/operators',
});

/** The caller in the form of a user id: `role.123456789012.reports` or `user.123456789012.ann`. */
interface Caller {
  readonly account: string;
  readonly userId: string;
}

/**
 * All sessions of a role are one user, because the caller chooses the name of a session. The path of a role or user is left
 * out: names are unique in an account, and the ARN of a session has no path. "." is the separator, because a user id with "/"
 * or ":" matches no pattern of targets (src/tasks/aws/targets.ts).
 */
function callerOf(arn: string): Caller | undefined {
  for (const [kind, form] of [
    ['role', SESSION],
    ['user', USER],
  ] as const) {
    const [, account, name] = form.exec(arn) ?? [];
    if (account !== undefined) return { account, userId: `${kind}.${account}.${name}` };
  }
  return undefined;
}

/** The user id of a role's sessions. The ARN must be that of a role. */
export function userIdOfRole(arn: string): string {
  const [, account, name] = ROLE.exec(arn) ?? [];
  return `role.${account}.${name}`;
}

/** Sessions of `operatorRoles` are operators. Users of IAM, federated users and the root user are not. */
export function iamPrincipalOf(event: HttpEvent, operatorRoles: readonly string[]): Principal {
  const { authorizer, accountId } = event.requestContext;
  const iam = iamSchema.safeParse(authorizer?.iam);
  if (!iam.success) throw new Unauthorized('sign the request with AWS Signature Version 4', false, SCHEME);
  const { userArn, accountId: callerAccount } = iam.data;
  const caller = callerOf(userArn);
  // The name of a federated user is chosen by its creator, and the root user should have no access keys.
  if (!caller)
    throw new Unauthorized(
      `the caller must be a session of a role or a user of IAM, got ${JSON.stringify(userArn.slice(0, 200))}`,
      false,
      SCHEME,
    );
  // An HTTP API has no resource policy, so AWS accepts callers of its own account only.
  if (caller.account !== accountId || callerAccount !== accountId)
    throw new Unauthorized(
      `the caller must be of the account of the API: assume a role there, got account ${caller.account}`,
      false,
      SCHEME,
    );
  return { userId: caller.userId, operator: operatorRoles.includes(caller.userId) };
}

const SCHEME = 'AWS4-HMAC-SHA256';
