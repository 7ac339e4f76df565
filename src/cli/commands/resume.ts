// `punctual resume`: resumes paused jobs.
import { defineCommand } from '../command.ts';
import { changeEachJob, NOTE_FLAG, UNLIMITED } from '../each-argument.ts';

export const resume = defineCommand({
  name: 'resume',
  summary: 'resume paused jobs; occurrences missed during the pause do not run',
  usage: '<job>… [--note <text>]',
  options: NOTE_FLAG,
  takes: [1, UNLIMITED],
  server: 'user',
  examples: [['punctual resume hello', 'resume by job name']],
  run: (cli, args, { note }) =>
    changeEachJob(cli, args, (client, id) => client.jobs.resume(id, { note, signal: cli.signal })),
});
