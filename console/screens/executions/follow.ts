// Following a list of executions: new ones are added, and those that are shown are kept until they have ended.
import { type Execution, hasEnded, type Page } from '../../../src/client/client.ts';

export interface FollowSource {
  /** A page of recorded executions, newest first. */
  readonly recorded: (cursor: string | undefined) => Promise<Page<Execution>>;
  /** The executions that run now. Empty if the filter leaves them out. */
  readonly running: () => Promise<readonly Execution[]>;
  /** Undefined if it no longer exists. */
  readonly one: (id: string) => Promise<Execution | undefined>;
  /** False if an execution no longer matches the filter. */
  readonly matches: (execution: Execution) => boolean;
}

/** The newest executions that are kept. */
export const MAX_FOLLOWED = 1_000;
/** Pages that one step reads at most, if there are more new executions than a page has. */
const MAX_PAGES = 5;
/** Executions that one step reads by their ids at most. */
const MAX_BY_ID = 10;

/** `known`: the executions of the step before. Undefined in the first step, which reads one page. */
export async function followStep(
  source: FollowSource,
  known: readonly Execution[] | undefined,
): Promise<readonly Execution[]> {
  const [recorded, running] = await Promise.all([readNew(source, known), source.running()]);
  // A recorded row is newer than the heartbeat of a worker.
  const seen = new Map([...running, ...recorded].map((execution) => [execution.id, execution]));
  const open = (known ?? []).filter((execution) => !hasEnded(execution) && !seen.has(execution.id));
  const ended = await Promise.all(open.slice(0, MAX_BY_ID).map(({ id }) => source.one(id)));
  const gone = new Set(open.slice(0, MAX_BY_ID).map(({ id }) => id));
  const all = new Map((known ?? []).flatMap((one) => (gone.has(one.id) ? [] : [[one.id, one] as const])));
  for (const execution of [...ended, ...seen.values()])
    if (execution && source.matches(execution)) all.set(execution.id, execution);
  return newestFirst([...all.values()]).slice(0, MAX_FOLLOWED);
}

async function readNew(
  source: FollowSource,
  known: readonly Execution[] | undefined,
): Promise<readonly Execution[]> {
  const found: Execution[] = [];
  const ids = new Set(known?.map(({ id }) => id));
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, nextCursor } = await source.recorded(cursor);
    found.push(...items);
    const reachesKnown = items.some(({ id }) => ids.has(id));
    if (known === undefined || reachesKnown || nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return found;
}

/** Running executions and recorded ones in one list, each once. */
export function merged(recorded: readonly Execution[], running: readonly Execution[]): readonly Execution[] {
  if (running.length === 0) return recorded;
  const all = new Map([...running, ...recorded].map((execution) => [execution.id, execution]));
  return newestFirst([...all.values()]);
}

const newestFirst = (executions: readonly Execution[]): Execution[] =>
  executions.toSorted((a, b) => Date.parse(b.dueAt) - Date.parse(a.dueAt) || (a.id < b.id ? 1 : -1));
