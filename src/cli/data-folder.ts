// The arguments that commands for a local server share: its data folder, and the id of a user.
import { resolve } from 'node:path';
import { type CliEnvironment, type Options, UsageError } from './command.ts';

export const DATA_FLAG = {
  data: {
    type: 'string',
    value: '<folder>',
    about: 'data folder of the server (PUNCTUAL_DATA; default .punctual)',
  },
} as const satisfies Options;

export const dataFolder = ({ env }: Pick<CliEnvironment, 'env'>, data?: string): string =>
  resolve(data ?? (env.PUNCTUAL_DATA || '.punctual'));

const MAX_USER_LENGTH = 256;

/** The id of a user of the local server. */
export function requireUser(user: string): void {
  if (user === '' || user.length > MAX_USER_LENGTH)
    throw new UsageError(`a user id must have 1 to ${MAX_USER_LENGTH} characters, got ${user.length}`);
}
