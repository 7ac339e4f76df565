// The text of a failure that decides about its group. The file imports nothing of Node, because the console computes the key of a group too.
import type { Row } from './row.ts';

/** The characters of a message that are read, which are all that a row has of it. */
const MAX_READ = 1_000;
/**
 * The characters that count, after the variable parts have been replaced: the length of these parts does not decide where a message
 * is cut.
 */
const MAX_CHARACTERS = 500;

const QUOTED = /"[^"\n]*"|`[^`\n]*`|(?<!\w)'[^'\n]*'/g;
const OWN_ID = /\b(?:job|op|worker)_\w+/g;
/** A word with a digit in it: a number, a time, a UUID, an address, an id. */
const WITH_DIGIT = /[\w.:@-]*\d[\w.:@-]*/g;

/** The message without its variable parts: quoted texts, ids, and words with digits. */
export const normalizedMessage = (message: string): string =>
  message
    .slice(0, MAX_READ)
    .replace(QUOTED, '""')
    .replace(OWN_ID, '#')
    .replace(WITH_DIGIT, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_CHARACTERS);

/** The text whose hash is the key. A failure without an error is grouped by its reason. */
export const errorKeyText = ({ error, reason = '' }: Pick<Row, 'error' | 'reason'>): string =>
  JSON.stringify([error?.name ?? '', normalizedMessage(error?.message ?? reason)]);

/** The number of characters of a key, which is a SHA-256 hash in base64url. */
export const ERROR_KEY_LENGTH = 12;
