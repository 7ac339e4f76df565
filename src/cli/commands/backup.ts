// `punctual backup`: copies the database of a local server into one file.
import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { DATA_FLAG, dataFolder } from '../data-folder.ts';
import { jobCountText } from '../resource-tables.ts';

export const backup = defineCommand({
  name: 'backup',
  summary: 'copy the database of a local server into a file; the server may run meanwhile',
  usage: '<file> [--data <folder>]',
  options: DATA_FLAG,
  takes: [1, 1],
  notes: [
    'The backup is one SQLite file with every job, execution and message that the server acknowledged before the command began.',
    'Keys and secrets are not included. Keep copies of token-key.json, signing-keys.json and secrets.json separately.',
    'The command does not overwrite an existing file.',
  ],
  examples: [['punctual backup /backups/punctual-$(date +%F).db', 'write one backup per day']],
  async run(cli, [file = ''], { data }) {
    const folder = dataFolder(cli, data);
    const { backUp } = await import('../../local/backup-database.ts');
    const done = await backUp(folder, resolve(file));
    if (cli.json) cli.out(JSON.stringify(done));
    else cli.out(`backed up ${jobCountText(done.jobs)}: ${done.file} (${sizeText(done.bytes)})`);
    if (done.leftOut.length > 0)
      cli.err(
        `note: not in the backup: ${done.leftOut.join(', ')} of ${folder}. Keep copies of these files separately.`,
      );
    return undefined;
  },
});

const sizeText = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
