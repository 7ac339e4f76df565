// Errors of schedules. A message names the value that was given and the values that are allowed.
import { InvalidInput } from '../errors.ts';

export function refuse(path: string, message: string): never {
  throw new InvalidInput([{ path, message }]);
}

/** A value for an error message: quoted, and truncated to 60 characters. */
export const quote = (given: string): string =>
  JSON.stringify(given.length > 60 ? `${given.slice(0, 60)}…` : given);
