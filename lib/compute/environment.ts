// The environment variables of every runtime (src/runtime/config.ts, src/runtime/lambda-context.ts,
// src/runtime/publishing.ts, src/worker/config.ts). All runtimes get the same, because workers must be able to run every
// job that the API accepts.
import { Token } from 'aws-cdk-lib';
import { ConfigError, readConfig } from '../../src/runtime/config.ts';
import { taskVariables } from '../../src/tasks/task-settings.ts';
import type { Queues } from '../data/queues.ts';
import { type DeploymentSettings, SettingsError } from '../settings/settings.ts';

export type Environment = Readonly<Record<string, string>>;

/** The prefix of the names of tables and queues. */
export const prefixOf = ({ stage }: Pick<DeploymentSettings, 'stage'>): string => `punctual-${stage}-`;

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
  PUNCTUAL_GROUP_COMMIT: settings.groupCommit ? 'on' : 'off',
  ...(settings.eventBus !== undefined && { PUNCTUAL_EVENT_BUS: settings.eventBus }),
  ...(settings.emailRecipients && { PUNCTUAL_EMAIL_RECIPIENTS: settings.emailRecipients.join(',') }),
  ...validated(taskEnvironment),
});

/** Finds mistakes at synthesis instead of in a worker that does not start. Values that are CDK tokens are not checked. */
function validated(given: Environment): Environment {
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => !Token.isUnresolved(value)));
  try {
    readConfig(taskVariables, known);
  } catch (error) {
    if (error instanceof ConfigError) throw new SettingsError(`taskEnvironment: ${error.message}`);
    throw error;
  }
  return given;
}
