// `punctual list`: lists the user's jobs.
import type { JobStatus, JobSummary } from '../../client/client.ts';
import { defineCommand } from '../command.ts';
import { tagOf } from '../job-flags.ts';
import { LIMIT_FLAGS, limitOf, OWNER_FLAG, pageSizeFor, printList, takeUpTo } from '../limit.ts';
import { jobTable, STRIP_LEGEND } from '../resource-tables.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'list jobs, newest first',
  usage: '[filters]',
  options: {
    status: {
      type: 'string',
      value: '<status>',
      about: 'filter by status: active, paused, completed, failed or cancelled',
    },
    task: { type: 'string', value: '<name>', about: 'filter by task' },
    name: { type: 'string', value: '<prefix>', about: 'filter by name prefix' },
    namespace: { type: 'string', value: '<name>', about: 'filter by namespace' },
    tag: { type: 'string', value: '<key=value>', about: 'filter by tag' },
    recent: { type: 'boolean', about: 'show the last 20 executions of each job, newest first' },
    ...OWNER_FLAG,
    ...LIMIT_FLAGS,
  },
  takes: [0, 0],
  server: 'user',
  notes: ['With --recent and --json, jobs have `recent` and neither `params` nor `notify`.'],
  examples: [
    ['punctual list', 'list the 20 newest jobs'],
    ['punctual list --status active --tag team=billing', 'list the active jobs of a team'],
    ['punctual list --recent', 'list jobs with a strip of their last executions'],
    ['punctual list --owner ann', "list another user's jobs (operators only)"],
    [`punctual list --all --json | jq -r '.[].id'`, 'print all job ids'],
  ],
  async run(cli, _args, { status, task, name, namespace, tag, owner, recent, ...limits }) {
    const limit = limitOf(limits);
    const client = await cli.client();
    const query = {
      // The server validates the status.
      ...(status !== undefined && { status: status as JobStatus }),
      ...(task !== undefined && { task }),
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(tag !== undefined && { tag: tagOf(tag).join(':') }),
      ...(owner !== undefined && { owner }),
      limit: pageSizeFor(limit),
    };
    const { signal } = cli;
    const source = recent
      ? client.jobs.summaries({ ...query, include: 'recent' }, { signal })
      : client.jobs.list(query, { signal });
    const jobs = await takeUpTo<JobSummary>(source, limit);
    printList(cli, jobs, limit, {
      empty: 'no jobs',
      lines: (items) => jobTable(items, cli),
    });
    if (recent && !cli.json && jobs.items.length > 0) cli.err(STRIP_LEGEND);
    return undefined;
  },
});
