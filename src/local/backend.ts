// The backend of local mode: the store and the queues that the API, the watcher, the worker and the notifier share.
import type { IngestQueue } from '../queue/ingest-queue.ts';
import type { NotifyQueue } from '../queue/notify-queue.ts';
import type { Receiver } from '../queue/queue.ts';
import type { Context } from '../scheduling/context.ts';
import type { AwsOptions } from '../tasks/aws/task-clients.ts';
import type { ExecutionLogs } from '../telemetry/execution-logs.ts';
import type { MinuteStatistics } from '../telemetry/in-process/minute-statistics.ts';
import type { WorkerOptions } from '../worker/worker.ts';

export interface Backend {
  readonly ctx: Context;
  readonly receivers: readonly Receiver[];
  /** The queue of accepted jobs that are not created yet. */
  readonly ingest: { readonly queue: IngestQueue; readonly receiver: Receiver };
  readonly notify: { readonly queue: NotifyQueue; readonly receiver: Receiver };
  /** The ports of this machine that no job may call. */
  readonly schedulerPorts: () => ReadonlySet<number>;
  /** How the worker polls its receivers. Undefined if they are polled like SQS. */
  readonly polls?: Pick<WorkerOptions, 'pollersPerQueue' | 'maxPerReceive' | 'pauseAfterFewMs'>;
  /** Sentences about what the engines cannot do. They are printed after the start. */
  readonly warnings?: readonly string[];
  /** How the tasks reach SQS, SNS and S3, and the services that are not embedded. */
  readonly aws: AwsOptions;
  /** Log lines and statistics of executions. Undefined if the worker is in another process. */
  readonly telemetry?: { readonly logs: ExecutionLogs; readonly statistics: MinuteStatistics };
}

export interface OpenedBackend {
  readonly backend: Backend;
  /** Sentences about where the data is. They are printed after the start. */
  readonly messages: readonly string[];
}
