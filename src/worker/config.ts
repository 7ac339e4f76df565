// The configuration of a worker process: every variable and its default. Region and credentials are found by the SDK;
// the settings that all runtimes share are in src/runtime/config.ts.
import { z } from 'zod';
import {
  type Environment,
  httpUrl,
  httpUrls,
  readConfig,
  readSettings,
  readStoreConfig,
} from '../runtime/config.ts';
import { LOG_LEVELS, type LogLevel } from '../runtime/log.ts';
import type { Settings } from '../scheduling/context.ts';
import { DEFAULT_CONCURRENCY } from './worker.ts';

const url = httpUrl.optional();

export const workerVariables = z.object({
  /** What tables and queues are called. */
  PUNCTUAL_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,40}$/, { error: 'must be up to 40 letters, digits, "_" and "-"' })
    .default('punctual-'),
  /** How many queues there are; they are found by their names. */
  PUNCTUAL_QUEUES: z.coerce.number().int().min(1).max(64).default(1),
  /** Instead of looking them up: the queues' addresses, in their order, with commas between. */
  PUNCTUAL_QUEUE_URLS: httpUrls.pipe(z.array(z.string()).max(64)).optional(),
  PUNCTUAL_DEAD_LETTER_URL: url,
  PUNCTUAL_CONCURRENCY: z.coerce.number().int().min(1).max(10_000).default(DEFAULT_CONCURRENCY),
  /** Ten less than the 120 s that Fargate waits at most between SIGTERM and SIGKILL. */
  PUNCTUAL_DRAIN_SECONDS: z.coerce.number().min(0).max(3600).default(110),
  /** The longest task protection without a break. */
  PUNCTUAL_PROTECT_MINUTES: z.coerce.number().int().min(1).max(2880).default(120),
  /** Touched while the process lives, for a health check; absent: nothing is. */
  PUNCTUAL_ALIVE_FILE: z.string().optional(),
  /** Whether metrics are written into the log, in CloudWatch's format. */
  PUNCTUAL_METRICS: z.literal(['on', 'off']).default('off'),
  /** Whether executions are withTracing in X-Ray. */
  PUNCTUAL_TRACING: z.literal(['on', 'off']).default('off'),
  /** The part of the executions that begin a trace, 0 to 1; those of an API call that is withTracing go on with its trace. */
  PUNCTUAL_TRACE_SAMPLING: z.coerce.number().min(0).max(1).default(0.01),
  /** Every container on ECS has it: where task protection is asked for. */
  ECS_AGENT_URI: url,
  PUNCTUAL_LOG: z.enum(LOG_LEVELS).default('info'),

  // the SDK's own; read here too because its SQS client prefers the host of a queue's URL to an endpoint that it found
  // in the environment, and only an endpoint handed in to that host
  AWS_ENDPOINT_URL: url,
  AWS_ENDPOINT_URL_DYNAMODB: url,
  AWS_ENDPOINT_URL_SQS: url,
});

export interface WorkerConfig {
  readonly prefix: string;
  readonly queues: number;
  /** Absent: they are found by name. */
  readonly queueUrls: readonly string[] | undefined;
  readonly deadLetterUrl: string | undefined;
  readonly concurrency: number;
  readonly drainMs: number;
  readonly protectMs: number;
  readonly store: ReturnType<typeof readStoreConfig>;
  readonly aliveFile: string | undefined;
  readonly metrics: boolean;
  /** Absent: nothing is withTracing. */
  readonly traceSampling: number | undefined;
  readonly agentUri: string | undefined;
  readonly logLevel: LogLevel;
  /** Absent: the region's own. */
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
