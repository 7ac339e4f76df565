// Waits for an execution or a background operation: progress on stderr, the result on stdout, and an exit code.
import { type Execution, hasEnded, type Operation, PunctualTimeoutError } from '../client/client.ts';
import { type Cli, EXIT, type Options, type Values } from './command.ts';
import { whatHappened } from './resource-tables.ts';
import { fields } from './table.ts';
import { bothTimes, lengthText, millisecondsOf } from './times.ts';

export const WAIT_FLAGS = {
  wait: { type: 'boolean', about: 'wait for the result; exit code 1 unless the run succeeded' },
  'wait-timeout': { type: 'string', value: '<duration>', about: 'maximum time to wait, with --wait' },
} as const satisfies Options;

/** Exit code 1 unless the execution succeeded within the timeout. */
export async function waitForExecutionAndReport(
  cli: Cli,
  executionId: string,
  values: Values<typeof WAIT_FLAGS>,
): Promise<number> {
  const client = await cli.client();
  try {
    const ended = await client.waitFor(executionId, {
      signal: cli.signal,
      ...timeoutOf(values['wait-timeout']),
      onChange: (execution) => {
        if (!hasEnded(execution)) cli.err(`${execution.id} is ${execution.status}${dueText(execution, cli)}`);
      },
    });
    cli.out(cli.json ? JSON.stringify(ended) : endText(ended));
    return ended.status === 'succeeded' ? EXIT.ok : EXIT.failure;
  } catch (error) {
    return reportTimeout(cli, error);
  }
}

/** Exit code 1 unless every execution was added, or every job changed, within the timeout. */
export async function waitForOperationAndReport(
  cli: Cli,
  id: string,
  timeout: string | undefined,
): Promise<number> {
  const client = await cli.client();
  try {
    const ended = await client.operations.waitFor(id, {
      signal: cli.signal,
      ...timeoutOf(timeout),
      onChange: (operation) => cli.err(`${id} is ${operation.status}: ${progressText(operation)}`),
    });
    printOperation(cli, ended);
    return ended.status === 'done' && ended.refusedCount === 0 ? EXIT.ok : EXIT.failure;
  } catch (error) {
    return reportTimeout(cli, error);
  }
}

export function printOperation(cli: Cli, operation: Operation): void {
  if (cli.json) cli.out(JSON.stringify(operation));
  else for (const line of operationLines(operation, cli)) cli.out(line);
}

const timeoutOf = (timeout: string | undefined) =>
  timeout === undefined ? {} : { timeoutMs: millisecondsOf(timeout, '--wait-timeout') };

/** Rethrows every error but a timeout. */
function reportTimeout(cli: Cli, error: unknown): number {
  if (!(error instanceof PunctualTimeoutError)) throw error;
  cli.err(`punctual: ${error.message}`);
  const last = error.execution ?? error.operation;
  if (cli.json && last) cli.out(JSON.stringify(last));
  return EXIT.failure;
}

const dueText = (execution: Execution, cli: Cli): string =>
  execution.status === 'scheduled' ? `: due ${bothTimes(execution.dueAt, cli)}` : '';

function endText(execution: Execution): string {
  const late = execution.latenessMs === undefined ? '' : `, ${lengthText(execution.latenessMs)} late`;
  const took = execution.durationMs === undefined ? '' : `, took ${lengthText(execution.durationMs)}`;
  const result = whatHappened(execution);
  return `${execution.id} ${execution.status}${late}${took}${result ? `: ${result}` : ''}`;
}

const progressText = ({ done, total, counting }: Operation): string =>
  `${done} of ${total}${counting ? ' and more, still counting' : ''}`;

const operationLines = (operation: Operation, cli: Cli): string[] =>
  fields(
    [
      ['id', operation.id],
      ['kind', operation.kind],
      ['job', operation.jobId],
      ['action', operation.action],
      ['filter', operation.filter && JSON.stringify(operation.filter)],
      ['owner', operation.owner],
      ['status', operation.status],
      ['reason', operation.reason],
      ['done', progressText(operation)],
      ...operation.refused.map(({ id, reason }) => ['refused', `${id}: ${reason}`] as const),
      [
        'refused',
        operation.refusedCount > operation.refused.length
          ? `and ${operation.refusedCount - operation.refused.length} more`
          : undefined,
      ],
      ['created', bothTimes(operation.createdAt, cli)],
      ['updated', bothTimes(operation.updatedAt, cli)],
    ],
    cli.width,
  );
