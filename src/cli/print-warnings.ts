// Warnings about a schedule, on stderr. With --json they are part of the JSON output instead.
import type { ScheduleWarning } from '../domain/schedule/warnings.ts';
import type { Cli } from './command.ts';

export function printWarnings(cli: Cli, warnings: readonly ScheduleWarning[] = []): void {
  if (cli.json) return;
  for (const { message } of warnings) cli.err(`warning: ${message}`);
}
