// The configuration of local mode: every variable and its default.
import { resolve } from 'node:path';
import { z } from 'zod';
import { type ApiConfig, readApiConfig } from '../api/config.ts';
import { DEFAULT_OWNER_SHARE } from '../concurrency/fair-share.ts';
import { LOCAL_LIMITS } from '../domain/jobs/owner-limits.ts';
import { type NotifierConfig, readNotifierConfig } from '../notifier/config.ts';
import {
  ConfigError,
  type Environment,
  readConfig,
  readSettings,
  readStoreConfig,
} from '../runtime/config.ts';
import { LOG_LEVELS, type LogLevel } from '../runtime/log.ts';
import { DEFAULT_SETTINGS, type Settings } from '../scheduling/context.ts';

const port = (value: number) => z.coerce.number().int().min(0).max(65_535).default(value);

const url = z.url({ protocol: /^https?$/ }).optional();

export const localVariables = z.object({
  /** The port of the API. 0 picks a free one. */
  PUNCTUAL_PORT: port(3000),
  /** The address that the API listens on. In a container it is 0.0.0.0. */
  PUNCTUAL_HOST: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' }).default('127.0.0.1'),
  /** The folder of the database and the keys. */
  PUNCTUAL_DATA: z.string().default('.punctual'),
  PUNCTUAL_LOG: z.enum(LOG_LEVELS).default('warn'),
  /** The ports of the engines of `npm run start:aws`. 0 picks a free one. */
  PUNCTUAL_DYNAMODB_PORT: port(0),
  PUNCTUAL_SQS_PORT: port(0),
  /** The prefix of the names of tables and queues. Without effect on an embedded server. */
  PUNCTUAL_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,40}$/, { error: 'must be up to 40 letters, digits, "_" and "-"' })
    .default('punctual-'),
  PUNCTUAL_QUEUES: z.coerce.number().int().min(1).max(64).default(1),
  /** The maximum number of tasks that a worker runs at once. */
  PUNCTUAL_CONCURRENCY: z.coerce.number().int().min(1).max(10_000).default(100),
  /** The largest share of the places that one owner alone may use. 1: no limit. */
  PUNCTUAL_OWNER_SHARE: z.coerce.number().min(0.1).max(1).default(DEFAULT_OWNER_SHARE),
  /** `trusted`: scripts run as the current user, without isolation. Unset: they are isolated if bwrap works, else refused. */
  PUNCTUAL_SCRIPTS: z.literal('trusted').optional(),
  /** How long a worker waits for running tasks when it stops. */
  PUNCTUAL_DRAIN_SECONDS: z.coerce.number().min(0).max(3600).default(10),

  // the SDK's own variables; with an endpoint, no engine is started
  AWS_ENDPOINT_URL: url,
  AWS_ENDPOINT_URL_DYNAMODB: url,
  AWS_ENDPOINT_URL_SQS: url,
  AWS_REGION: z.string().optional(),
  AWS_DEFAULT_REGION: z.string().optional(),
});

/**
 * The local watcher runs every 15 s instead of every minute, so a look-ahead of 1 minute is enough. A short queue matters,
 * because fauxqs scans all messages of a queue at each receive.
 */
export const LOCAL_SETTINGS: Settings = {
  ...DEFAULT_SETTINGS,
  lookAheadMs: 60_000,
  watchPeriodMs: 15_000,
  marginMs: 80_000,
};

/** If any of these is set, the SDK finds credentials by itself. */
const CREDENTIALS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

export interface LocalConfig {
  readonly port: number;
  readonly host: string;
  readonly dataFolder: string;
  readonly logLevel: LogLevel;
  readonly enginePorts: { readonly dynamodb: number | undefined; readonly sqs: number | undefined };
  readonly prefix: string;
  readonly queues: number;
  readonly concurrency: number;
  readonly ownerShare: number;
  readonly drainMs: number;
  readonly trustedScripts: boolean;
  readonly region: string;
  /** The endpoints of AWS_ENDPOINT_URL. Undefined if it is not set. */
  readonly external: Endpoints | undefined;
  readonly hasCredentials: boolean;
  readonly settings: Settings;
  readonly store: ReturnType<typeof readStoreConfig>;
  readonly api: ApiConfig;
  readonly notifier: NotifierConfig;
}

export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
}

export function readLocalConfig(env: Environment, uid = process.getuid?.()): LocalConfig {
  const given = readConfig(localVariables, env);
  if (given.PUNCTUAL_SCRIPTS === 'trusted' && uid === 0) {
    throw new ConfigError(
      'PUNCTUAL_SCRIPTS must not be "trusted" for root, because every script would run as root. Start as another user, or unset PUNCTUAL_SCRIPTS and install bubblewrap (bwrap), which isolates scripts',
    );
  }
  const dynamodb = given.AWS_ENDPOINT_URL_DYNAMODB ?? given.AWS_ENDPOINT_URL;
  const sqs = given.AWS_ENDPOINT_URL_SQS ?? given.AWS_ENDPOINT_URL;
  if ((dynamodb === undefined) !== (sqs === undefined)) {
    readConfig(z.object({ AWS_ENDPOINT_URL_DYNAMODB: z.url(), AWS_ENDPOINT_URL_SQS: z.url() }), env);
  }
  return {
    port: given.PUNCTUAL_PORT,
    host: given.PUNCTUAL_HOST,
    dataFolder: resolve(given.PUNCTUAL_DATA),
    logLevel: given.PUNCTUAL_LOG,
    enginePorts: {
      dynamodb: given.PUNCTUAL_DYNAMODB_PORT || undefined,
      sqs: given.PUNCTUAL_SQS_PORT || undefined,
    },
    prefix: given.PUNCTUAL_PREFIX,
    queues: given.PUNCTUAL_QUEUES,
    concurrency: given.PUNCTUAL_CONCURRENCY,
    ownerShare: given.PUNCTUAL_OWNER_SHARE,
    drainMs: given.PUNCTUAL_DRAIN_SECONDS * 1000,
    trustedScripts: given.PUNCTUAL_SCRIPTS === 'trusted',
    region: given.AWS_REGION ?? given.AWS_DEFAULT_REGION ?? 'us-east-1',
    external: dynamodb && sqs ? { dynamodb, sqs } : undefined,
    hasCredentials: CREDENTIALS.some((name) => env[name]),
    settings: readSettings(env, LOCAL_SETTINGS),
    store: readStoreConfig(env),
    api: readApiConfig(env, LOCAL_LIMITS),
    notifier: readNotifierConfig(env),
  };
}
