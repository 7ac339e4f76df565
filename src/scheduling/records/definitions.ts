// A job's definition (params, notify). It is an item of its own, or part of the head if that is cheaper. The runtimes' stores
// cache definitions (store/definition-cache.ts).
import { InvalidInput } from '../../domain/errors.ts';
import type { Definition, Head } from '../../domain/jobs/job.ts';
import { jsonBytes } from '../../domain/jobs/stored-bytes.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import type { Context, Random } from '../context.ts';

/** The fields of a head that name its definition. */
type Named = Pick<Head, 'jobId' | 'definition' | 'inline'>;

export async function findDefinition({ store }: Context, head: Named): Promise<Definition | undefined> {
  return inlineOf(head) ?? store.readDefinition(head.jobId, head.definition);
}

export async function definitionOf(context: Context, head: Named): Promise<Definition> {
  const definition = await findDefinition(context, head);
  if (!definition) throw new Error(`job ${head.jobId} has no definition ${head.definition}`);
  return definition;
}

/** The definition that the head names. `preread` is used if it is that one. Undefined if it does not exist. */
export const definitionInForce = async (
  context: Context,
  head: Named,
  preread: Definition | undefined,
): Promise<Definition | undefined> =>
  preread?.version === head.definition ? preread : findDefinition(context, head);

/** Definitions by job id. One read gets all that are items. */
export async function definitionsOf(
  { store }: Context,
  heads: readonly Named[],
): Promise<Map<string, Definition>> {
  const inline = heads.flatMap((head) => inlineOf(head) ?? []);
  const others = heads.filter((head) => !head.inline);
  const read = await store.readDefinitions(
    others.map(({ jobId, definition }) => ({ jobId, version: definition })),
  );
  return new Map([...inline, ...read].map((definition) => [definition.jobId, definition]));
}

const inlineOf = ({ jobId, definition: version, inline }: Named): Definition | undefined =>
  inline && { jobId, version, ...inline };

type Content = Pick<Definition, 'params' | 'notify'>;
type HeadPart = Pick<Head, 'definition' | 'inline'>;

/** Bytes of a job's JSON up to which its definition is part of the head. With a lock, the head stays below 1 KB. */
const MAX_INLINE_BYTES = 500;

/**
 * The definition part of a new job's head. The item of a one-time job would be written once and read once, so a small definition
 * goes into the head (1 WRU and 0.5 RRU less). The definition of a recurring job is read often, and cached.
 */
export async function firstDefinition(
  context: Context,
  jobId: string,
  spec: Content & { readonly schedule: Schedule },
  end: number | undefined,
): Promise<HeadPart> {
  const { params, notify, schedule } = spec;
  const isSmall = Buffer.byteLength(JSON.stringify(spec)) <= MAX_INLINE_BYTES;
  return 'at' in schedule && isSmall
    ? { definition: freshDefinition(context.random, 1), inline: { params, notify } }
    : writeDefinition(context, jobId, 1, { params, notify }, end);
}

/** Writes the item of a definition. The caller writes the head that names it afterwards. */
export async function writeDefinition(
  { store, random }: Context,
  jobId: string,
  version: number,
  content: Content,
  end: number | undefined,
): Promise<HeadPart> {
  const definition = freshDefinition(random, version);
  await store.putDefinition({ jobId, version: definition, ...content }, end);
  return { definition, inline: undefined };
}

/**
 * A unique number for a definition. It is written before the head that names it, so a writer that loses the race for the head
 * must not overwrite the winner's. It grows with the job's version, so the newest is the largest.
 */
const freshDefinition = (random: Random, version: number): number =>
  version * NAMES_PER_VERSION + Math.floor(random.float() * NAMES_PER_VERSION);

const NAMES_PER_VERSION = 2 ** 30;

/** The version of the job that wrote its definition. */
export const versionOfDefinition = ({ definition }: Pick<Head, 'definition'>): number =>
  Math.max(1, Math.floor(definition / NAMES_PER_VERSION));

/** Below DynamoDB's limit of 400 KB. A small request body may become larger in JSON (`1e20`). */
const MAX_DEFINITION_BYTES = 300_000;

/** The bytes of the definition. */
export function refuseLarge({ params, notify }: Content): number {
  const size = jsonBytes({ params, notify });
  if (size <= MAX_DEFINITION_BYTES) return size;
  const message = `params and notify have ${size} bytes of JSON; at most ${MAX_DEFINITION_BYTES} are allowed`;
  throw new InvalidInput([{ path: 'params', message }]);
}
