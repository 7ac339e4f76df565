// Definitions never change, so a process that reads them often keeps them: a page of jobs then costs no read for what was
// on the page before.
import type { Definition } from '../domain/job.ts';
import type { Store } from './store.ts';

const MOST_KEPT = 2_000;
/** Larger ones are read each time: the cache stays below 10 MB. */
const LARGEST_KEPT = 4_000;

export function withDefinitionCache(store: Store): Store {
  const kept = new Map<string, Definition>();
  const nameOf = ({ jobId, version }: { jobId: string; version: number }) => `${jobId}#${version}`;

  function keep(definition: Definition): void {
    if (JSON.stringify([definition.params, definition.notify]).length > LARGEST_KEPT) return;
    const [oldest] = kept.keys();
    if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(nameOf(definition), definition);
  }

  return {
    ...store,
    async readDefinition(jobId, version) {
      const known = kept.get(nameOf({ jobId, version }));
      if (known) return known;
      const read = await store.readDefinition(jobId, version);
      if (read) keep(read);
      return read;
    },
    async readDefinitions(keys) {
      const known = keys.flatMap((key) => kept.get(nameOf(key)) ?? []);
      const missing = keys.filter((key) => !kept.has(nameOf(key)));
      const read = missing.length > 0 ? await store.readDefinitions(missing) : [];
      for (const definition of read) keep(definition);
      return [...known, ...read];
    },
  };
}
