// `punctual backup` and `punctual restore`: the database of a local server as one file.
import { resolve } from 'node:path';
import { type Cli, defineCommand, type Options } from '../command.ts';

const DATA = {
  data: { type: 'string', value: '<folder>', about: "the server's (PUNCTUAL_DATA; default .punctual)" },
} as const satisfies Options;

const folderOf = (cli: Cli, data: string | undefined): string =>
  resolve(data ?? (cli.env.PUNCTUAL_DATA || '.punctual'));

export const backup = defineCommand({
  name: 'backup',
  summary: 'copy the database of a local server into a file, while it runs',
  usage: '<file> [--data <folder>]',
  options: DATA,
  takes: [1, 1],
  notes: [
    'The copy has every job, execution and message that was answered before the command began. It is one SQLite file.',
    'Keys and secrets are not in it: keep copies of token-key.json, signing-keys.json and secrets.json apart.',
    'An existing file is not overwritten.',
  ],
  examples: [['punctual backup /backups/punctual-$(date +%F).db', 'one file per day']],
  async run(cli, [file = ''], { data }) {
    const folder = folderOf(cli, data);
    const { backUp } = await import('../../local/backup.ts');
    const done = await backUp(folder, resolve(file));
    if (cli.json) cli.out(JSON.stringify(done));
    else cli.out(`backed up ${jobsText(done.jobs)}: ${done.file} (${sizeText(done.bytes)})`);
    if (done.leftOut.length > 0)
      cli.err(`note: not in the backup: ${done.leftOut.join(', ')} of ${folder}. Keep copies of them apart.`);
    return undefined;
  },
});

export const restore = defineCommand({
  name: 'restore',
  summary: 'make a backup the database of a data folder that has none',
  usage: '<file> [--data <folder>]',
  options: DATA,
  takes: [1, 1],
  notes: [
    'Refused while a server runs on the folder, and while the folder has a database: move that one away first.',
    'The server goes on from the time of the backup. Executions since then are decided again: misfire says which ones run.',
  ],
  examples: [
    ['punctual restore /backups/punctual-2026-11-17.db', 'into .punctual'],
    [
      'punctual restore yesterday.db --data /tmp/look && punctual start --data /tmp/look --port 0',
      'beside it',
    ],
  ],
  async run(cli, [file = ''], { data }) {
    const folder = folderOf(cli, data);
    const { restore } = await import('../../local/backup.ts');
    const done = await restore(folder, resolve(file));
    if (cli.json) cli.out(JSON.stringify(done));
    else cli.out(`restored ${jobsText(done.jobs)}: ${done.file}`);
    if (done.missing.length > 0)
      cli.err(
        `note: ${folder} has no ${done.missing.join(', ')}. Copy them from where they were kept. Keys that are missing at the start are made anew, and tokens and signatures of the old ones are not valid then.`,
      );
    return undefined;
  },
});

const jobsText = (jobs: number): string => `${jobs.toLocaleString('en')} ${jobs === 1 ? 'job' : 'jobs'}`;
const sizeText = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
