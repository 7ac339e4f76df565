// Conversions between JavaScript's values and SQLite's.
import type { Answer, Value } from './statements.ts';

/** `undefined` is stored as NULL. */
export const orNull = (value: unknown): Value => (value === undefined ? null : (value as Value));

/** True: the conditional write was done. */
export const isOne = (answer: Answer): boolean => answer === 1;

export const firstRow = (answer: Answer): Value[] | undefined =>
  Array.isArray(answer) ? answer[0] : undefined;
