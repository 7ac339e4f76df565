// Definitions never change, so a process that reads them often keeps them: a page of jobs then costs no read for what was
// on the page before.
import type { Definition } from '../domain/jobs/job.ts';
import type { Store } from './store.ts';

/** Characters of JSON in all; larger ones than the second are read each time. */
const MAX_CACHED_CHARACTERS = 10_000_000;
const MAX_CHARACTERS = 10_000;

export function withDefinitionCache(store: Store): Store {
  const kept = new Map<string, { definition: Definition; size: number }>();
  let size = 0;
  const nameOf = ({ jobId, version }: { jobId: string; version: number }) => `${jobId}#${version}`;
  const get = (key: { jobId: string; version: number }) => kept.get(nameOf(key))?.definition;

  function keep(definition: Definition): void {
    const name = nameOf(definition);
    const own = JSON.stringify(definition).length;
    if (own > MAX_CHARACTERS || kept.has(name)) return;
    kept.set(name, { definition, size: own });
    size += own;
    for (const [oldest, { size: old }] of kept) {
      if (size <= MAX_CACHED_CHARACTERS) return;
      kept.delete(oldest);
      size -= old;
    }
  }

  return {
    ...store,
    async readDefinition(jobId, version) {
      const known = get({ jobId, version });
      if (known) return known;
      const read = await store.readDefinition(jobId, version);
      if (read) keep(read);
      return read;
    },
    async readDefinitions(keys) {
      const known = keys.flatMap((key) => get(key) ?? []);
      const missing = keys.filter((key) => !kept.has(nameOf(key)));
      const read = missing.length > 0 ? await store.readDefinitions(missing) : [];
      for (const definition of read) keep(definition);
      return [...known, ...read];
    },
  };
}
