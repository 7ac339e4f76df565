// The error of an attempt as its row keeps it. A task may throw anything, and the attempt must end nevertheless.
import type { RunError } from './row.ts';

/** A row with a larger name could not be written to DynamoDB. */
const MAX_NAME = 100;
const MAX_MESSAGE = 1_000;
/** The characters of a message that an attempt in the list of attempts has. */
const MAX_OF_ATTEMPT = 200;

export function runErrorOf(thrown: unknown): RunError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: cut(textOf(thrown), MAX_MESSAGE) };
  const { name, message } = thrown as { readonly name?: unknown; readonly message?: unknown };
  return { name: cut(textOf(name ?? 'Error'), MAX_NAME), message: cut(textOf(message ?? ''), MAX_MESSAGE) };
}

/** The error as the list of attempts shows it. The row has the whole message of the last one. */
export const shortError = ({ name, message }: RunError): RunError => ({
  name,
  message: cut(message, MAX_OF_ATTEMPT),
});

/** Never throws. Objects without a prototype have no text of their own. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** At most this many characters, without half of a surrogate pair. */
const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed();
