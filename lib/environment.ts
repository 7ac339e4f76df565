// What every runtime is told by its environment (src/config.ts, src/api/lambda.ts, src/worker/config.ts).
import type { Queues } from './queues.ts';
import type { DeploymentSettings } from './settings.ts';

/** What tables and queues are called. */
export const prefixOf = ({ stage }: Pick<DeploymentSettings, 'stage'>): string => `punctual-${stage}-`;

/** For those who write rows: what there may be to tell goes to the notify queue. */
export const tellingEnvironment = (queues: Queues): Record<string, string> => ({
  PUNCTUAL_NOTIFY_URL: queues.notify.queueUrl,
});

export const environmentOf = (settings: DeploymentSettings, queues: Queues): Record<string, string> => ({
  PUNCTUAL_PREFIX: prefixOf(settings),
  PUNCTUAL_SHARDS: String(settings.shards),
  PUNCTUAL_LOOK_AHEAD_MS: String(settings.lookAheadMinutes * 60_000),
  PUNCTUAL_RETENTION_DAYS: String(settings.retentionDays),
  PUNCTUAL_QUEUE_URLS: queues.work.map(({ queueUrl }) => queueUrl).join(','),
  PUNCTUAL_DEAD_LETTER_URL: queues.deadLetters.queueUrl,
});
