// The keys that requests are signed with, one per user, derived from master keys: nothing is stored per user, and the
// master keys never leave the worker (docs/decisions/0010).
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { cacheFor } from '../cache-for.ts';
import type { SigningKey } from './signature.ts';

export interface SigningKeys {
  /** Those in force, the newest first. A request carries a signature by each. */
  keysOf(userId: string): Promise<readonly SigningKey[]>;
}

/** What a secret, or locally a file, holds. */
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
    .describe('the newest first; a second one only while receivers change over'),
  generations: z
    .record(z.string(), z.array(z.int().min(1)).min(1).max(2))
    .optional()
    .describe('per user whose own key was replaced: the generations in force, newest first; default [1]'),
});

export type MasterKeys = z.infer<typeof masterKeysSchema>;

export const newMasterKey = (id: string): MasterKeys['keys'][number] => ({
  id,
  secret: randomBytes(32).toString('base64url'),
});

/** A rotation is noticed this much later. */
const KEPT_MS = 60_000;

export function derivedKeys(read: () => Promise<unknown>): SigningKeys {
  const masterKeys = cacheFor(KEPT_MS, async () => {
    const { data, error } = masterKeysSchema.safeParse(await read());
    // never the value itself: it would stand in the execution's error
    if (error) throw new Error(`the signing keys are not as they should be at ${pathsOf(error)}`);
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

/** Another user, or another generation, is another `info`: no key tells anything about another (RFC 5869). */
function derive({ id, secret }: MasterKeys['keys'][number], userId: string, generation: number): SigningKey {
  const what = JSON.stringify(['punctual http signature', userId, generation]);
  const info = createHash('sha256').update(what).digest(); // HKDF takes no more than 1024 bytes of it
  const key = hkdfSync('sha256', Buffer.from(secret, 'base64url'), Buffer.alloc(0), info, 32);
  return { id: `${id}.${generation}`, secret: Buffer.from(key).toString('base64url') };
}

const pathsOf = (error: z.ZodError): string =>
  error.issues.map((issue) => issue.path.join('.') || 'the top').join(', ');
