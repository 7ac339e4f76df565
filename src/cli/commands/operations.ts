// `punctual operations`: progress and stop of background operations. `backfill` waits for one.
import { type Operation, PunctualTimeoutError } from '../../client/client.ts';
import { type Cli, defineCommand, EXIT, UsageError } from '../command.ts';
import { fields } from '../table.ts';
import { bothTimes, millisecondsOf } from '../times.ts';

const VERBS = ['get', 'stop'];

export const operations = defineCommand({
  name: 'operations',
  summary: 'show the progress of a background operation, or stop it',
  usage: 'get|stop <operation>',
  options: {},
  takes: [2, 2],
  server: 'user',
  notes: [
    'A backfill is a background operation. Its answer names the id.',
    'After a stop, nothing more is added. The executions that were added before it still run.',
  ],
  examples: [
    ['punctual operations get op_5eNmGz0vbrGJ2hYkQ1Xw', 'status, and how many of how many are done'],
    ['punctual operations stop op_5eNmGz0vbrGJ2hYkQ1Xw', 'add nothing more'],
  ],
  async run(cli, [verb = '', id = '']) {
    if (!VERBS.includes(verb))
      throw new UsageError(
        `operations takes get or stop before the id of the operation, got ${JSON.stringify(verb)}`,
      );
    const client = await cli.client();
    if (verb === 'stop') await client.operations.stop(id, { signal: cli.signal });
    print(cli, await client.operations.get(id, { signal: cli.signal }));
    return undefined;
  },
});

/** Prints each progress on stderr and the end on stdout. Exit code 1 unless every occurrence was added. */
export async function waitForOperationAndReport(
  cli: Cli,
  id: string,
  limit: string | undefined,
): Promise<number> {
  const client = await cli.client();
  try {
    const ended = await client.operations.waitFor(id, {
      signal: cli.signal,
      ...(limit !== undefined && { timeoutMs: millisecondsOf(limit, '--wait-timeout') }),
      onChange: ({ status, done, total }) => cli.err(`${id} is ${status}: ${done} of ${total}`),
    });
    print(cli, ended);
    return ended.status === 'done' && ended.refused.length === 0 ? EXIT.ok : EXIT.failure;
  } catch (error) {
    if (!(error instanceof PunctualTimeoutError)) throw error;
    cli.err(`punctual: ${error.message}`);
    if (cli.json && error.operation) cli.out(JSON.stringify(error.operation));
    return EXIT.failure;
  }
}

function print(cli: Cli, operation: Operation): void {
  if (cli.json) cli.out(JSON.stringify(operation));
  else for (const line of operationLines(operation, cli)) cli.out(line);
}

const operationLines = (operation: Operation, cli: Cli): string[] =>
  fields(
    [
      ['id', operation.id],
      ['kind', operation.kind],
      ['job', operation.jobId],
      ['status', operation.status],
      ['reason', operation.reason],
      ['done', `${operation.done} of ${operation.total}`],
      ...operation.refused.map(({ id, reason }) => ['refused', `${id}: ${reason}`] as const),
      ['created', bothTimes(operation.createdAt, cli)],
      ['updated', bothTimes(operation.updatedAt, cli)],
    ],
    cli.width,
  );
