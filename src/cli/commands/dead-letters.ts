// `punctual dead-letters`: lists or redrives failed executions.
import { defineCommand, UsageError } from '../command.ts';
import { UNLIMITED } from '../each-argument.ts';
import { findJobId } from '../find-job.ts';
import { LIMIT_FLAGS, limitOf, OWNER_FLAG, pageSizeFor, printList, takeUpTo } from '../limit.ts';
import { executionTable } from '../resource-tables.ts';
import { RANGE_FLAGS, rangeOf } from '../times.ts';

export const deadLetters = defineCommand({
  name: 'dead-letters',
  summary: 'list executions whose last attempt failed, or redrive them (run them again)',
  usage: '[redrive <execution>… | redrive --job <job>] [--from <time>] [--to <time>]',
  options: {
    job: { type: 'string', value: '<job>', about: 'filter by job id or name' },
    ...RANGE_FLAGS,
    ...OWNER_FLAG,
    ...LIMIT_FLAGS,
  },
  takes: [0, UNLIMITED],
  server: 'user',
  examples: [
    ['punctual dead-letters', 'list the 20 newest dead letters'],
    ['punctual dead-letters redrive job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000', 'redrive one execution'],
    [
      'punctual dead-letters redrive --job hello --from 24h',
      'redrive the dead letters of a job, last 24 hours',
    ],
  ],
  async run(cli, [verb, ...ids], { job, from, to, owner, ...limits }) {
    if (verb !== undefined && verb !== 'redrive') {
      throw new UsageError(
        `dead-letters takes redrive or no argument, got ${JSON.stringify(verb)}: punctual dead-letters redrive …`,
      );
    }
    const client = await cli.client();
    const { signal } = cli;
    const range = rangeOf({ from, to }, cli.now());
    const jobId = job === undefined ? undefined : await findJobId(client, job, signal);
    if (verb === undefined) {
      const limit = limitOf(limits);
      const query = {
        ...range,
        ...(jobId !== undefined && { jobId }),
        ...(owner !== undefined && { owner }),
        limit: pageSizeFor(limit),
      };
      const failed = await takeUpTo(client.deadLetters.list(query, { signal }), limit);
      printList(cli, failed, limit, {
        empty: 'no dead letters',
        lines: (items) => executionTable(items, cli),
      });
      return undefined;
    }
    if ((ids.length === 0) === (jobId === undefined)) {
      throw new UsageError('redrive takes either execution ids or --job <job>');
    }
    if (owner !== undefined) throw new UsageError('--owner filters the list; redrive takes ids or --job');
    if (ids.length > 0 && (from !== undefined || to !== undefined)) {
      throw new UsageError('--from and --to need --job; they have no effect on execution ids');
    }
    const result = await client.deadLetters.redrive(jobId === undefined ? { ids } : { jobId, ...range }, {
      signal,
    });
    cli.out(cli.json ? JSON.stringify(result) : `executions redriven: ${result.redriven}`);
    return undefined;
  },
});
