// The configuration of a worker process: every variable and its default. The SDK finds region and credentials. Settings that all
// runtimes share are in src/runtime/config.ts.
import { z } from 'zod';
import { DEFAULT_OWNER_SHARE } from '../concurrency/fair-share.ts';
import type { OwnerLimits } from '../domain/jobs/owner-limits.ts';
import {
  type Environment,
  httpUrl,
  httpUrls,
  readConfig,
  readSettings,
  readStoreConfig,
} from '../runtime/config.ts';
import { readLimitDefaults } from '../runtime/limit-variables.ts';
import { LOG_LEVELS, type LogLevel } from '../runtime/log.ts';
import type { Settings } from '../scheduling/context.ts';
import { DEFAULT_CONCURRENCY } from './worker.ts';

const url = httpUrl.optional();

export const workerVariables = z.object({
  /** The prefix of the names of tables and queues. */
  PUNCTUAL_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,40}$/, { error: 'must be up to 40 letters, digits, "_" and "-"' })
    .default('punctual-'),
  /** The number of queues, which are found by their names. */
  PUNCTUAL_QUEUES: z.coerce.number().int().min(1).max(64).default(1),
  /** The URLs of the queues in their order, separated by commas. Absent if the queues are found by their names. */
  PUNCTUAL_QUEUE_URLS: httpUrls.pipe(z.array(z.string()).max(64)).optional(),
  PUNCTUAL_DEAD_LETTER_URL: url,
  PUNCTUAL_CONCURRENCY: z.coerce.number().int().min(1).max(10_000).default(DEFAULT_CONCURRENCY),
  /** The largest share of the places that one owner alone may use. 1: no limit. */
  PUNCTUAL_OWNER_SHARE: z.coerce.number().min(0.1).max(1).default(DEFAULT_OWNER_SHARE),
  /** Ten less than the 120 s that Fargate waits at most between SIGTERM and SIGKILL. */
  PUNCTUAL_DRAIN_SECONDS: z.coerce.number().min(0).max(3600).default(110),
  /** The longest task protection without a break. */
  PUNCTUAL_PROTECT_MINUTES: z.coerce.number().int().min(1).max(2880).default(120),
  /** The liveness file for a health check. Absent if there is none. */
  PUNCTUAL_ALIVE_FILE: z.string().optional(),
  /** Whether metrics are written into the log, in CloudWatch's format. */
  PUNCTUAL_METRICS: z.literal(['on', 'off']).default('off'),
  /** Whether executions are traced in X-Ray. */
  PUNCTUAL_TRACING: z.literal(['on', 'off']).default('off'),
  /** The fraction of executions that begin a trace, 0 to 1. Executions of a traced API call continue its trace. */
  PUNCTUAL_TRACE_SAMPLING: z.coerce.number().min(0).max(1).default(0.01),
  /** The endpoint for task protection, which every container on ECS has. */
  ECS_AGENT_URI: url,
  PUNCTUAL_LOG: z.enum(LOG_LEVELS).default('info'),

  // variables of the SDK. Its SQS client prefers the host of a queue's URL to an endpoint from the environment, but not to an
  // endpoint that is passed in
  AWS_ENDPOINT_URL: url,
  AWS_ENDPOINT_URL_DYNAMODB: url,
  AWS_ENDPOINT_URL_SQS: url,
});

export interface WorkerConfig {
  readonly prefix: string;
  readonly queues: number;
  /** Undefined if the queues are found by name. */
  readonly queueUrls: readonly string[] | undefined;
  readonly deadLetterUrl: string | undefined;
  readonly concurrency: number;
  readonly ownerShare: number;
  /** The limits of owners for whom operators have set none. */
  readonly limits: OwnerLimits;
  readonly drainMs: number;
  readonly protectMs: number;
  readonly store: ReturnType<typeof readStoreConfig>;
  readonly aliveFile: string | undefined;
  readonly metrics: boolean;
  /** Undefined if tracing is off. */
  readonly traceSampling: number | undefined;
  readonly agentUri: string | undefined;
  readonly logLevel: LogLevel;
  /** Undefined for the endpoint of the region. */
  readonly endpoints: { readonly dynamodb: string | undefined; readonly sqs: string | undefined };
  readonly settings: Settings;
}

export function readWorkerConfig(env: Environment): WorkerConfig {
  const given = readConfig(workerVariables, env);
  return {
    prefix: given.PUNCTUAL_PREFIX,
    queues: given.PUNCTUAL_QUEUE_URLS?.length ?? given.PUNCTUAL_QUEUES,
    queueUrls: given.PUNCTUAL_QUEUE_URLS,
    deadLetterUrl: given.PUNCTUAL_DEAD_LETTER_URL,
    concurrency: given.PUNCTUAL_CONCURRENCY,
    ownerShare: given.PUNCTUAL_OWNER_SHARE,
    limits: readLimitDefaults(env),
    drainMs: given.PUNCTUAL_DRAIN_SECONDS * 1000,
    protectMs: given.PUNCTUAL_PROTECT_MINUTES * 60_000,
    store: readStoreConfig(env),
    aliveFile: given.PUNCTUAL_ALIVE_FILE,
    metrics: given.PUNCTUAL_METRICS === 'on',
    traceSampling: given.PUNCTUAL_TRACING === 'on' ? given.PUNCTUAL_TRACE_SAMPLING : undefined,
    agentUri: given.ECS_AGENT_URI,
    logLevel: given.PUNCTUAL_LOG,
    endpoints: {
      dynamodb: given.AWS_ENDPOINT_URL_DYNAMODB ?? given.AWS_ENDPOINT_URL,
      sqs: given.AWS_ENDPOINT_URL_SQS ?? given.AWS_ENDPOINT_URL,
    },
    settings: readSettings(env),
  };
}
