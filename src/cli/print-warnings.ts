// What a person should know about a schedule, on stderr; programs find it in the JSON.
import type { ScheduleWarning } from '../domain/schedule/warnings.ts';
import type { Cli } from './command.ts';

export function tellWarnings(cli: Cli, warnings: readonly ScheduleWarning[] = []): void {
  if (cli.json) return;
  for (const { message } of warnings) cli.err(`warning: ${message}`);
}
