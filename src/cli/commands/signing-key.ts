// `punctual signing-key`: prints the keys that sign the requests of a user's jobs on the local server.
import { defineCommand } from '../command.ts';
import { DATA_FLAG, dataFolder, requireUser } from '../data-folder.ts';

export const signingKey = defineCommand({
  name: 'signing-key',
  summary: "print the keys that sign the HTTP requests of a user's jobs on the local server",
  usage: '<user>',
  options: DATA_FLAG,
  takes: [1, 1],
  notes: ['The keys are JSON, for verifySignature. On AWS they are derived from a secret of the deployment.'],
  examples: [
    ['KEYS=$(punctual signing-key me) node receiver.ts', 'start a receiver that verifies signatures'],
  ],
  async run(cli, [user = ''], { data }) {
    requireUser(user);
    const { localSigningKeys } = await import('../../local/local-signing-keys.ts');
    const keys = await localSigningKeys(dataFolder(cli, data), user);
    cli.out(JSON.stringify(keys, undefined, cli.json ? undefined : 2));
    return undefined;
  },
});
