// `punctual retry`: runs executions again.
import { defineCommand, UsageError } from '../command.ts';
import { executionOutcome, forEachArgument, UNLIMITED } from '../each-argument.ts';
import { WAIT_FLAGS, waitForExecutionAndReport } from '../wait.ts';

export const retry = defineCommand({
  name: 'retry',
  summary: 'run failed, cancelled or skipped executions again; attempts count from 1',
  usage: '<execution>… [--wait]',
  options: WAIT_FLAGS,
  takes: [1, UNLIMITED],
  server: 'user',
  examples: [
    [
      'punctual retry job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000 --wait',
      'retry an execution and wait for the result',
    ],
  ],
  async run(cli, args, values) {
    const client = await cli.client();
    if (values.wait) {
      const [id = '', ...more] = args;
      if (more.length > 0) throw new UsageError(`--wait takes one execution, got ${args.length}`);
      await client.executions.retry(id, { signal: cli.signal });
      return waitForExecutionAndReport(cli, id, values);
    }
    return forEachArgument(cli, args, async (id) =>
      executionOutcome(await client.executions.retry(id, { signal: cli.signal })),
    );
  },
});
