// `--data`: the data folder of a local server.
import { resolve } from 'node:path';
import type { CliEnvironment, Options } from './command.ts';

export const DATA_FLAG = {
  data: {
    type: 'string',
    value: '<folder>',
    about: 'data folder of the server (PUNCTUAL_DATA; default .punctual)',
  },
} as const satisfies Options;

export const dataFolder = ({ env }: Pick<CliEnvironment, 'env'>, data?: string): string =>
  resolve(data ?? (env.PUNCTUAL_DATA || '.punctual'));
