// `--limit` and `--all` of the commands that list.
import { type Cli, type Options, UsageError, type Values } from './command.ts';
import { numberOf } from './job-flags.ts';

const DEFAULT_LIMIT = 20;
/** The API's maximum page size. */
const MAX_PAGE_SIZE = 100;

export const LIMIT_FLAGS = {
  limit: { type: 'string', value: '<n>', about: `maximum number of results (default ${DEFAULT_LIMIT})` },
  all: { type: 'boolean', about: 'list all results' },
} as const satisfies Options;

/** The filter by owner. For a local server, the automatic token is then that of an operator. */
export const OWNER_FLAG = {
  owner: {
    type: 'string',
    value: '<user>',
    about: 'the jobs of this user instead of yours (operators only)',
  },
} as const satisfies Options;

/** Infinite with --all. */
export function limitOf({ limit: text, all }: Values<typeof LIMIT_FLAGS>): number {
  if (all) return Number.POSITIVE_INFINITY;
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = numberOf(text, '--limit');
  if (!Number.isInteger(limit) || limit < 1) {
    throw new UsageError(`--limit must be a whole number of at least 1, got ${JSON.stringify(text)}`);
  }
  return limit;
}

/** One more than the limit, so that one page shows whether there are more results. */
export const pageSizeFor = (limit: number): number => Math.min(MAX_PAGE_SIZE, limit + 1);

export interface LimitedList<T> {
  readonly items: readonly T[];
  /** Whether there are more items than the limit. */
  readonly hasMore: boolean;
}

export async function takeUpTo<T>(source: AsyncIterable<T>, limit: number): Promise<LimitedList<T>> {
  const items: T[] = [];
  for await (const item of source) {
    if (items.length === limit) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}

interface ListTexts<T> {
  /** Printed to stderr if the list is empty. */
  readonly empty: string;
  lines(items: readonly T[]): readonly string[];
}

export function printList<T>(
  cli: Cli,
  { items, hasMore }: LimitedList<T>,
  limit: number,
  { empty, lines }: ListTexts<T>,
): void {
  if (cli.json) cli.out(JSON.stringify(items));
  else if (items.length === 0) cli.err(empty);
  else for (const line of lines(items)) cli.out(line);
  if (hasMore) cli.err(`there are more than these ${limit} results: use --limit <n> or --all`);
}
