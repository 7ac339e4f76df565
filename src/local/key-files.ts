// Two secret files of the data folder. The user writes the secrets of jobs. The master keys, which sign HTTP requests, are
// created at their first use.
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../scheduling/context.ts';
import { type MasterKeys, newMasterKey } from '../tasks/http/signing-keys.ts';
import type { Secrets } from '../tasks/secrets/secrets.ts';
import { createOnce } from './create-once.ts';
import { readJsonFile } from './json-file.ts';
import { StartError } from './start-error.ts';

export const SECRETS = 'secrets.json';
export const SIGNING_KEYS = 'signing-keys.json';

const DAMAGED_KEYS =
  'Restore it from a backup, or delete it to create new keys. The receivers of signed requests need the new keys (punctual signing-key).';

const DAMAGED_SECRETS = 'It must be { "<user>": { "<name>": "<value>" } }.';

const secretsSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** `{ "<user>": { "<name>": "<value>" } }`. The file is read at every run, so a change takes effect at once. */
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
  // the message must not contain the file's content, because it is logged
  if (error) throw new StartError(`${file} is damaged. ${DAMAGED_SECRETS}`);
  return data;
}

/** The owner of a job reads its errors, so they do not contain the path of the file. The log does. */
export function forRuns<T>(what: string, log: Log, read: () => T): T {
  try {
    return read();
  } catch (error) {
    log.error('failed to read a key file', { what, error });
    throw new Error(`${what} cannot be read; the worker's log has the reason`);
  }
}

/** Created if absent. */
export function readMasterKeys(dataFolder: string): unknown {
  const file = join(dataFolder, SIGNING_KEYS);
  const known = readJsonFile(file, DAMAGED_KEYS);
  if (known !== undefined) return known;
  const fresh: MasterKeys = { keys: [newMasterKey('k1')] };
  createOnce(file, JSON.stringify(fresh, undefined, 2));
  return readJsonFile(file, DAMAGED_KEYS);
}
