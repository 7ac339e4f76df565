// Definitions: params and notifications of jobs, immutable per version. A definition is written before the head that names it.
import type { Definition } from '../../domain/jobs/job.ts';
import { definitionFromItem, definitionPart, definitionToItem, jobExpiry } from '../items.ts';
import type { Database } from './database.ts';

const table = 'jobs';

export interface DefinitionKey {
  readonly jobId: string;
  readonly version: number;
}

const keyOf = ({ jobId, version }: DefinitionKey) => ({ jobId, part: definitionPart(version) });
const nameOf = ({ jobId, version }: DefinitionKey) => `${jobId}#${version}`;

/** 1 WRU per KB. Definitions are not in the index. */
export async function putDefinition(
  db: Database,
  keptMs: number,
  definition: Definition,
  end: number | undefined,
): Promise<void> {
  const item = { ...definitionToItem(definition), ...jobExpiry(end, keptMs) };
  await db.putAll({ operation: 'putDefinition', table }, [item]);
}

/** 0.5 RRU per 4 KB. A missing definition may be new, so it is read again consistently for 1 RRU more. */
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

/** In no order. 0.5 RRU per 4 KB each. Missing ones are read again consistently for 1 RRU more each. */
export async function readDefinitions(db: Database, keys: readonly DefinitionKey[]): Promise<Definition[]> {
  const on = { operation: 'readDefinitions', table } as const;
  const wanted = new Map(keys.map((key) => [nameOf(key), keyOf(key)]));
  const found = (await db.getAll(on, [...wanted.values()], false)).map(definitionFromItem);
  for (const definition of found) wanted.delete(nameOf(definition));
  const late = await db.getAll(on, [...wanted.values()], true);
  return [...found, ...late.map(definitionFromItem)];
}
