// `punctual run`: runs a job now.
import { defineCommand } from '../command.ts';
import { findJobId } from '../find-job.ts';
import { objectOf } from '../job-flags.ts';
import { WAIT_FLAGS, waitForExecutionAndReport } from '../wait.ts';

export const run = defineCommand({
  name: 'run',
  summary: 'run a job now, even if it is paused; its schedule does not change',
  usage: '<job> [--params <json>] [--wait]',
  options: {
    params: {
      type: 'string',
      value: '<json>',
      about: "params for this run and its retries, instead of the job's own",
    },
    ...WAIT_FLAGS,
  },
  takes: [1, 1],
  server: 'user',
  examples: [
    ['punctual run hello', 'start a run by job name and print the execution id'],
    [`punctual run report --params '{"day":"2026-12-01"}'`, 'override the params for one run'],
    ['punctual run hello --wait --wait-timeout 1m', 'wait at most 1 minute for the result'],
  ],
  async run(cli, [idOrName = ''], values) {
    const client = await cli.client();
    const execution = await client.jobs.run(await findJobId(client, idOrName, cli.signal), {
      ...(values.params !== undefined && { params: objectOf(values.params, '--params') }),
      signal: cli.signal,
    });
    if (values.wait) return waitForExecutionAndReport(cli, execution.id, values);
    cli.out(cli.json ? JSON.stringify(execution) : `${execution.id} is ${execution.status}`);
    return undefined;
  },
});
