// Params and notifications of jobs, immutable per version: written before the head that names them, cached by workers.
import type { Definition } from '../../domain/jobs/job.ts';
import { definitionFromItem, definitionPart, definitionToItem } from '../items.ts';
import type { Database } from './database.ts';

const table = 'jobs';

export interface DefinitionKey {
  readonly jobId: string;
  readonly version: number;
}

const keyOf = ({ jobId, version }: DefinitionKey) => ({ jobId, part: definitionPart(version) });
const nameOf = ({ jobId, version }: DefinitionKey) => `${jobId}#${version}`;

/** 1 WRU per KB; not in the index. */
export async function putDefinition(db: Database, definition: Definition): Promise<void> {
  await db.putAll({ operation: 'putDefinition', table }, [definitionToItem(definition)]);
}

/** 0.5 RRU per 4 KB. One that is not found may just be new, so it is asked for again consistently (+ 1). */
export async function readDefinition(
  db: Database,
  jobId: string,
  version: number,
): Promise<Definition | undefined> {
  const on = { operation: 'readDefinition', table } as const;
  const key = keyOf({ jobId, version });
  const item = (await db.get(on, key)) ?? (await db.get(on, key, true));
  return item && definitionFromItem(item);
}

/** In no order. 0.5 RRU per 4 KB each; what is not found is asked for again consistently (+ 1 each). */
export async function readDefinitions(db: Database, keys: readonly DefinitionKey[]): Promise<Definition[]> {
  const on = { operation: 'readDefinitions', table } as const;
  const wanted = new Map(keys.map((key) => [nameOf(key), keyOf(key)]));
  const found = (await db.getAll(on, [...wanted.values()], false)).map(definitionFromItem);
  for (const definition of found) wanted.delete(nameOf(definition));
  const late = await db.getAll(on, [...wanted.values()], true);
  return [...found, ...late.map(definitionFromItem)];
}
