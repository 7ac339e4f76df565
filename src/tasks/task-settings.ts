// The environment variables of tasks, with their defaults. The API and the worker must have the same values: the API describes
// the tasks that the worker runs.
import { z } from 'zod';
import { createRecipients, type Recipients, recipientPattern } from './aws/recipients.ts';
import { TARGET_KINDS, type TargetKind, type TargetPatterns, targetPattern } from './aws/targets.ts';
import { BUILTIN_NAMES, type BuiltinName } from './registry.ts';
import type { ContainerNetwork } from './services.ts';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
const ids = (kind: string) =>
  list.pipe(
    z
      .array(z.string().regex(new RegExp(`^${kind}-[0-9a-z]+$`), `must be an id such as ${kind}-0a1b2c`))
      .max(16),
  );

const patterns = list.pipe(z.array(targetPattern));
const allow = Object.fromEntries(
  TARGET_KINDS.map((kind) => [`PUNCTUAL_ALLOW_${kind.toUpperCase()}`, patterns.optional()]),
) as Record<`PUNCTUAL_ALLOW_${Uppercase<TargetKind>}`, z.ZodOptional<typeof patterns>>;

export const taskVariables = z.object({
  /** The enabled built-in tasks. Default: `http`, `noop`, and the tasks with at least one allowed target. */
  PUNCTUAL_TASKS: list.pipe(z.array(z.enum(BUILTIN_NAMES))).optional(),
  /** The folder of custom tasks. Default: `tasks` at the root of the checkout. */
  PUNCTUAL_TASKS_FOLDER: z.string().optional(),
  /** Addresses, ranges and host names that `http` may call in addition to the public internet. */
  PUNCTUAL_ALLOW_HTTP: list.default([]),
  ...allow,
  /** The allowed recipients of the task `email` and of notifications. If empty, e-mail is off. */
  PUNCTUAL_EMAIL_RECIPIENTS: list.pipe(z.array(recipientPattern)).default([]),
  /** The ECS cluster of `container` and `script`. */
  PUNCTUAL_CONTAINER_CLUSTER: z.string().optional(),
  PUNCTUAL_CONTAINER_SUBNETS: ids('subnet').optional(),
  PUNCTUAL_CONTAINER_SECURITY_GROUPS: ids('sg').default([]),
  PUNCTUAL_CONTAINER_PUBLIC_IP: z.stringbool().default(false),
  /** The task definition that runs scripts. Its role has no permissions. If absent, the task `script` is disabled. */
  PUNCTUAL_SCRIPT_TASK_DEFINITION: z.string().optional(),
  PUNCTUAL_SCRIPT_BUCKET: z.string().optional(),
  /** Default: the subnets and security groups of containers. */
  PUNCTUAL_SCRIPT_SUBNETS: ids('subnet').optional(),
  PUNCTUAL_SCRIPT_SECURITY_GROUPS: ids('sg').optional(),
  /** The Secrets Manager secret with the master keys of request signatures. If absent, requests are not signed. */
  PUNCTUAL_SIGNING_SECRET: z.string().optional(),
  /** The store of users' secrets: "secretsmanager:<prefix>" or "ssm:</prefix>". */
  PUNCTUAL_SECRETS: z
    .string()
    .regex(
      /^(secretsmanager:[\w/.-]+[\w.-]|ssm:\/[\w/.-]*[\w.-])$/,
      'must be "secretsmanager:<prefix>" or "ssm:/<prefix>", without a slash at the end',
    )
    .optional(),
});

export type TaskVariables = z.output<typeof taskVariables>;

export const allowedTargets = (given: TaskVariables): TargetPatterns =>
  Object.fromEntries(
    TARGET_KINDS.map((kind) => [
      kind,
      given[`PUNCTUAL_ALLOW_${kind.toUpperCase() as Uppercase<TargetKind>}`],
    ]),
  );

export const allowedRecipients = (given: TaskVariables): Recipients =>
  createRecipients(given.PUNCTUAL_EMAIL_RECIPIENTS);

export function containerNetwork(given: TaskVariables): ContainerNetwork | undefined {
  const { PUNCTUAL_CONTAINER_CLUSTER: cluster, PUNCTUAL_CONTAINER_SUBNETS: subnets = [] } = given;
  if (cluster === undefined || subnets.length === 0) return undefined;
  return {
    cluster,
    subnets,
    securityGroups: given.PUNCTUAL_CONTAINER_SECURITY_GROUPS,
    assignPublicIp: given.PUNCTUAL_CONTAINER_PUBLIC_IP,
  };
}

/** The enabled built-in tasks on AWS. A task without an allowed target is disabled. */
export function enabledOnAws(given: TaskVariables): BuiltinName[] {
  const targets = allowedTargets(given);
  const hasNetwork = containerNetwork(given) !== undefined;
  return BUILTIN_NAMES.filter((name) => {
    if (given.PUNCTUAL_TASKS && !given.PUNCTUAL_TASKS.includes(name)) return false;
    if (name === 'http' || name === 'noop') return true;
    if (name === 'script')
      return hasNetwork && Boolean(given.PUNCTUAL_SCRIPT_TASK_DEFINITION && given.PUNCTUAL_SCRIPT_BUCKET);
    return (targets[name]?.length ?? 0) > 0 && (name !== 'container' || hasNetwork);
  });
}
