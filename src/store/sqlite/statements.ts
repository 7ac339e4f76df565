// Statements, their values and answers, and the two ports of this folder: Reader and Writer.

export type Value = string | number | null;

/** The answer to a write: the number of changed rows, or the rows of its RETURNING clause. */
export type Answer = number | Value[][];

/**
 * A conditional statement. It is done or refused as a whole, and the number of changed rows says which. Values
 * are bound in the order of the question marks.
 */
export interface Statement {
  readonly sql: string;
  readonly returns: 'changes' | 'rows';
}

export const changing = (sql: string): Statement => ({ sql, returns: 'changes' });
export const returning = (sql: string): Statement => ({ sql, returns: 'rows' });

/** A statement with its values. */
export interface Write {
  readonly statement: Statement;
  readonly values: readonly Value[];
}

/**
 * `claim`: the write leads to a start, and does not wait for the disk: nothing was promised to anybody. A power failure may take
 * it back, which is a lost worker. `start`: the write leads to a start (shards, claims that must not be repeated). `person`: a
 * request may wait for it (edits, plans). `record`: the write records a result, and nobody waits for it.
 */
export const RANKS = ['claim', 'start', 'person', 'record'] as const;
export type Rank = (typeof RANKS)[number];

export interface Writer {
  /** Resolves after the commit. Owners take turns within a rank. The owner '' is the system. */
  write(statement: Statement, values: readonly Value[], rank: Rank, owner: string): Promise<Answer>;
  /** Does all writes, each of which must change one row, or none of them. True if they were done. */
  transact(writes: readonly Write[], rank: Rank, owner: string): Promise<boolean>;
  /** Cuts the -wal file, which has what was deleted. Absent without a file. */
  truncate?(): void;
}

export interface Reader {
  /** The first row. Undefined: there is none. */
  one(sql: string, ...values: Value[]): Value[] | undefined;
  all(sql: string, ...values: Value[]): Value[][];
}
