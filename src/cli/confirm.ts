// The question before a command that changes many things.
import { type Cli, UsageError } from './command.ts';

/** True if the person at the terminal agrees. Without a terminal, the command needs `--yes`. */
export async function confirm(cli: Cli, question: string): Promise<boolean> {
  if (!cli.ask)
    throw new UsageError(`${question} There is no terminal to ask: give --yes to confirm, or --dry-run`);
  return /^y(es)?$/i.test((await cli.ask(`${question} [y/N] `)).trim());
}
