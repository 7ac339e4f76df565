// The help texts, built from the definitions of the commands.
import { type Command, type Options, optionsOf } from './command.ts';

type ExitCodes = Readonly<Record<number, string>>;

const EXIT_CODES: ExitCodes = {
  0: 'the command succeeded',
  1: 'the command failed, or the check found a problem',
  2: 'the command line or a value in it is wrong',
  130: 'the command was interrupted',
};

const exitCodesText = (codes: ExitCodes): string =>
  `Exit codes:\n${Object.entries(codes)
    .map(([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}`)
    .join('\n')}`;

export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `punctual: a job scheduler for your own AWS account, which also runs on a laptop

usage: punctual <command> [arguments] [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

punctual <command> --help shows the options and examples of a command. --json prints JSON. punctual --version prints the version.

examples:
  punctual start
  punctual create --task noop --in 3s --name hello
  punctual create --task http --params '{"url":"https://example.com"}' --cron '0 9 * * MON-FRI' --timezone Europe/Paris
  punctual logs hello --follow

${exitCodesText({ ...EXIT_CODES, 3: 'there are differences (plan --detailed-exitcode)' })}`;
}

export function commandHelp(command: Command): string {
  const parts = [
    `${command.summary}\n\nusage: punctual ${command.name} ${command.usage}`.trimEnd(),
    ...(command.notes ?? []),
    `options:\n${optionLines(optionsOf(command)).join('\n')}`,
    `examples:\n${command.examples.map(([line, description]) => `  ${line}\n      ${description}`).join('\n')}`,
    exitCodesText({ ...EXIT_CODES, ...command.exitCodes }),
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
