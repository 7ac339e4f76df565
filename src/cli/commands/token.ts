// `punctual token`: a token for the local server.
import { resolve } from 'node:path';
import { defineCommand, UsageError } from '../command.ts';

export const token = defineCommand({
  name: 'token',
  summary: 'print a token for a user of the local server',
  usage: '<user> [--operator]',
  options: {
    operator: {
      type: 'boolean',
      about: "one who sees everybody's jobs and the workers (PUNCTUAL_OPERATORS_GROUP)",
    },
    data: { type: 'string', value: '<folder>', about: "the server's (PUNCTUAL_DATA; default .punctual)" },
  },
  takes: [1, 1],
  examples: [
    ['punctual token alice', 'valid for 30 days'],
    ['PUNCTUAL_TOKEN=$(punctual token ops --operator) punctual workers', 'as an operator'],
  ],
  async run(cli, [user = ''], { operator = false, data }) {
    if (user === '' || user.length > 256) {
      throw new UsageError(`a user id has 1 to 256 characters, got ${user.length}`);
    }
    const { localToken } = await import('../../local/tokens.ts');
    const folder = resolve(data ?? (cli.env.PUNCTUAL_DATA || '.punctual'));
    const signed = await localToken(folder, user, operator, cli.env);
    cli.out(cli.json ? JSON.stringify({ token: signed }) : signed);
    return undefined;
  },
});
