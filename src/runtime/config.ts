// Configuration from environment variables. Schemas with all defaults parse it once at the start. A missing or invalid variable
// stops the program with an error that names it.
import { z } from 'zod';
import { MINUTE } from '../domain/executions/slots.ts';
import { parse } from '../domain/validation/validation.ts';
import { MAX_DELAY_MS } from '../queue/queue.ts';
import { DEFAULT_SETTINGS, type Settings } from '../scheduling/context.ts';
import { INDEX_PARTITIONS, MAX_INDEX_PARTITIONS } from '../store/user-index.ts';

/** A task may start a second after its claim was sent (`startWindowMs`). */
const MIN_LEASE_MS = 2_000;
/** SQS's maximum visibility timeout: 12 hours. */
const MAX_LEASE_MS = 43_200_000;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as absent. */
export function readConfig<Schema extends z.ZodType>(schema: Schema, env: Environment): z.output<Schema> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const { value, errors } = parse(schema, given);
  if (errors) throw new ConfigError(errors.map(({ path, message }) => `${path} ${message}`).join('\n'));
  return value;
}

export const httpUrl = z.url({ protocol: /^https?$/ });

/** Comma-separated URLs. */
export const httpUrls = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .pipe(z.array(httpUrl));

/**
 * The settings that all runtimes share. scheduling/context.ts describes them and has the defaults. The variable of `leaseMs`
 * is PUNCTUAL_LEASE_MS, and so on.
 */
export function readSettings(env: Environment, defaults: Settings = DEFAULT_SETTINGS): Settings {
  const names = Object.keys(DEFAULT_SETTINGS) as (keyof Settings)[];
  const schema = z.object(
    Object.fromEntries(names.map((name) => [variableOf(name), settingSchema(name, defaults[name])])),
  );
  const given = readConfig(schema, env);
  const settings = Object.fromEntries(
    names.map((name) => [name, given[variableOf(name)]]),
  ) as unknown as Settings;

  // otherwise the cursors could pass the entries of a late writer, and their messages would never be sent
  const limit = Math.min(settings.marginMs, settings.settleLagMs);
  if (settings.writerDeadlineMs >= limit) {
    throw new ConfigError(
      `PUNCTUAL_WRITER_DEADLINE_MS must be less than PUNCTUAL_MARGIN_MS and PUNCTUAL_SETTLE_LAG_MS (${limit}), got ${settings.writerDeadlineMs}`,
    );
  }
  // dispatch sends whole minutes, so its cursor may be a minute beyond the look-ahead when a slow writer decides
  const planned = settings.watchPeriodMs + settings.marginMs;
  if (settings.writerDeadlineMs + MINUTE > planned) {
    throw new ConfigError(
      `PUNCTUAL_WATCH_PERIOD_MS and PUNCTUAL_MARGIN_MS together must be at least PUNCTUAL_WRITER_DEADLINE_MS and a minute (${settings.writerDeadlineMs + MINUTE}), got ${planned}`,
    );
  }
  const maxLookAhead = maxLookAheadMs(settings);
  if (settings.lookAheadMs < MINUTE || settings.lookAheadMs > maxLookAhead) {
    throw new ConfigError(
      `PUNCTUAL_LOOK_AHEAD_MS must be from ${MINUTE} to ${maxLookAhead} (SQS's maximum delay of ${MAX_DELAY_MS}, less PUNCTUAL_WATCH_PERIOD_MS and PUNCTUAL_MARGIN_MS), got ${settings.lookAheadMs}`,
    );
  }
  if (settings.leaseMs < 2 * settings.clockSkewMs + MIN_LEASE_MS || settings.leaseMs > MAX_LEASE_MS) {
    throw new ConfigError(
      `PUNCTUAL_LEASE_MS must be from ${2 * settings.clockSkewMs + MIN_LEASE_MS} (twice PUNCTUAL_CLOCK_SKEW_MS and two seconds) to ${MAX_LEASE_MS}, got ${settings.leaseMs}`,
    );
  }
  if (settings.heartbeatMs < 1) {
    throw new ConfigError(`PUNCTUAL_HEARTBEAT_MS must be at least 1, got ${settings.heartbeatMs}`);
  }
  if (settings.heartbeatMs * 2 > settings.leaseMs) {
    throw new ConfigError(
      `PUNCTUAL_HEARTBEAT_MS must be at most half of PUNCTUAL_LEASE_MS (${settings.leaseMs}), got ${settings.heartbeatMs}`,
    );
  }
  return settings;
}

/** Messages that the watcher sends beyond the look-ahead must fit into SQS's maximum delay. */
export const maxLookAheadMs = ({
  watchPeriodMs,
  marginMs,
}: Pick<Settings, 'watchPeriodMs' | 'marginMs'>): number =>
  Math.max(MINUTE, MAX_DELAY_MS - watchPeriodMs - marginMs);

const variableOf = (name: string): string => `PUNCTUAL_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;

/** The variables that `readSettings` reads. */
export const settingVariables: readonly string[] = Object.keys(DEFAULT_SETTINGS).map(variableOf);

const settingSchema = (name: keyof Settings, value: number) =>
  z.coerce
    .number()
    .int()
    .min(name === 'shards' ? 1 : 0)
    .max(name === 'shards' ? 1024 : 86_400_000)
    .default(value);

const indexPartitionCount = z.coerce.number().int().min(INDEX_PARTITIONS).max(MAX_INDEX_PARTITIONS);

export const storeVariables = z.object({
  /** Retention of terminal executions. Default: the store's own. */
  PUNCTUAL_RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).optional(),
  /** The index partitions per user that lists read, and those that items are written to (docs/decisions/0041). */
  PUNCTUAL_INDEX_PARTITIONS: indexPartitionCount.optional(),
  PUNCTUAL_INDEX_PARTITIONS_WRITTEN: indexPartitionCount.optional(),
  /** `off`: every read and write of an item is a separate request. */
  PUNCTUAL_GROUP_COMMIT: z.literal(['on', 'off']).default('on'),
});

/** The options of the DynamoDB store that come from the environment. */
export function readStoreConfig(env: Environment) {
  const given = readConfig(storeVariables, env);
  const { PUNCTUAL_INDEX_PARTITIONS: read, PUNCTUAL_INDEX_PARTITIONS_WRITTEN: written } = given;
  if ((written ?? INDEX_PARTITIONS) > (read ?? INDEX_PARTITIONS)) {
    throw new ConfigError(
      `PUNCTUAL_INDEX_PARTITIONS_WRITTEN must be at most PUNCTUAL_INDEX_PARTITIONS (${read ?? INDEX_PARTITIONS}), got ${written}`,
    );
  }
  return {
    indexPartitions: read,
    indexPartitionsWritten: written,
    retentionDays: given.PUNCTUAL_RETENTION_DAYS,
    groupCommit: given.PUNCTUAL_GROUP_COMMIT === 'on',
  };
}
