// The signing keys of users, derived from master keys. Nothing is stored per user, and the master keys never leave the worker
// (docs/decisions/0010).
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { cacheFor } from '../cache-for.ts';
import type { SigningKey } from './signature.ts';

export interface SigningKeys {
  /** The active keys of a user, newest first. A request has one signature per key. */
  keysOf(userId: string): Promise<readonly SigningKey[]>;
}

/** The content of the secret with the master keys, or of the local file. */
export const masterKeysSchema = z.strictObject({
  keys: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[A-Za-z0-9_-]{1,32}$/),
        secret: z.base64url().min(43).describe('at least 32 random bytes'),
      }),
    )
    .min(1)
    .max(2)
    .describe('newest first; a second one only during a rotation'),
  generations: z
    .record(z.string(), z.array(z.int().min(1)).min(1).max(2))
    .optional()
    .describe('active generations of the keys of single users, newest first; default [1]'),
});

export type MasterKeys = z.infer<typeof masterKeysSchema>;

export const newMasterKey = (id: string): MasterKeys['keys'][number] => ({
  id,
  secret: randomBytes(32).toString('base64url'),
});

/** How long master keys are cached. A rotation takes effect after this time. */
const CACHE_MS = 60_000;

export function derivedKeys(read: () => Promise<unknown>): SigningKeys {
  const masterKeys = cacheFor(CACHE_MS, async () => {
    const { data, error } = masterKeysSchema.safeParse(await read());
    // The message must not contain the value: it becomes the execution's error.
    if (error) throw new Error(`the signing keys have an invalid format at ${pathsOf(error)}`);
    return data;
  });
  return {
    async keysOf(userId) {
      const { keys, generations = {} } = await masterKeys();
      const own = Object.hasOwn(generations, userId) ? generations[userId] : undefined;
      return keys.flatMap((master) => (own ?? [1]).map((generation) => derive(master, userId, generation)));
    },
  };
}

/** HKDF with user and generation as `info`, so that no key reveals another one (RFC 5869). */
function derive({ id, secret }: MasterKeys['keys'][number], userId: string, generation: number): SigningKey {
  const what = JSON.stringify(['punctual http signature', userId, generation]);
  const info = createHash('sha256').update(what).digest(); // `info` is limited to 1024 bytes
  const key = hkdfSync('sha256', Buffer.from(secret, 'base64url'), Buffer.alloc(0), info, 32);
  return { id: `${id}.${generation}`, secret: Buffer.from(key).toString('base64url') };
}

const pathsOf = (error: z.ZodError): string =>
  error.issues.map((issue) => issue.path.join('.') || 'the root').join(', ');
