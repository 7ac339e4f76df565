// The names and attributes of the queues. CDK and local mode create them from here. The file needs no SDK.
export const WORK_QUEUE = {
  /** The length of a lease, so that the message of a crashed worker is visible when its lease is over. */
  visibilitySeconds: 30,
  /** High, because a message that waits for a lease is received many times. */
  maxReceiveCount: 1_000,
  /** Settle sends a new message for an open execution that is older. */
  retentionSeconds: 86_400,
} as const;

export const DEAD_LETTERS = {
  visibilitySeconds: 30,
  retentionSeconds: 14 * 86_400,
} as const;

export const INGEST_QUEUE = {
  /** Six times the timeout of the consumer's Lambda, as AWS recommends. */
  visibilitySeconds: 60,
  /** A message that fails this often goes to the ingest dead-letter queue, also if the reason is temporary. */
  maxReceiveCount: 20,
  retentionSeconds: 4 * 86_400,
} as const;

export const NOTIFY_QUEUE = {
  /** Six times the timeout of the notifier's Lambda. Retries have a visibility timeout of their own. */
  visibilitySeconds: 360,
  /** More than the attempts of the notifier, which dead-letters a message with the reason. */
  maxReceiveCount: 50,
  retentionSeconds: 4 * 86_400,
} as const;

export const notifyName = (prefix: string): string => `${prefix}notify`;
export const notifyDeadLettersName = (prefix: string): string => `${prefix}notify-dead-letters`;
export const ingestName = (prefix: string): string => `${prefix}ingest`;
export const ingestDeadLettersName = (prefix: string): string => `${prefix}ingest-dead-letters`;
export const workQueueName = (prefix: string, index: number): string => `${prefix}work-${index}`;
export const deadLettersName = (prefix: string): string => `${prefix}dead-letters`;
