// A job's definition (params, notify): an item of its own, or a part of the head where that is cheaper. The runtimes' stores
// keep what was read (store/definition-cache.ts).
import { InvalidInput } from '../../domain/errors.ts';
import type { Definition, Head } from '../../domain/jobs/job.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import type { Context, Random } from '../context.ts';

type Named = Pick<Head, 'jobId' | 'definition' | 'inline'>;

export async function findDefinition({ store }: Context, head: Named): Promise<Definition | undefined> {
  return inlineOf(head) ?? store.readDefinition(head.jobId, head.definition);
}

export async function definitionOf(context: Context, head: Named): Promise<Definition> {
  const definition = await findDefinition(context, head);
  if (!definition) throw new Error(`job ${head.jobId} has no definition ${head.definition}`);
  return definition;
}

/** `ahead`: one that was read before, used if it is still the one in force. Undefined: there is none. */
export const definitionInForce = async (
  context: Context,
  head: Named,
  ahead: Definition | undefined,
): Promise<Definition | undefined> =>
  ahead?.version === head.definition ? ahead : findDefinition(context, head);

/** By job id. One read for those that are items. */
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

/** Of all that people say about a job, in JSON: so much of it leaves room for a hold below the head's 1 KB. */
const MAX_INLINE = 500;

/**
 * What the head of a new job has of its definition. A one-time job runs once, so an item would be written once and read
 * once: what is small goes in the head (1 WRU and 0.5 RRU less). That of a recurring job is read again and again, and
 * kept by those who read it.
 */
export async function firstDefinition(
  context: Context,
  jobId: string,
  spec: Content & { readonly schedule: Schedule },
): Promise<HeadPart> {
  const { params, notify, schedule } = spec;
  const isSmall = Buffer.byteLength(JSON.stringify(spec)) <= MAX_INLINE;
  return 'at' in schedule && isSmall
    ? { definition: freshDefinition(context.random, 1), inline: { params, notify } }
    : writeDefinition(context, jobId, 1, { params, notify });
}

/** The order is always item, then head. */
export async function writeDefinition(
  { store, random }: Context,
  jobId: string,
  version: number,
  content: Content,
): Promise<HeadPart> {
  const definition = freshDefinition(random, version);
  await store.putDefinition({ jobId, version: definition, ...content });
  return { definition, inline: undefined };
}

/**
 * A name that no other writer has: a definition is written before the head that names it, and one that loses the race for
 * the head must not have written over the winner's. Grows with the version, so that the newest is the largest.
 */
const freshDefinition = (random: Random, version: number): number =>
  version * NAMES_PER_VERSION + Math.floor(random.float() * NAMES_PER_VERSION);

const NAMES_PER_VERSION = 2 ** 30;

/** The version of the job that its definition came with. */
export const versionOfDefinition = ({ definition }: Pick<Head, 'definition'>): number =>
  Math.max(1, Math.floor(definition / NAMES_PER_VERSION));

/** DynamoDB takes 400 KB; a body within the API's limit may still say much in few characters (`1e20`). */
const MAX_DEFINITION = 300_000;

export function refuseLarge(definition: Pick<Definition, 'params' | 'notify'>): void {
  const size = Buffer.byteLength(JSON.stringify(definition));
  if (size <= MAX_DEFINITION) return;
  const message = `params and notify have ${size} bytes of JSON; at most ${MAX_DEFINITION} are allowed`;
  throw new InvalidInput([{ path: 'params', message }]);
}
