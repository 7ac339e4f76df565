// `punctual erase`: erases everything of an owner.
import { defineCommand, EXIT, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { waitForOperationAndReport } from '../wait.ts';

export const erase = defineCommand({
  name: 'erase',
  summary: 'erase everything of an owner, for ever (operators, or users themselves)',
  usage: '<owner> [--yes]',
  options: {
    yes: { type: 'boolean', short: 'y', about: 'do not ask for confirmation' },
    'no-wait': { type: 'boolean', about: 'return as soon as the server has accepted the operation' },
    'wait-timeout': { type: 'string', value: '<duration>', about: 'maximum time to wait' },
  },
  takes: [1, 1],
  server: 'operator',
  notes: [
    'The owner is the user id of the tokens (claim sub).',
    'All jobs are cancelled, running tasks are asked to stop, and then executions, jobs, names and counters are removed. Limits are removed if an operator asks. The command asks before. Without a terminal it needs --yes.',
    'Ctrl-C ends the wait, not the operation. To stop it, use punctual operations stop.',
  ],
  examples: [['punctual erase alice', 'erase everything of the user alice']],
  async run(cli, [owner = ''], { yes, ...values }) {
    if (values['no-wait'] && values['wait-timeout'] !== undefined)
      throw new UsageError('--wait-timeout has no effect with --no-wait: give one of them');
    if (!yes && !(await confirm(cli, `Erase all jobs and executions of ${owner} for ever?`))) {
      cli.err('nothing was changed');
      return EXIT.failure;
    }
    const client = await cli.client();
    const accepted = await client.owners.erase(owner, { signal: cli.signal });
    const summary = `${owner} is being erased: ${accepted.operation}`;
    if (values['no-wait']) {
      cli.out(cli.json ? JSON.stringify(accepted) : summary);
      return undefined;
    }
    cli.err(summary);
    return waitForOperationAndReport(cli, accepted.operation, values['wait-timeout']);
  },
});
