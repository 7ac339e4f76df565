// Between values of ours and values of SQLite.
import type { Answer, Value } from './statements.ts';

/** SQLite knows no `undefined`. */
export const orNull = (value: unknown): Value => (value === undefined ? null : (value as Value));

/** Whether a conditional write was done. */
export const isOne = (answer: Answer): boolean => answer === 1;

export const firstRow = (answer: Answer): Value[] | undefined =>
  Array.isArray(answer) ? answer[0] : undefined;
