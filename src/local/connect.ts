// The backend on the DynamoDB and SQS APIs: SDK clients, clock and log. Missing tables and queues are created.

import { publishEvents } from '../notifications/publish-events.ts';
import { createIngestQueue } from '../queue/ingest-queue.ts';
import { createNotifyQueue } from '../queue/notify-queue.ts';
import { createIngestQueues, createNotifyQueues, createQueues } from '../queue/sqs/queue-definitions.ts';
import { createReceiver } from '../queue/sqs/receiver.ts';
import { createSqs } from '../queue/sqs/sqs.ts';
import { createClients } from '../runtime/aws-clients.ts';
import { monitorClock } from '../runtime/clock/clock-monitor.ts';
import { createReferenceClock } from '../runtime/clock/reference-clock.ts';
import { systemClock } from '../runtime/clock/system-clock.ts';
import { systemRandom } from '../runtime/random.ts';
import type { Log } from '../scheduling/context.ts';
import { withDefinitionCache } from '../store/definition-cache.ts';
import { createDynamoStore } from '../store/dynamodb/dynamodb.ts';
import { supportsStatements } from '../store/dynamodb/statement-support.ts';
import { createTables } from '../store/dynamodb/tables.ts';
import type { Backend } from './backend.ts';
import type { Endpoints, LocalConfig } from './config.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';
import { schedulerPorts } from './scheduler-ports.ts';
import { StartError } from './start-error.ts';
import { initializeTimetable } from './timetable-cursors.ts';

/** dynoxide and fauxqs accept any credentials. */
const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** `reference` is `own` if this process runs the engines, because they share its clock. */
export async function connect(
  config: LocalConfig,
  endpoints: Endpoints,
  lifecycle: ProcessLifecycle,
  log: Log,
  reference: 'answers' | 'own' = 'answers',
): Promise<Backend> {
  const { region, prefix, settings } = config;
  const useCredentials = config.external !== undefined && config.hasCredentials;
  const onDynoxide = config.external === undefined;
  const clock = createReferenceClock(systemClock, reference);
  const clients = createClients({
    region,
    endpoints,
    credentials: useCredentials ? undefined : LOCAL_CREDENTIALS,
    heard: clock.heard,
    ...(onDynoxide && { dynamodbSockets: 1 }),
  });
  lifecycle.defer(() => clients.destroy());

  const [, urls, { ingestUrl, ingestDeadLetterUrl }, { notifyUrl, notifyDeadLetterUrl }] = await Promise.all([
    createTables(clients.dynamodb, prefix).catch(failWith('tables', endpoints.dynamodb)),
    createQueues(clients.sqs, prefix, config.queues).catch(failWith('queues', endpoints.sqs)),
    createIngestQueues(clients.sqs, prefix).catch(failWith('queues', endpoints.sqs)),
    createNotifyQueues(clients.sqs, prefix).catch(failWith('queues', endpoints.sqs)),
  ]);
  const canGroup =
    onDynoxide || !config.store.groupCommit || (await supportsStatements(clients.dynamodb, prefix));
  const backoff = { random: systemRandom.float, sleep: systemClock.sleep };
  const store = withDefinitionCache(
    createDynamoStore({
      client: clients.dynamodb,
      tablePrefix: prefix,
      shards: settings.shards,
      ...config.store,
      groupCommit: config.store.groupCommit && canGroup,
      backoff,
      monotonic: systemClock.monotonic,
      now: systemClock.now,
    }),
  );
  const { queue, receivers } = createSqs({
    client: clients.sqs,
    pollClient: clients.sqsPolls,
    ...urls,
    visibilityMs: settings.leaseMs,
    clock,
  });
  const notifyQueue = createNotifyQueue({ client: clients.sqs, queueUrl: notifyUrl, timer: clock });
  const ctx = publishEvents(
    { store, queue, clock, random: systemRandom, log, settings },
    { queue: notifyQueue, changes: config.notifier.bus !== undefined },
  );
  const monitor = monitorClock(ctx);
  lifecycle.defer(() => monitor.stop());
  await initializeTimetable(ctx);
  const inboxOf = (queueUrl: string, deadLetterUrl: string) =>
    createReceiver({
      client: clients.sqs,
      pollClient: clients.sqsPolls,
      queueUrl,
      deadLetterUrl,
      timer: clock,
    });
  const ingest = {
    queue: createIngestQueue({ client: clients.sqs, queueUrl: ingestUrl }),
    receiver: inboxOf(ingestUrl, ingestDeadLetterUrl),
  };
  const notify = { queue: notifyQueue, receiver: inboxOf(notifyUrl, notifyDeadLetterUrl) };
  const aws = config.external
    ? { region, credentials: useCredentials ? undefined : LOCAL_CREDENTIALS }
    : { region, embedded: { endpoint: endpoints.sqs, credentials: LOCAL_CREDENTIALS } };
  return {
    ctx,
    receivers,
    ingest,
    notify,
    aws,
    warnings: canGroup ? [] : [`Group commit is off: ${endpoints.dynamodb} ${NO_STATEMENTS}`],
    schedulerPorts: schedulerPorts(config.dataFolder, endpoints),
  };
}

const NO_STATEMENTS =
  'does not support PartiQL statements with parameters. Every write is a request of its own, at several times the CPU.';

const failWith = (what: string, endpoint: string) => (error: unknown) => {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  throw new StartError(`the ${what} at ${endpoint} cannot be found or created: ${reason}`);
};
