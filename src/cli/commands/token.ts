// `punctual token`: makes a token for the local server.
import { defineCommand, UsageError } from '../command.ts';
import { DATA_FLAG, dataFolder } from '../data-folder.ts';

const MAX_USER_LENGTH = 256;

export const token = defineCommand({
  name: 'token',
  summary: 'print a token for a user of the local server',
  usage: '<user> [--operator]',
  options: {
    operator: {
      type: 'boolean',
      about: 'make the user an operator, who sees all jobs and the workers (PUNCTUAL_OPERATORS_GROUP)',
    },
    ...DATA_FLAG,
  },
  takes: [1, 1],
  notes: ['A token is valid for 30 days.'],
  examples: [
    ['punctual token alice', 'print a token for the user alice'],
    ['PUNCTUAL_TOKEN=$(punctual token ops --operator) punctual workers', 'run a command as an operator'],
  ],
  async run(cli, [user = ''], { operator = false, data }) {
    if (user === '' || user.length > MAX_USER_LENGTH) {
      throw new UsageError(`a user id must have 1 to ${MAX_USER_LENGTH} characters, got ${user.length}`);
    }
    const { localToken } = await import('../../local/tokens.ts');
    const signed = await localToken(dataFolder(cli, data), user, operator, cli.env);
    cli.out(cli.json ? JSON.stringify({ token: signed }) : signed);
    return undefined;
  },
});
