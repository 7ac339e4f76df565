// Two files of the data folder that hold what must not be seen: users' secrets, which a person writes, and the master keys
// that requests are signed with, which are made when they are first needed.
import { linkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../scheduling/context.ts';
import { type MasterKeys, newMasterKey } from '../tasks/http/signing-keys.ts';
import type { Secrets } from '../tasks/secrets/secrets.ts';
import { readJsonFile } from './json-file.ts';
import { StartError } from './run.ts';

export const SECRETS = 'secrets.json';
export const SIGNING_KEYS = 'signing-keys.json';

const DAMAGED_KEYS =
  'Restore it from a backup, or delete it, and new keys are made: receivers must be given the new ones (npm run signing-key).';

const DAMAGED_SECRETS = 'It must be { "<user>": { "<name>": "<value>" } }.';

const secretsSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** `{ "<user>": { "<name>": "<value>" } }`, read at every run: a change counts at once. */
export const fileSecrets = (dataFolder: string, log: Log): Secrets => ({
  location: `${SECRETS} of the data folder`,
  async read(userId, name) {
    const data = forRuns('the secrets', log, () => readSecrets(join(dataFolder, SECRETS)));
    const own = Object.hasOwn(data, userId) ? data[userId] : undefined;
    return own && Object.hasOwn(own, name) ? own[name] : undefined;
  },
});

function readSecrets(file: string): z.infer<typeof secretsSchema> {
  const { data, error } = secretsSchema.safeParse(readJsonFile(file, DAMAGED_SECRETS) ?? {});
  // not what is in it: this ends up in the log
  if (error) throw new StartError(`${file} is damaged. ${DAMAGED_SECRETS}`);
  return data;
}

/** The error of a run is read by a tenant: it does not say where the file is. The log does. */
export function forRuns<T>(what: string, log: Log, read: () => T): T {
  try {
    return read();
  } catch (error) {
    log.error('key file cannot be read', { what, error });
    throw new Error(`${what} cannot be read; the worker's log has the reason`);
  }
}

/** Made when it is not there. Two processes may try at once: `link` lets one win, and both read the winner's. */
export function readMasterKeys(dataFolder: string): unknown {
  const file = join(dataFolder, SIGNING_KEYS);
  const known = readJsonFile(file, DAMAGED_KEYS);
  if (known !== undefined) return known;
  const fresh: MasterKeys = { keys: [newMasterKey('k1')] };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(fresh, undefined, 2), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readJsonFile(file, DAMAGED_KEYS);
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
