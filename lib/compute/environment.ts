// The environment variables of every runtime (src/runtime/config.ts, src/runtime/lambda-context.ts,
// src/runtime/publishing.ts, src/worker/config.ts). All runtimes get the same, because workers must be able to run every
// job that the API accepts.
import { Fn, Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { DEPLOYED_LIMITS, LIMIT_NAMES, type LimitName } from '../../src/domain/jobs/owner-limits.ts';
import { ConfigError, readConfig } from '../../src/runtime/config.ts';
import { limitVariable, limitVariables } from '../../src/runtime/limit-variables.ts';
import { INDEX_PARTITIONS } from '../../src/store/user-index.ts';
import { taskVariables } from '../../src/tasks/task-settings.ts';
import type { Queues } from '../data/queues.ts';
import { type DeploymentSettings, SettingsError } from '../settings/settings.ts';

export type Environment = Readonly<Record<string, string>>;

/** The prefix of the names of tables and queues. */
export const prefixOf = ({ stage }: Pick<DeploymentSettings, 'stage'>): string => `punctual-${stage}-`;

/**
 * The first 8 characters of the stack's id, for names that must be unique. With it, a retained resource of a deleted stack does
 * not collide with a new one.
 */
export const stackSuffix = (scope: Construct): string =>
  Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Stack.of(scope).stackId))));

export const environmentOf = (
  settings: DeploymentSettings,
  queues: Queues,
  taskEnvironment: Environment = {},
): Environment => ({
  PUNCTUAL_PREFIX: prefixOf(settings),
  PUNCTUAL_SHARDS: String(settings.shards),
  PUNCTUAL_LOOK_AHEAD_MS: String(settings.lookAheadMinutes * 60_000),
  PUNCTUAL_RETENTION_DAYS: String(settings.retentionDays),
  PUNCTUAL_QUEUE_URLS: queues.work.map(({ queueUrl }) => queueUrl).join(','),
  PUNCTUAL_DEAD_LETTER_URL: queues.deadLetters.queueUrl,
  PUNCTUAL_NOTIFY_URL: queues.notify.queueUrl,
  PUNCTUAL_OPERATORS_GROUP: settings.operatorsGroup,
  ...(settings.authorization === 'iam' && { PUNCTUAL_AUTHORIZATION: 'iam' }),
  ...(settings.operatorRoles && { PUNCTUAL_OPERATOR_ROLES: settings.operatorRoles.join(' ') }),
  PUNCTUAL_GROUP_COMMIT: settings.groupCommit ? 'on' : 'off',
  ...indexPartitionsOf(settings),
  ...(settings.eventBus !== undefined && { PUNCTUAL_EVENT_BUS: settings.eventBus }),
  ...(settings.emailRecipients && { PUNCTUAL_EMAIL_RECIPIENTS: settings.emailRecipients.join(',') }),
  ...limitsOf(settings),
  ...validated(taskEnvironment),
});

/** Absent if they are the default, because the environment of a Lambda has 4 KB. */
const indexPartitionsOf = ({ indexPartitions, indexPartitionsWritten }: DeploymentSettings): Environment => ({
  ...(indexPartitions !== INDEX_PARTITIONS && { PUNCTUAL_INDEX_PARTITIONS: String(indexPartitions) }),
  ...(indexPartitionsWritten !== INDEX_PARTITIONS && {
    PUNCTUAL_INDEX_PARTITIONS_WRITTEN: String(indexPartitionsWritten),
  }),
});

/** Only the limits that differ from their defaults, because the environment of a Lambda has 4 KB. */
function limitsOf(settings: DeploymentSettings): Environment {
  const given = LIMIT_NAMES.map((name) => ({ name, value: settings[limitSetting(name)] }));
  const changed = given.filter(({ name, value }) => value !== DEPLOYED_LIMITS[name]);
  return Object.fromEntries(changed.map(({ name, value }) => [limitVariable(name), String(value)]));
}

const limitSetting = <Name extends LimitName>(name: Name) =>
  `quota${name[0]?.toUpperCase()}${name.slice(1)}` as `quota${Capitalize<Name>}`;

/** Finds mistakes at synthesis instead of in a worker that does not start. Values that are CDK tokens are not checked. */
function validated(given: Environment): Environment {
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => !Token.isUnresolved(value)));
  try {
    readConfig(taskVariables, known);
    readConfig(limitVariables, known);
  } catch (error) {
    if (error instanceof ConfigError) throw new SettingsError(`taskEnvironment: ${error.message}`);
    throw error;
  }
  return given;
}
