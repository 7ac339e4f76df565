// `punctual pause`: pauses jobs.
import { defineCommand } from '../command.ts';
import { changeEachJob, NOTE_FLAG, UNLIMITED } from '../each-argument.ts';
import { futureOf, iso } from '../times.ts';

export const pause = defineCommand({
  name: 'pause',
  summary: 'pause jobs: no occurrence starts until they are resumed',
  usage: '<job>… [--until <time>] [--note <text>]',
  options: {
    until: {
      type: 'string',
      value: '<time>',
      about: 'resume automatically at this time: ISO 8601, or a duration from now such as 2h',
    },
    ...NOTE_FLAG,
  },
  takes: [1, UNLIMITED],
  server: 'user',
  notes: ['Running executions continue.'],
  examples: [
    ['punctual pause hello', 'pause by job name'],
    ['punctual pause hello --until 2026-12-01T06:00:00Z', 'pause until a time'],
    ['punctual pause job_5eNmGz0vbrGJ2hYkQ1Xw', 'pause by job id'],
    [`punctual pause hello --note 'the receiver is being moved'`, 'record a note for punctual changes'],
  ],
  run: (cli, args, { note, until: untilText }) => {
    const until = untilText === undefined ? undefined : iso(futureOf(untilText, cli.now(), '--until'));
    return changeEachJob(cli, args, (client, id) =>
      client.jobs.pause(id, { note, until, signal: cli.signal }),
    );
  },
});
