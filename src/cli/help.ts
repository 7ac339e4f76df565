// The help texts, built from the definitions of the commands.
import { type Command, type Options, optionsOf } from './command.ts';

const EXIT_CODES = `Exit codes:
  0    the command succeeded
  1    the command failed, or the check found a problem
  2    the command line or a value in it is wrong
  3    there are differences (plan --detailed-exitcode)
  130  the command was interrupted`;

export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `punctual: a job scheduler that fires on the dot

usage: punctual <command> [arguments] [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

punctual <command> --help shows the options and examples of a command. --json prints JSON. punctual --version prints the version.

examples:
  punctual start
  punctual create --task noop --in 3s --name hello
  punctual create --task http --params '{"url":"https://example.com"}' --cron '0 9 * * MON-FRI' --timezone Europe/Paris
  punctual logs hello --follow

${EXIT_CODES}`;
}

export function commandHelp(command: Command): string {
  const parts = [
    `${command.summary}\n\nusage: punctual ${command.name} ${command.usage}`.trimEnd(),
    ...(command.notes ?? []),
    `options:\n${optionLines(optionsOf(command)).join('\n')}`,
    `examples:\n${command.examples.map(([line, description]) => `  ${line}\n      ${description}`).join('\n')}`,
    EXIT_CODES,
  ];
  return parts.join('\n\n');
}

function optionLines(options: Options): string[] {
  const lines = Object.entries(options).map(([name, { short, value, multiple, about }]) => ({
    left: `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
    about: multiple ? `${about} (may be repeated)` : about,
  }));
  const width = Math.max(...lines.map(({ left }) => left.length));
  return lines.map(({ left, about }) => `  ${left.padEnd(width)}  ${about}`);
}
