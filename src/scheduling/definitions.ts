// A job's definition (params, notify), read once per version.
import type { Definition } from '../domain/job.ts';
import type { Context } from './context.ts';

/** Definitions never change, so they are kept by version; the oldest go first. */
const definitions = new WeakMap<Context['store'], Map<string, Definition>>();
const MOST_DEFINITIONS = 10_000;

export async function definitionOf({ store }: Context, jobId: string, version: number): Promise<Definition> {
  const cache = definitions.get(store) ?? new Map<string, Definition>();
  definitions.set(store, cache);
  const key = `${jobId}#${version}`;
  const known = cache.get(key);
  if (known) return known;
  const read = await store.readDefinition(jobId, version);
  if (!read) throw new Error(`job ${jobId} has no definition of version ${version}`);
  cache.set(key, read);
  const oldest = cache.size > MOST_DEFINITIONS ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  return read;
}
