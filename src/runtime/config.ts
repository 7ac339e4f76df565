// Configuration from the environment: parsed once at the start by a schema that has every default. A missing or wrong
// variable stops the program with a sentence that names it.
import { z } from 'zod';
import { MINUTE } from '../domain/executions/slots.ts';
import { parse } from '../domain/validation/validation.ts';
import { DEFAULT_SETTINGS, type Settings } from '../scheduling/context.ts';

/** A job is taken up to 750 ms before its time, and may wait a second for a place. */
const MIN_LEASE_MS = 2_000;
/** SQS hides a message for 12 hours at most. */
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

/** With commas between. */
export const httpUrls = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .pipe(z.array(httpUrl));

/**
 * What every runtime must agree on; scheduling/context.ts says what each one means and has the defaults. `leaseMs` is
 * read from PUNCTUAL_LEASE_MS, and so on.
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

  // a late writer's entries would be passed over by the cursors unsent
  const limit = Math.min(settings.marginMs, settings.settleLagMs);
  if (settings.writerDeadlineMs >= limit) {
    throw new ConfigError(
      `PUNCTUAL_WRITER_DEADLINE_MS must be less than PUNCTUAL_MARGIN_MS and PUNCTUAL_SETTLE_LAG_MS (${limit}), got ${settings.writerDeadlineMs}`,
    );
  }
  // dispatch sends whole minutes: its cursor may be that much beyond the look-ahead when a slow writer decides
  const planned = settings.watchPeriodMs + settings.marginMs;
  if (settings.writerDeadlineMs + MINUTE > planned) {
    throw new ConfigError(
      `PUNCTUAL_WATCH_PERIOD_MS and PUNCTUAL_MARGIN_MS together must be at least PUNCTUAL_WRITER_DEADLINE_MS and a minute (${settings.writerDeadlineMs + MINUTE}), got ${planned}`,
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

export const storeVariables = z.object({
  /** Ended executions are kept this long. Absent: the store's own default. */
  PUNCTUAL_RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).optional(),
  /** Off: every read and write of an item is a request of its own. */
  PUNCTUAL_GROUP_COMMIT: z.literal(['on', 'off']).default('on'),
});

/** What the store on DynamoDB is made with, besides what it works on. */
export function readStoreConfig(env: Environment) {
  const given = readConfig(storeVariables, env);
  return {
    retentionDays: given.PUNCTUAL_RETENTION_DAYS,
    groupCommit: given.PUNCTUAL_GROUP_COMMIT === 'on',
  };
}
