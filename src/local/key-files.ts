// Two files of the data folder that hold what must not be seen: users' secrets, which a person writes, and the master keys
// that requests are signed with, which are made when they are first needed.
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Secrets } from '../tasks/secrets.ts';
import { type MasterKeys, newMasterKey } from '../tasks/signing-keys.ts';
import { readJsonFile } from './json-file.ts';

const DAMAGED_KEYS =
  'Restore it from a backup, or delete it, and new keys are made: receivers must be given the new ones (npm run signing-key).';

const secretsSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** `{ "<user>": { "<name>": "<value>" } }`, read at every run: a change counts at once. */
export const fileSecrets = (file: string): Secrets => ({
  place: file,
  async read(userId, name) {
    const text = textOf(file);
    if (text === undefined) return undefined;
    const { data } = secretsSchema.safeParse(parsed(text));
    // not what is in it: this ends up in the execution's record
    if (!data) throw new Error(`${file} must be { "<user>": { "<name>": "<value>" } } in JSON`);
    const own = Object.hasOwn(data, userId) ? data[userId] : undefined;
    return own && Object.hasOwn(own, name) ? own[name] : undefined;
  },
});

/** Made when it is not there. Two processes may try at once: `link` lets one win, and both read the winner's. */
export function readMasterKeys(dataFolder: string): unknown {
  const file = join(dataFolder, 'signing-keys.json');
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

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
