// Commands that take several jobs or executions: `punctual pause a b c`.
import type { Execution, Job, PunctualClient } from '../client/client.ts';
import { type Cli, EXIT, type Options } from './command.ts';
import { findJobId } from './find-job.ts';
import { nextRunText } from './resource-tables.ts';

/** `takes` of a command without a maximum number of arguments. */
export const UNLIMITED = Number.POSITIVE_INFINITY;

export const NOTE_FLAG = {
  note: { type: 'string', value: '<text>', about: 'the reason, kept in the record of the change' },
} as const satisfies Options;

/** The outcome for one argument: `value` is printed with --json, `line` without. */
export interface Outcome {
  readonly value: unknown;
  readonly line: string;
}

export const executionOutcome = (execution: Execution): Outcome => ({
  value: execution,
  line: `${execution.id} is ${execution.status}`,
});

/** Changes each job that an argument names, and prints its new status and next run. */
export async function changeEachJob(
  cli: Cli,
  args: readonly string[],
  change: (client: PunctualClient, id: string) => Promise<Job>,
): Promise<number | undefined> {
  const client = await cli.client();
  return forEachArgument(cli, args, async (idOrName) => {
    const job = await change(client, await findJobId(client, idOrName, cli.signal));
    return { value: job, line: `${job.id} is ${job.status}${nextRunText(job, cli)}` };
  });
}

/**
 * Handles every argument, also after one has failed; the exit code is then 1. With --json, one argument prints an object,
 * several print a list of the successful ones.
 */
export async function forEachArgument(
  cli: Cli,
  args: readonly string[],
  act: (argument: string) => Promise<Outcome>,
): Promise<number | undefined> {
  const [only, ...more] = args;
  if (only !== undefined && more.length === 0) {
    const { value, line } = await act(only);
    cli.out(cli.json ? JSON.stringify(value) : line);
    return undefined;
  }
  const succeeded: unknown[] = [];
  let failed = false;
  for (const argument of args) {
    try {
      const { value, line } = await act(argument);
      succeeded.push(value);
      if (!cli.json) cli.out(line);
    } catch (error) {
      cli.signal.throwIfAborted();
      failed = true;
      cli.err(`punctual: ${argument}: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (cli.json) cli.out(JSON.stringify(succeeded));
  return failed ? EXIT.failure : undefined;
}
