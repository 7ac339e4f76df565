// `punctual backfill`: runs past occurrences that have no execution.
import { defineCommand, UsageError } from '../command.ts';
import { findJobId } from '../find-job.ts';
import { instantOf, iso } from '../times.ts';
import { waitForOperationAndReport } from '../wait.ts';

export const backfill = defineCommand({
  name: 'backfill',
  summary: 'run the past occurrences of a job that have no execution',
  usage: '<job> --from <time> [--to <time>] [--no-wait]',
  options: {
    from: {
      type: 'string',
      value: '<time>',
      about: 'first due time: 2026-12-01T10:00:00Z, 2026-12-01, or 24h (ago)',
    },
    to: { type: 'string', value: '<time>', about: 'due before this time (default now)' },
    'no-wait': { type: 'boolean', about: 'return as soon as the server has accepted the backfill' },
    'wait-timeout': { type: 'string', value: '<duration>', about: 'maximum time to wait' },
  },
  takes: [1, 1],
  server: 'user',
  notes: [
    'punctual audit lists the missing occurrences.',
    'The server adds the executions in the background. Without --no-wait, the command waits until all executions are added.\nThe exit code is 1 if one could not be added. Ctrl-C ends the wait, not the backfill. To stop the backfill, use punctual operations stop.',
  ],
  examples: [
    ['punctual backfill hello --from 2h', 'run the missing occurrences of the last 2 hours'],
    ['punctual backfill hello --from 2026-12-01 --no-wait', 'print the operation id and return'],
  ],
  async run(cli, [idOrName = ''], { from, to = 'now', ...waiting }) {
    if (waiting['no-wait'] && waiting['wait-timeout'] !== undefined)
      throw new UsageError('--wait-timeout has no effect with --no-wait: give one of them');
    if (from === undefined) throw new UsageError('--from is missing: give the start of the time range');
    const now = cli.now();
    const [begin, end] = [instantOf(from, now, '--from'), instantOf(to, now, '--to')];
    if (begin >= end) throw new UsageError('--from must be before --to');
    const range = { from: iso(begin), to: iso(end) };
    const client = await cli.client();
    const id = await findJobId(client, idOrName, cli.signal);
    const accepted = await client.jobs.backfill(id, range, { signal: cli.signal });
    const summary = `${accepted.planned} occurrences will run: ${accepted.operation}`;
    if (waiting['no-wait']) {
      cli.out(cli.json ? JSON.stringify(accepted) : summary);
      return undefined;
    }
    cli.err(summary);
    return waitForOperationAndReport(cli, accepted.operation, waiting['wait-timeout']);
  },
});
