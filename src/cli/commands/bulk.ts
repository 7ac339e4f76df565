// `punctual bulk`: pauses, resumes or cancels all jobs that match a filter.
import type { BulkChange, JobStatus } from '../../client/client.ts';
import { type Cli, defineCommand, EXIT, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { NOTE_FLAG } from '../each-argument.ts';
import { tagOf } from '../job-flags.ts';
import { OWNER_FLAG } from '../limit.ts';
import { jobCountText } from '../resource-tables.ts';
import { futureOf, iso } from '../times.ts';
import { waitForOperationAndReport } from '../wait.ts';

const ACTIONS = ['pause', 'resume', 'cancel'] as const;
type Action = (typeof ACTIONS)[number];

export const bulk = defineCommand({
  name: 'bulk',
  summary: 'pause, resume or cancel all jobs that match a filter',
  usage: 'pause|resume|cancel [filters] [--dry-run] [--yes]',
  options: {
    tag: { type: 'string', value: '<key=value>', about: 'jobs with this tag' },
    name: { type: 'string', value: '<prefix>', about: 'jobs whose name starts with this' },
    namespace: { type: 'string', value: '<namespace>', about: 'jobs of this namespace' },
    task: { type: 'string', value: '<name>', about: 'jobs with this task' },
    status: { type: 'string', value: '<status>', about: 'jobs with this status' },
    ...OWNER_FLAG,
    all: { type: 'boolean', about: 'all jobs; needed if no other filter than --status is given' },
    until: {
      type: 'string',
      value: '<time>',
      about: 'with pause: resume automatically at this time, ISO 8601 or a duration such as 2h',
    },
    ...NOTE_FLAG,
    'dry-run': { type: 'boolean', about: 'print how many jobs match, and change nothing' },
    yes: { type: 'boolean', short: 'y', about: 'do not ask for confirmation' },
    'no-wait': { type: 'boolean', about: 'return as soon as the server has accepted the operation' },
    'wait-timeout': { type: 'string', value: '<duration>', about: 'maximum time to wait' },
  },
  takes: [1, 1],
  server: 'user',
  notes: [
    'The command prints how many jobs match and asks before it changes them. Without a terminal it needs --yes.',
    'Without --status, pause selects active jobs, resume paused jobs, and cancel active and paused jobs. Jobs that are created later are not changed.',
    'The server changes the jobs in the background. The exit code is 1 if a job could not be changed.\nCtrl-C ends the wait, not the operation. To stop it, use punctual operations stop.',
  ],
  examples: [
    ['punctual bulk pause --tag team=billing --until 2h', 'pause the jobs of a team for two hours'],
    ['punctual bulk cancel --name nightly- --dry-run', 'count the jobs that would be cancelled'],
    ['punctual bulk resume --owner ann --yes', 'resume the paused jobs of another user (operators only)'],
  ],
  async run(
    cli,
    [action = ''],
    { tag, name, namespace, task, status, owner, all, until, note, yes, ...values },
  ) {
    if (!isAction(action))
      throw new UsageError(`bulk takes pause, resume or cancel, got ${JSON.stringify(action)}`);
    if (values['no-wait'] && values['wait-timeout'] !== undefined)
      throw new UsageError('--wait-timeout has no effect with --no-wait: give one of them');
    const change: BulkChange = {
      action,
      filter: {
        ...(tag !== undefined && { tag: tagOf(tag).join(':') }),
        ...(name !== undefined && { name }),
        ...(namespace !== undefined && { namespace }),
        ...(task !== undefined && { task }),
        // The server validates the status.
        ...(status !== undefined && { status: status as JobStatus }),
        ...(owner !== undefined && { owner }),
      },
      ...(all && { all }),
      ...(note !== undefined && { note }),
      ...(until !== undefined && { until: iso(futureOf(until, cli.now(), '--until')) }),
    };
    const client = await cli.client();
    const { signal } = cli;
    const found = await client.jobs.bulkDryRun(change, { signal });
    const count = `${found.counting ? 'at least ' : ''}${jobCountText(found.matched)}`;
    if (values['dry-run'] || (found.matched === 0 && !found.counting)) {
      cli.out(cli.json ? JSON.stringify(found) : `${count} would change`);
      return undefined;
    }
    if (!yes && !(await confirm(cli, questionOf(action, count)))) {
      cli.err('nothing was changed');
      return EXIT.failure;
    }
    const accepted = await client.jobs.bulk(change, { signal });
    return report(cli, accepted, values);
  },
});

const isAction = (text: string): text is Action => (ACTIONS as readonly string[]).includes(text);

const questionOf = (action: Action, count: string): string =>
  action === 'cancel'
    ? `Cancel ${count} permanently?`
    : `${action === 'pause' ? 'Pause' : 'Resume'} ${count}?`;

async function report(
  cli: Cli,
  accepted: { readonly operation: string; readonly matched: number },
  values: { readonly 'no-wait'?: boolean; readonly 'wait-timeout'?: string },
): Promise<number | undefined> {
  const summary = `${jobCountText(accepted.matched)} will be changed: ${accepted.operation}`;
  if (values['no-wait']) {
    cli.out(cli.json ? JSON.stringify(accepted) : summary);
    return undefined;
  }
  cli.err(summary);
  return waitForOperationAndReport(cli, accepted.operation, values['wait-timeout']);
}
