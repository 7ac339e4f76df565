// Statements and their values, as they go from the thread that asks to the one that writes.

export type Value = string | number | null;

/** What the caller of a write gets: how many rows were changed, or the rows of its RETURNING clause. */
export type Answer = number | Value[][];

/**
 * One conditional statement is one write: it is done or refused as a whole, and `changes` says which. The values are
 * bound in the order of the question marks.
 */
export interface Statement {
  readonly sql: string;
  readonly returns: 'changes' | 'rows';
}

export const changing = (sql: string): Statement => ({ sql, returns: 'changes' });
export const returning = (sql: string): Statement => ({ sql, returns: 'rows' });

/**
 * start: on the way to a start (claims, holds, heartbeats, shards). person: somebody waits for the answer. record: it only
 * records what has happened or will.
 */
export const RANKS = ['start', 'person', 'record'] as const;
export type Rank = (typeof RANKS)[number];

export interface Writer {
  /** Resolves after the commit. `owner`: whose turn it takes; '' is the system's own. */
  write(statement: Statement, values: readonly Value[], rank: Rank, owner: string): Promise<Answer>;
}

export interface Reader {
  /** The first row. */
  one(sql: string, ...values: Value[]): Value[] | undefined;
  all(sql: string, ...values: Value[]): Value[][];
}
