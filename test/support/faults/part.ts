// The configuration of a process of the fault tests, and the store and queue that it connects to. They are the same as in
// production, on a clock that runs faster.

import type { Receiver } from '../../../src/queue/queue.ts';
import { createSqs } from '../../../src/queue/sqs/sqs.ts';
import { createClients } from '../../../src/runtime/aws-clients.ts';
import { systemRandom } from '../../../src/runtime/random.ts';
import type { Context, Log, Settings } from '../../../src/scheduling/context.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { acceleratedClock, accelerateQueue } from '../../../tools/accelerated-time.ts';

export interface PartConfig {
  readonly name: string;
  /** The roles that run in the process: api, watcher and worker. */
  readonly roles: readonly Role[];
  readonly speed: number;
  readonly origin: number;
  readonly settings: Settings;
  readonly endpoints: { readonly dynamodb: string; readonly sqs: string };
  readonly tablePrefix: string;
  readonly groupCommit: boolean;
  readonly queueUrls: readonly string[];
  readonly deadLetterUrl: string;
  readonly evidenceFile: string;
  readonly drainMs: number;
  readonly concurrency: number;
  /** If true, the queue is refilled first, as at the start of local mode. */
  readonly refill?: boolean;
}

export type Role = 'api' | 'watcher' | 'worker';

/** The line that a process prints when it is ready. */
export interface Ready {
  readonly pid: number;
  readonly workerId?: string;
  readonly url?: string;
}

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

export type ConnectConfig = Pick<
  PartConfig,
  | 'speed'
  | 'origin'
  | 'settings'
  | 'endpoints'
  | 'tablePrefix'
  | 'groupCommit'
  | 'queueUrls'
  | 'deadLetterUrl'
>;

export interface Connected {
  readonly context: Context;
  readonly receivers: readonly Receiver[];
  destroy(): void;
}

export function connect(config: ConnectConfig, log: Log): Connected {
  const { speed, origin, settings, endpoints, tablePrefix, groupCommit, queueUrls, deadLetterUrl } = config;
  const clock = acceleratedClock(speed, origin);
  const clients = createClients({ region: 'us-east-1', credentials: CREDENTIALS, endpoints });
  accelerateQueue(clients.sqs, speed);
  accelerateQueue(clients.sqsPolls, speed);
  const store = createDynamoStore({
    client: clients.dynamodb,
    tablePrefix,
    shards: settings.shards,
    groupCommit,
    backoff: { random: systemRandom.float, sleep: (ms) => clock.sleep(ms) },
  });
  const { queue, receivers } = createSqs({
    client: clients.sqs,
    pollClient: clients.sqsPolls,
    queueUrls,
    deadLetterUrl,
    clock,
  });
  return {
    context: { store, queue, clock, random: systemRandom, log, settings },
    receivers,
    destroy: () => clients.destroy(),
  };
}
