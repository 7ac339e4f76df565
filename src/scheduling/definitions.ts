// A job's definition (params, notify). The runtimes' stores keep what was read (store/definition-cache.ts).
import type { Definition } from '../domain/job.ts';
import type { Context } from './context.ts';

export async function definitionOf(
  { store }: Context,
  jobId: string,
  version: Definition['version'],
): Promise<Definition> {
  const definition = await store.readDefinition(jobId, version);
  if (!definition) throw new Error(`job ${jobId} has no definition ${version}`);
  return definition;
}
