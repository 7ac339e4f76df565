// `--wait`: says on what, then how it ended; a run that did not succeed is a failure of the command.
import { type Execution, hasEnded, PunctualTimeoutError } from '../client/client.ts';
import { type Cli, EXIT, type Options, type Values } from './command.ts';
import { whatHappened } from './tables.ts';
import { bothTimes, lengthText, millisecondsOf } from './times.ts';

export const WAIT_FLAGS = {
  wait: { type: 'boolean', about: 'until it has ended; exit code 1 unless it succeeded' },
  'wait-timeout': { type: 'string', value: '<duration>', about: 'with --wait: not longer than this' },
} as const satisfies Options;

export async function waitAndReport(
  cli: Cli,
  executionId: string,
  values: Values<typeof WAIT_FLAGS>,
): Promise<number> {
  const client = await cli.client();
  const limit = values['wait-timeout'];
  try {
    const ended = await client.waitFor(executionId, {
      signal: cli.signal,
      ...(limit !== undefined && { timeoutMs: millisecondsOf(limit, '--wait-timeout') }),
      onChange: (execution) => {
        if (!hasEnded(execution)) cli.err(`${execution.id} is ${execution.status}${when(execution, cli)}`);
      },
    });
    cli.out(cli.json ? JSON.stringify(ended) : endText(ended));
    return ended.status === 'succeeded' ? EXIT.ok : EXIT.failure;
  } catch (error) {
    if (!(error instanceof PunctualTimeoutError)) throw error;
    cli.err(`punctual: ${error.message}`);
    if (cli.json && error.execution) cli.out(JSON.stringify(error.execution));
    return EXIT.failure;
  }
}

const when = (execution: Execution, cli: Cli): string =>
  execution.status === 'scheduled' ? `: due ${bothTimes(execution.dueAt, cli)}` : '';

function endText(execution: Execution): string {
  const late = execution.latenessMs === undefined ? '' : `, ${lengthText(execution.latenessMs)} late`;
  const took = execution.durationMs === undefined ? '' : `, took ${lengthText(execution.durationMs)}`;
  const what = whatHappened(execution);
  return `${execution.id} ${execution.status}${late}${took}${what ? `: ${what}` : ''}`;
}
