// The `punctual` command: finds the subcommand, parses its arguments and runs it. Errors become a message and an exit
// code.
import { PunctualApiError, type PunctualClient, PunctualNetworkError } from '../client/client.ts';
import { withEscapedControls, withoutControlsInLines } from '../domain/terminal-text.ts';
import { closest } from '../domain/validation/closest.ts';
import { parseArguments } from './arguments.ts';
import {
  type Cli,
  type CliEnvironment,
  type Command,
  EXIT,
  type Options,
  UsageError,
  type Values,
} from './command.ts';
import { apply } from './commands/apply.ts';
import { audit } from './commands/audit.ts';
import { backfill } from './commands/backfill.ts';
import { backup } from './commands/backup.ts';
import { bulk } from './commands/bulk.ts';
import { cancel } from './commands/cancel.ts';
import { changes } from './commands/changes.ts';
import { create } from './commands/create.ts';
import { deadLetters } from './commands/dead-letters.ts';
import { edit } from './commands/edit.ts';
import { erase } from './commands/erase.ts';
import { executions } from './commands/executions.ts';
import { explain } from './commands/explain.ts';
import { forecast } from './commands/forecast.ts';
import { importJobs } from './commands/import.ts';
import { limits } from './commands/limits.ts';
import { list } from './commands/list.ts';
import { logs } from './commands/logs.ts';
import { operations } from './commands/operations.ts';
import { pause } from './commands/pause.ts';
import { plan } from './commands/plan.ts';
import { preview } from './commands/preview.ts';
import { restore } from './commands/restore.ts';
import { resume } from './commands/resume.ts';
import { retry } from './commands/retry.ts';
import { run } from './commands/run.ts';
import { schema } from './commands/schema.ts';
import { show } from './commands/show.ts';
import { signingKey } from './commands/signing-key.ts';
import { start } from './commands/start.ts';
import { stats } from './commands/stats.ts';
import { system } from './commands/system.ts';
import { tasks } from './commands/tasks.ts';
import { token } from './commands/token.ts';
import { workers } from './commands/workers.ts';
import { type ConnectionValues, connect } from './connection.ts';
import { JobNotFound } from './find-job.ts';
import { commandHelp, generalHelp } from './help.ts';

export const COMMANDS: readonly Command[] = [
  start,
  token,
  signingKey,
  create,
  edit,
  plan,
  apply,
  importJobs,
  schema,
  list,
  show,
  changes,
  run,
  pause,
  resume,
  cancel,
  bulk,
  retry,
  backfill,
  operations,
  logs,
  executions,
  preview,
  audit,
  explain,
  backup,
  restore,
  tasks,
  workers,
  system,
  forecast,
  stats,
  limits,
  erase,
  deadLetters,
];

export async function punctual(argv: readonly string[], given: CliEnvironment): Promise<number> {
  const [name, ...rest] = argv;
  const environment = printingSafely(given, rest.includes('--json'));
  try {
    if (name === undefined) {
      environment.err(generalHelp(COMMANDS));
      return EXIT.usage;
    }
    if (['help', '--help', '-h'].includes(name)) return help(rest[0], environment);
    if (['--version', '-v', 'version'].includes(name)) {
      environment.out(environment.version);
      return EXIT.ok;
    }
    const command = commandNamed(name);
    const { args, values } = parseArguments(command, rest);
    if (values.help) return help(name, environment);
    let client: Promise<PunctualClient> | undefined;
    const cli: Cli = {
      ...environment,
      json: values.json === true,
      absolute: values.absolute === true,
      client() {
        // only operators can name another user as the owner
        const asOperator = command.server === 'operator' || values.owner !== undefined;
        client ??= connect(values as ConnectionValues, environment.env, asOperator);
        return client;
      },
    };
    return (await command.run(cli, args, values as Values<Options>)) ?? EXIT.ok;
  } catch (error) {
    if (environment.signal.aborted) return EXIT.interrupted;
    printError(error, rest.includes('--json'), name, environment);
    return isUsage(error) ? EXIT.usage : EXIT.failure;
  }
}

/** Everything that a command prints goes through here: texts of other users must not control the terminal. */
function printingSafely(environment: CliEnvironment, isJson: boolean): CliEnvironment {
  const { out, err, ask } = environment;
  const safe = isJson ? withEscapedControls : withoutControlsInLines;
  return {
    ...environment,
    out: (line) => out(safe(line)),
    err: (line) => err(safe(line)),
    ...(ask && { ask: (question: string) => ask(withoutControlsInLines(question)) }),
  };
}

/** Whether the command line is wrong. The server may find that out, too, so that a wrong cron pattern always exits with 2. */
const isUsage = (error: unknown): boolean =>
  error instanceof UsageError || (error instanceof PunctualApiError && error.status === 400);

function help(name: string | undefined, { out }: CliEnvironment): number {
  out(name === undefined || name.startsWith('-') ? generalHelp(COMMANDS) : commandHelp(commandNamed(name)));
  return EXIT.ok;
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name);
  if (command) return command;
  const suggestion = closest(
    name,
    COMMANDS.map((one) => one.name),
  );
  const what = name.startsWith('-') ? `option ${name} before the command` : `command ${JSON.stringify(name)}`;
  const hint = suggestion ? `; did you mean ${JSON.stringify(suggestion)}?` : '.';
  throw new UsageError(`there is no ${what}${hint} See: punctual --help`);
}

function printError(error: unknown, json: boolean, name: string | undefined, { err }: CliEnvironment): void {
  if (json) {
    const { message } = error instanceof Error ? error : { message: String(error) };
    const status = error instanceof PunctualApiError ? { status: error.status, problem: error.problem } : {};
    err(JSON.stringify({ error: { message, ...status } }));
    return;
  }
  for (const line of errorLines(error)) err(line);
  if (error instanceof UsageError && COMMANDS.some((one) => one.name === name))
    err(`help: punctual ${name} --help`);
}

function errorLines(error: unknown): string[] {
  if (error instanceof PunctualApiError) return apiErrorLines(error);
  if (error instanceof PunctualNetworkError) {
    return [`punctual: ${error.message}`, 'Is the server running? To start a local server: punctual start'];
  }
  if (error instanceof UsageError || error instanceof JobNotFound || isLocalError(error))
    return [`punctual: ${error.message}`];
  return [`punctual: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}

/** Errors of src/local with a message for users. Compared by name, because src/local is loaded only by some commands. */
const isLocalError = (error: unknown): error is Error =>
  error instanceof Error && ['StartError', 'ConfigError'].includes(error.name);

function apiErrorLines({ message, status, problem, fieldErrors, requestId }: PunctualApiError): string[] {
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
