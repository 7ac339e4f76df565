// The key that groups failures. Executions that failed for the same reason have the same key, whatever ids and numbers their
// messages contain. Rows store the key, so its computation must not change: old and new failures would be in different groups.
import { hash } from 'node:crypto';
import { ERROR_KEY_LENGTH, errorKeyText } from './error-key-text.ts';
import type { Row } from './row.ts';

export const errorKeyOf = (failure: Pick<Row, 'error' | 'reason'>): string =>
  hash('sha256', errorKeyText(failure), 'base64url').slice(0, ERROR_KEY_LENGTH);
