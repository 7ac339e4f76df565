// `punctual restore`: creates the database of a local server from a backup.
import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { DATA_FLAG, dataFolder } from '../data-folder.ts';
import { jobCountText } from '../resource-tables.ts';

export const restore = defineCommand({
  name: 'restore',
  summary: 'restore a backup into a data folder that has no database',
  usage: '<file> [--data <folder>]',
  options: DATA_FLAG,
  takes: [1, 1],
  notes: [
    'The command fails if a server uses the data folder, or if the folder has a database. Move that database away first.',
    "The server continues from the time of the backup. Each job's misfire policy decides which occurrences since then run.",
  ],
  examples: [
    ['punctual restore /backups/punctual-2026-11-17.db', 'restore into .punctual'],
    [
      'punctual restore yesterday.db --data /tmp/look && punctual start --data /tmp/look --port 0',
      'start a second server on a backup',
    ],
  ],
  async run(cli, [file = ''], { data }) {
    const folder = dataFolder(cli, data);
    const { restore } = await import('../../local/backup-database.ts');
    const done = await restore(folder, resolve(file));
    if (cli.json) cli.out(JSON.stringify(done));
    else cli.out(`restored ${jobCountText(done.jobs)}: ${done.file}`);
    if (done.missing.length > 0)
      cli.err(
        `note: ${folder} has no ${done.missing.join(', ')}. Copy them from where you keep them. The server replaces missing keys with new ones, which invalidates existing tokens and signatures.`,
      );
    return undefined;
  },
});
