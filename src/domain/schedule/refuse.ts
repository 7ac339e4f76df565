// Refusing a schedule: one sentence that says where, what was given and what is allowed.
import { InvalidInput } from '../errors.ts';

export function refuse(path: string, message: string): never {
  throw new InvalidInput([{ path, message }]);
}

/** A given value as an error message shows it: quoted, and cut when it is long. */
export const quote = (given: string): string =>
  JSON.stringify(given.length > 60 ? `${given.slice(0, 60)}…` : given);
