// The `punctual` command: finds the subcommand, parses its arguments, runs it, and turns what goes wrong into a sentence
// and an exit code.
import { PunctualApiError, type PunctualClient, PunctualNetworkError } from '../client/client.ts';
import { closest } from '../domain/validation/closest.ts';
import { parseArguments } from './arguments.ts';
import {
  type Cli,
  type Command,
  EXIT,
  type Options,
  type Surroundings,
  UsageError,
  type Values,
} from './command.ts';
import { backfill, cancel, pause, resume, retry, run } from './commands/act.ts';
import { audit } from './commands/audit.ts';
import { backup, restore } from './commands/backup.ts';
import { changes } from './commands/changes.ts';
import { create, edit } from './commands/create.ts';
import { list } from './commands/list.ts';
import { logs } from './commands/logs.ts';
import { operations } from './commands/operations.ts';
import { deadLetters, tasks, workers } from './commands/overview.ts';
import { preview } from './commands/preview.ts';
import { show } from './commands/show.ts';
import { start } from './commands/start.ts';
import { token } from './commands/token.ts';
import { type ConnectionValues, connect } from './connection.ts';
import { NotFoundHere } from './find.ts';
import { commandHelp, generalHelp } from './help.ts';

export const COMMANDS: readonly Command[] = [
  start,
  token,
  create,
  edit,
  list,
  show,
  changes,
  run,
  pause,
  resume,
  cancel,
  retry,
  backfill,
  operations,
  logs,
  preview,
  audit,
  backup,
  restore,
  tasks,
  workers,
  deadLetters,
];

export async function punctual(words: readonly string[], around: Surroundings): Promise<number> {
  const [name, ...rest] = words;
  try {
    if (name === undefined) {
      around.err(generalHelp(COMMANDS));
      return EXIT.usage;
    }
    if (['help', '--help', '-h'].includes(name)) return help(rest[0], around);
    if (['--version', '-v', 'version'].includes(name)) {
      around.out(around.version);
      return EXIT.ok;
    }
    const command = commandNamed(name);
    const { args, values } = parseArguments(command, rest);
    if (values.help) return help(name, around);
    let client: Promise<PunctualClient> | undefined;
    const cli: Cli = {
      ...around,
      json: values.json === true,
      absolute: values.absolute === true,
      client() {
        client ??= connect(values as ConnectionValues, around.env, command.server === 'operator');
        return client;
      },
    };
    return (await command.run(cli, args, values as Values<Options>)) ?? EXIT.ok;
  } catch (error) {
    if (around.signal.aborted) return EXIT.interrupted;
    tell(error, rest.includes('--json'), name, around);
    return isUsage(error) ? EXIT.usage : EXIT.failure;
  }
}

/** What was typed is wrong, found here or by the server: a wrong cron pattern has the same exit code in every command. */
const isUsage = (error: unknown): boolean =>
  error instanceof UsageError || (error instanceof PunctualApiError && error.status === 400);

function help(name: string | undefined, { out }: Surroundings): number {
  out(name === undefined || name.startsWith('-') ? generalHelp(COMMANDS) : commandHelp(commandNamed(name)));
  return EXIT.ok;
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name);
  if (command) return command;
  const meant = closest(
    name,
    COMMANDS.map((one) => one.name),
  );
  const what = name.startsWith('-') ? `option ${name} before the command` : `command ${JSON.stringify(name)}`;
  const hint = meant ? `; did you mean ${JSON.stringify(meant)}?` : '.';
  throw new UsageError(`there is no ${what}${hint} See: punctual --help`);
}

function tell(error: unknown, json: boolean, name: string | undefined, { err }: Surroundings): void {
  if (json) {
    const { message } = error instanceof Error ? error : { message: String(error) };
    const status = error instanceof PunctualApiError ? { status: error.status, problem: error.problem } : {};
    err(JSON.stringify({ error: { message, ...status } }));
    return;
  }
  for (const line of sentences(error)) err(line);
  if (error instanceof UsageError && COMMANDS.some((one) => one.name === name))
    err(`help: punctual ${name} --help`);
}

function sentences(error: unknown): string[] {
  if (error instanceof PunctualApiError) return apiSentences(error);
  if (error instanceof PunctualNetworkError) {
    return [`punctual: ${error.message}`, 'Is the server running? A local one is started by: punctual start'];
  }
  if (error instanceof UsageError || error instanceof NotFoundHere || isForPeople(error))
    return [`punctual: ${error.message}`];
  return [`punctual: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}

/** A sentence of src/local, which is loaded only by the commands that need it. */
const isForPeople = (error: unknown): error is Error =>
  error instanceof Error && ['StartError', 'ConfigError'].includes(error.name);

function apiSentences({ message, status, problem, fieldErrors, requestId }: PunctualApiError): string[] {
  const lines =
    problem && fieldErrors.length > 0
      ? [
          `punctual: ${status} ${problem.title}`,
          ...fieldErrors.map(({ path, message }) => `  ${path ? `${path}: ` : ''}${message}`),
        ]
      : [`punctual: ${message}`];
  if (status === 401)
    lines.push('The token comes from --token, PUNCTUAL_TOKEN, or the data folder PUNCTUAL_DATA (.punctual).');
  if (status >= 500 && requestId) lines.push(`request id: ${requestId}`);
  return lines;
}
