// A context of use cases on local engines that counts its usage: the units that DynamoDB reports
// (`ReturnConsumedCapacity`), and the requests to SQS.

import type { Receiver } from '../src/queue/queue.ts';
import { createQueues } from '../src/queue/sqs/queue-definitions.ts';
import { createSqs } from '../src/queue/sqs/sqs.ts';
import { createClients } from '../src/runtime/aws-clients.ts';
import { createLog } from '../src/runtime/log.ts';
import { systemRandom } from '../src/runtime/random.ts';
import type { Clock, Context, Settings } from '../src/scheduling/context.ts';
import { withDefinitionCache } from '../src/store/definition-cache.ts';
import { createDynamoStore } from '../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../src/store/dynamodb/tables.ts';
import { accelerateQueue } from '../tools/accelerated-time.ts';

export interface Units {
  write: number;
  read: number;
  requests: number;
}

export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
}

export interface MeteredOptions {
  readonly endpoints: Endpoints;
  /** The prefix of tables and queues. Missing ones are created. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly settings: Settings;
  /** The speed of the clock, relative to real time. */
  readonly speed?: number;
  count(operation: string, units: Units): void;
}

export interface Metered {
  readonly context: Context;
  readonly receivers: readonly Receiver[];
  close(): void;
}

export const LOCAL = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const;

export async function openMetered(options: MeteredOptions): Promise<Metered> {
  const { endpoints, prefix, clock, settings, speed = 1, count } = options;
  const clients = createClients({ ...LOCAL, endpoints });
  for (const client of [clients.sqs, clients.sqsPolls]) accelerateQueue(client, speed);
  await createTables(clients.dynamodb, prefix);
  const urls = await createQueues(clients.sqs, prefix, 1);
  const { queue, receivers } = createSqs({
    client: clients.sqs,
    pollClient: clients.sqsPolls,
    ...urls,
    clock,
    meter: (operation) => count(operation, { write: 0, read: 0, requests: 1 }),
  });
  const store = withDefinitionCache(
    createDynamoStore({
      client: clients.dynamodb,
      tablePrefix: prefix,
      shards: settings.shards,
      meter: (operation, _table, units) => count(operation, { ...units, requests: 0 }),
    }),
  );
  const context = { store, queue, clock, random: systemRandom, log: createLog('silent'), settings };
  return { context, receivers, close: clients.destroy };
}
