// The use cases' context on DynamoDB's and SQS's APIs: SDK clients, tables and queues (made when they are missing), clock and log.

import { publishEvents } from '../notifications/publish-events.ts';
import { createIngestQueue, type IngestQueue } from '../queue/ingest-queue.ts';
import { createNotifyQueue, type NotifyQueue } from '../queue/notify-queue.ts';
import type { Receiver } from '../queue/queue.ts';
import { createIngestQueues, createNotifyQueues, createQueues } from '../queue/sqs/queue-definitions.ts';
import { createReceiver } from '../queue/sqs/receiver.ts';
import { createSqs } from '../queue/sqs/sqs.ts';
import { createClients } from '../runtime/aws-clients.ts';
import { monitorClock } from '../runtime/clock/clock-monitor.ts';
import { createReferenceClock } from '../runtime/clock/reference-clock.ts';
import { systemClock, systemRandom } from '../runtime/system.ts';
import type { Context, Log } from '../scheduling/context.ts';
import { withDefinitionCache } from '../store/definition-cache.ts';
import { createDynamoStore } from '../store/dynamodb/dynamodb.ts';
import { createTables } from '../store/dynamodb/tables.ts';
import type { AwsOptions } from '../tasks/aws/task-clients.ts';
import type { WorkerOptions } from '../worker/worker.ts';
import type { Endpoints, LocalConfig } from './config.ts';
import { ownPorts } from './own-ports.ts';
import { type Running, StartError } from './run.ts';
import { beginTimetable } from './timetable.ts';

export interface Backend {
  readonly ctx: Context;
  readonly inboxes: readonly Receiver[];
  /** Of jobs that were accepted and are to be created: where they go, and where they come from. */
  readonly ingest: { readonly queue: IngestQueue; readonly inbox: Receiver };
  /** Of what is to be told. */
  readonly notify: { readonly queue: NotifyQueue; readonly inbox: Receiver };
  /** The ports of this machine that no job may call. */
  readonly ownPorts: () => ReadonlySet<number>;
  /** How the worker polls its inboxes. Absent: as SQS is polled. */
  readonly polls?: Pick<WorkerOptions, 'pollersPerInbox' | 'mostPerReceive' | 'afterFewMs'>;
  /** How the tasks find SQS, SNS and S3, and the services that are not embedded. */
  readonly aws: AwsOptions;
}

/** dynoxide and fauxqs take any. */
const NO_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** `reference`: `own` where this process runs the engines, because their clock is its own. */
export async function connect(
  config: LocalConfig,
  endpoints: Endpoints,
  running: Running,
  log: Log,
  reference: 'answers' | 'own' = 'answers',
): Promise<Backend> {
  const { region, prefix, settings } = config;
  const useOwn = config.external !== undefined && config.hasCredentials;
  const onDynoxide = config.external === undefined;
  const clock = createReferenceClock(systemClock, reference);
  const clients = createClients({
    region,
    endpoints,
    credentials: useOwn ? undefined : NO_CREDENTIALS,
    heard: clock.heard,
    ...(onDynoxide && { dynamodbSockets: 1 }),
  });
  running.defer(() => clients.destroy());

  const [, urls, { ingestUrl, ingestDeadLetterUrl }, { notifyUrl, notifyDeadLetterUrl }] = await Promise.all([
    createTables(clients.dynamodb, prefix).catch(noAnswer('tables', endpoints.dynamodb)),
    createQueues(clients.sqs, prefix, config.queues).catch(noAnswer('queues', endpoints.sqs)),
    createIngestQueues(clients.sqs, prefix).catch(noAnswer('queues', endpoints.sqs)),
    createNotifyQueues(clients.sqs, prefix).catch(noAnswer('queues', endpoints.sqs)),
  ]);
  const backoff = { random: systemRandom.float, sleep: (ms: number) => systemClock.sleep(ms) };
  const store = withDefinitionCache(
    createDynamoStore({
      client: clients.dynamodb,
      tablePrefix: prefix,
      shards: settings.shards,
      ...config.store,
      backoff,
    }),
  );
  const { queue, inboxes } = createSqs({
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
  running.defer(() => monitor.stop());
  await beginTimetable(ctx);
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
    inbox: inboxOf(ingestUrl, ingestDeadLetterUrl),
  };
  const notify = { queue: notifyQueue, inbox: inboxOf(notifyUrl, notifyDeadLetterUrl) };
  const aws = config.external
    ? { region, credentials: useOwn ? undefined : NO_CREDENTIALS }
    : { region, embedded: { endpoint: endpoints.sqs, credentials: NO_CREDENTIALS } };
  return { ctx, inboxes, ingest, notify, aws, ownPorts: ownPorts(config.dataFolder, endpoints) };
}

const noAnswer = (what: string, endpoint: string) => (error: unknown) => {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  throw new StartError(`the ${what} at ${endpoint} cannot be looked up or made: ${reason}`);
};
