// A cache of definitions, which never change. A page of jobs costs no read for definitions that were read before.
import { LRUCache } from 'lru-cache';
import type { Definition } from '../domain/jobs/job.ts';
import type { Store } from './store.ts';

/** Characters of JSON of all cached definitions. */
const MAX_CACHED_CHARACTERS = 10_000_000;
/** Characters of JSON of one definition. A larger definition is not cached. */
const MAX_CHARACTERS = 10_000;

export function withDefinitionCache(store: Store): Store {
  const cache = new LRUCache<string, Definition>({
    maxSize: MAX_CACHED_CHARACTERS,
    maxEntrySize: MAX_CHARACTERS,
    sizeCalculation: (definition) => JSON.stringify(definition).length,
  });
  const keyOf = ({ jobId, version }: Pick<Definition, 'jobId' | 'version'>) => `${jobId}#${version}`;

  return {
    ...store,
    async readDefinition(jobId, version) {
      const cached = cache.get(keyOf({ jobId, version }));
      if (cached) return cached;
      const read = await store.readDefinition(jobId, version);
      if (read) cache.set(keyOf(read), read);
      return read;
    },
    async readDefinitions(keys) {
      const cached = keys.flatMap((key) => cache.get(keyOf(key)) ?? []);
      const missing = keys.filter((key) => !cache.has(keyOf(key)));
      const read = missing.length > 0 ? await store.readDefinitions(missing) : [];
      for (const definition of read) cache.set(keyOf(definition), definition);
      return [...cached, ...read];
    },
  };
}
