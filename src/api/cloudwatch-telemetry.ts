// The telemetry of a deployment: log lines of executions from the log group of the workers, and counts from their metrics.
import { z } from 'zod';
import { type Environment, readConfig } from '../runtime/config.ts';
import { DIMENSION, deploymentOf, NAMESPACE } from '../runtime/metrics.ts';
import { createCloudWatchLogs } from '../telemetry/cloudwatch/log-events.ts';
import { createCloudWatchStatistics } from '../telemetry/cloudwatch/metric-data.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

const variables = z.object({
  PUNCTUAL_PREFIX: z.string(),
  /** The log group of the workers. Unset if the service does not show log lines. */
  PUNCTUAL_WORKER_LOG_GROUP: z.string().optional(),
});

/** A request makes up to five calls, and has 8 s for all of them (src/api/request-bounds.ts). */
const CALL_TIMEOUT_MS = 4_000;

export function cloudWatchTelemetry(env: Environment, clock: { monotonic(): number }): Telemetry {
  const { PUNCTUAL_WORKER_LOG_GROUP: group, PUNCTUAL_PREFIX: prefix } = readConfig(variables, env);
  if (group === undefined) return {};
  const { monotonic } = clock;
  return {
    statistics: createCloudWatchStatistics({
      monotonic,
      namespace: NAMESPACE,
      dimension: { name: DIMENSION, value: deploymentOf(prefix) },
      client: once(async () => {
        const { CloudWatchClient } = await import('@aws-sdk/client-cloudwatch');
        return new CloudWatchClient(clientOptions());
      }),
    }),
    logs: createCloudWatchLogs({
      group,
      monotonic,
      // loaded at the first use, because most containers never show log lines
      client: once(async () => {
        const { CloudWatchLogsClient } = await import('@aws-sdk/client-cloudwatch-logs');
        return new CloudWatchLogsClient(clientOptions());
      }),
    }),
  };
}

const clientOptions = () => ({
  maxAttempts: 2,
  requestHandler: {
    connectionTimeout: 2_000,
    requestTimeout: CALL_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
});

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
