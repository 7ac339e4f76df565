// `punctual token`: makes a token for the local server, or a link to its console.
import { defineCommand } from '../command.ts';
import { DATA_FLAG, dataFolder, requireUser } from '../data-folder.ts';

export const token = defineCommand({
  name: 'token',
  summary: 'print a token for a user of the local server, or a link to the console',
  usage: '<user> [--operator] [--link]',
  options: {
    operator: {
      type: 'boolean',
      about: 'make the user an operator, who sees all jobs and the workers (PUNCTUAL_OPERATORS_GROUP)',
    },
    link: { type: 'boolean', about: 'print a link to the console instead, which has a token' },
    ...DATA_FLAG,
  },
  takes: [1, 1],
  notes: [
    'A token is valid for 30 days. The token of a link is valid for 12 hours, and until the server stops.',
    'A link needs the running server, because its token goes to the program that listens there.',
  ],
  examples: [
    ['punctual token alice', 'print a token for the user alice'],
    ['punctual token ops --operator --link', 'print a link that opens the console as an operator'],
    ['PUNCTUAL_TOKEN=$(punctual token ops --operator) punctual workers', 'run a command as an operator'],
  ],
  async run(cli, [user = ''], { operator = false, link = false, data }) {
    requireUser(user);
    const folder = dataFolder(cli, data);
    if (link) {
      const { localConsoleLink } = await import('../../local/console-link.ts');
      const address = await localConsoleLink(folder, user, operator, cli.env);
      cli.out(cli.json ? JSON.stringify({ link: address }) : address);
      return undefined;
    }
    const { localToken } = await import('../../local/tokens.ts');
    const signed = await localToken(folder, user, operator, cli.env);
    cli.out(cli.json ? JSON.stringify({ token: signed }) : signed);
    return undefined;
  },
});
