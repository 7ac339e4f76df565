// The key that groups failures. Executions that failed for the same reason have the same key, whatever ids and numbers their
// messages contain. Rows store the key, so its computation must not change: old and new failures would be in different groups.
import { hash } from 'node:crypto';
import type { Row } from './row.ts';

/** The part of a message that counts. Messages that differ at all differ in it, and stack traces would cost CPU. */
const MAX_CHARACTERS = 500;
const LENGTH = 12;

const QUOTED = /"[^"\n]*"|`[^`\n]*`|(?<!\w)'[^'\n]*'/g;
const OWN_ID = /\b(?:job|op|worker)_\w+/g;
/** A word with a digit in it: a number, a time, a UUID, an address, an id. */
const WITH_DIGIT = /[\w.:@-]*\d[\w.:@-]*/g;

/** The message without its variable parts: quoted texts, ids, and words with digits. */
export const normalizedMessage = (message: string): string =>
  message
    .slice(0, MAX_CHARACTERS)
    .replace(QUOTED, '""')
    .replace(OWN_ID, '#')
    .replace(WITH_DIGIT, '#')
    .replace(/\s+/g, ' ')
    .trim();

/** `LENGTH` characters. A failure without an error is grouped by its reason. */
export function errorKeyOf({ error, reason = '' }: Pick<Row, 'error' | 'reason'>): string {
  const parts = [error?.name ?? '', normalizedMessage(error?.message ?? reason)];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, LENGTH);
}
