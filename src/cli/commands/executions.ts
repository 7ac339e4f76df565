// `punctual executions`: lists the executions of all jobs.
import type { ExecutionStatus } from '../../client/client.ts';
import { defineCommand } from '../command.ts';
import { LIMIT_FLAGS, limitOf, OWNER_FLAG, pageSizeFor, printList, takeUpTo } from '../limit.ts';
import { executionTable } from '../resource-tables.ts';
import { RANGE_FLAGS, rangeOf } from '../times.ts';

export const executions = defineCommand({
  name: 'executions',
  summary: 'list the executions of all jobs, newest first',
  usage: '[filters]',
  options: {
    status: {
      type: 'string',
      value: '<status>',
      about: 'filter by status: succeeded, failed, running, skipped, scheduled …',
    },
    worker: { type: 'string', value: '<id>', about: 'only executions that this worker runs now' },
    ...RANGE_FLAGS,
    ...OWNER_FLAG,
    ...LIMIT_FLAGS,
  },
  takes: [0, 0],
  server: 'user',
  notes: [
    'An execution in its first attempt is listed when the attempt ends; --status running finds it before.\npunctual logs lists the executions of one job.',
  ],
  examples: [
    ['punctual executions', 'list the last 20 executions'],
    ['punctual executions --status failed --from 24h', 'list the failures of the last 24 hours'],
    ['punctual executions --status running', 'list what runs now'],
    ['punctual executions --status scheduled', 'list the next execution of each job'],
  ],
  async run(cli, _args, { status, worker, from, to, owner, ...limits }) {
    const limit = limitOf(limits);
    const client = await cli.client();
    const query = {
      // The server validates the status.
      ...(status !== undefined && { status: status as ExecutionStatus }),
      ...(worker !== undefined && { workerId: worker }),
      ...(owner !== undefined && { owner }),
      ...rangeOf({ from, to }, cli.now()),
      limit: pageSizeFor(limit),
    };
    const found = await takeUpTo(client.executions.list(query, { signal: cli.signal }), limit);
    printList(cli, found, limit, { empty: 'no executions', lines: (items) => executionTable(items, cli) });
    return undefined;
  },
});
