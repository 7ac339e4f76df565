// `punctual dead-letters`: lists failed executions one by one or in groups, redrives them, or dismisses them.
import type { PunctualClient } from '../../client/client.ts';
import { type Cli, defineCommand, UsageError } from '../command.ts';
import { UNLIMITED } from '../each-argument.ts';
import { findJobId } from '../find-job.ts';
import { LIMIT_FLAGS, limitOf, OWNER_FLAG, pageSizeFor, printList, takeUpTo } from '../limit.ts';
import { executionTable } from '../resource-tables.ts';
import { type Column, table } from '../table.ts';
import { RANGE_FLAGS, rangeOf, timeText } from '../times.ts';

const VERBS = ['redrive', 'dismiss'];

/** The API's maximum number of executions in one redrive by job or error. */
const MAX_REDRIVEN = 1000;

const GROUP_COLUMNS: readonly Column[] = [
  { title: 'COUNT', right: true },
  { title: 'JOBS', right: true, dropOrder: 1 },
  { title: 'LAST DUE' },
  { title: 'KEY' },
  { title: 'ERROR', flexible: true },
];

export const deadLetters = defineCommand({
  name: 'dead-letters',
  summary: 'list executions whose last attempt failed, redrive them (run them again) or dismiss them',
  usage:
    '[redrive <execution>… | redrive --job <job> | redrive --error <key> | dismiss <execution>…] [--by error|job]',
  options: {
    by: { type: 'string', value: 'error|job', about: 'list groups instead of single executions' },
    error: {
      type: 'string',
      value: '<key>',
      about: 'list or redrive the executions of one group of --by error',
    },
    job: { type: 'string', value: '<job>', about: 'filter by job id or name' },
    ...RANGE_FLAGS,
    ...OWNER_FLAG,
    ...LIMIT_FLAGS,
  },
  takes: [0, UNLIMITED],
  server: 'user',
  examples: [
    ['punctual dead-letters', 'list the 20 newest dead letters'],
    ['punctual dead-letters --by error', 'list the errors, the most frequent first'],
    ['punctual dead-letters redrive job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000', 'redrive one execution'],
    ['punctual dead-letters redrive --error q7RkZ1mVb0sA', 'redrive all executions with one error'],
    [
      'punctual dead-letters redrive --job hello --from 24h',
      'redrive the dead letters of a job, last 24 hours',
    ],
    ['punctual dead-letters dismiss job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000', 'take one off the list'],
  ],
  async run(cli, [verb, ...ids], { by, error, job, from, to, owner, ...limits }) {
    if (verb !== undefined && !VERBS.includes(verb)) {
      throw new UsageError(
        `dead-letters takes ${VERBS.join(', ')} or no argument, got ${JSON.stringify(verb)}: punctual dead-letters redrive …`,
      );
    }
    if (by !== undefined && by !== 'error' && by !== 'job')
      throw new UsageError(`--by must be error or job, got ${JSON.stringify(by)}`);
    if (by !== undefined && (verb !== undefined || job !== undefined))
      throw new UsageError('--by lists groups; it has no effect on redrive, dismiss and --job');
    if (error !== undefined && (verb === 'dismiss' || by !== undefined))
      throw new UsageError('--error lists or redrives one group; it has no effect on dismiss and --by');
    const client = await cli.client();
    const { signal } = cli;
    const range = rangeOf({ from, to }, cli.now());
    const owned = owner === undefined ? {} : { owner };
    if (by !== undefined) return printGroups(cli, client, { by, ...range, ...owned });
    const jobId = job === undefined ? undefined : await findJobId(client, job, signal);
    if (verb === undefined) {
      const limit = limitOf(limits);
      const query = {
        ...range,
        ...(jobId !== undefined && { jobId }),
        ...(error !== undefined && { errorKey: error }),
        ...owned,
        limit: pageSizeFor(limit),
      };
      const failed = await takeUpTo(client.deadLetters.list(query, { signal }), limit);
      printList(cli, failed, limit, {
        empty: 'no dead letters',
        lines: (items) => executionTable(items, cli),
      });
      return undefined;
    }
    if (verb === 'dismiss') {
      if (ids.length === 0 || jobId !== undefined) throw new UsageError('dismiss takes execution ids');
      const result = await client.deadLetters.dismiss(ids, { signal });
      cli.out(cli.json ? JSON.stringify(result) : `executions dismissed: ${result.dismissed}`);
      return undefined;
    }
    const selections = [ids.length > 0, jobId !== undefined, error !== undefined].filter(Boolean).length;
    if (selections !== 1)
      throw new UsageError('redrive takes either execution ids, --job <job> or --error <key>');
    if (owner !== undefined && error === undefined)
      throw new UsageError('--owner filters lists and --error; redrive by ids or --job does not take it');
    if (ids.length > 0 && (from !== undefined || to !== undefined)) {
      throw new UsageError('--from and --to need --job or --error; they have no effect on execution ids');
    }
    const selection =
      error !== undefined
        ? { errorKey: error, ...range, ...owned }
        : jobId === undefined
          ? { ids }
          : { jobId, ...range };
    const result = await client.deadLetters.redrive(selection, { signal });
    cli.out(cli.json ? JSON.stringify(result) : `executions redriven: ${result.redriven}`);
    if (result.redriven >= MAX_REDRIVEN)
      cli.err(`one request redrives ${MAX_REDRIVEN} executions: repeat the command until it redrives none`);
    return undefined;
  },
});

type GroupsQuery = NonNullable<Parameters<PunctualClient['deadLetters']['groups']>[0]>;

async function printGroups(cli: Cli, client: PunctualClient, query: GroupsQuery): Promise<undefined> {
  const groups = await client.deadLetters.groups(query, { signal: cli.signal });
  if (cli.json) return void cli.out(JSON.stringify(groups));
  if (groups.items.length === 0) cli.out('no dead letters');
  else {
    const rows = groups.items.map(({ count, jobs, lastDueAt, key, name, message }) => [
      String(count),
      String(jobs),
      timeText(lastDueAt, cli),
      key,
      name === '' ? message : `${name}: ${message}`,
    ]);
    for (const line of table(GROUP_COLUMNS, rows, cli.width)) cli.out(line);
  }
  if (groups.truncated)
    cli.err(`only ${groups.lookedAt} dead letters were counted; narrow the range with --from and --to`);
  return undefined;
}
