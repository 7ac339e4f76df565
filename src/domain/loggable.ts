// Values in log lines as JSON.
import { withEscapedControls } from './terminal-text.ts';

/** Causes of causes that are written. It bounds a chain of errors that contains itself. */
const MAX_CAUSES = 10;

/** The properties of an error, including those that JSON leaves out. */
export function errorFields(error: Error, depth = 0): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  if (!(cause instanceof Error)) return { ...error, name, message, stack, cause };
  const nested = depth < MAX_CAUSES ? errorFields(cause, depth + 1) : String(cause);
  return { ...error, name, message, stack, cause: nested };
}

/**
 * JSON with the fields of errors, with large integers as text, and without characters that control a terminal. Throws if JSON cannot
 * represent the value.
 */
export const loggableJson = (value: unknown): string =>
  withEscapedControls(
    JSON.stringify(value, (_key, inner: unknown) => {
      if (inner instanceof Error) return errorFields(inner);
      return typeof inner === 'bigint' ? String(inner) : inner;
    }) ?? '',
  );
