// The differences that are meant to be: between commits before a change and after it. Who changes an answer adds it here with its
// reason, and removes it when the base of the comparison is a later commit. A run reports those that no sequence has shown.
import type { Difference } from './compare.ts';

export interface Known {
  readonly name: string;
  readonly reason: string;
  matches(difference: Difference): boolean;
  /** The two sides go different ways afterwards, so the rest of the sequence is not compared. */
  readonly ends?: true;
}

export const KNOWN: readonly Known[] = [];
