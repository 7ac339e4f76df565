// Parses the command line after `punctual <command>`. Unknown options are refused with the closest known name.
import { parseArgs } from 'node:util';
import { closest } from '../domain/validation/closest.ts';
import { type Command, optionsOf, UsageError } from './command.ts';

export interface Parsed {
  readonly args: readonly string[];
  /** Values by option name. Their types follow the options of the command. */
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

export function parseArguments(command: Command, argv: readonly string[]): Parsed {
  const options = optionsOf(command);
  // Not strict: the messages of Node name neither the command nor the closest option.
  const { values, positionals, tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type, short, multiple = false }]) => [
        name,
        { type, multiple, ...(short && { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = options[token.name];
    if (!option) throw unknownOption(command, token.rawName, Object.keys(options));
    checkValue(token, option.type);
    if (seen.has(token.name) && option.type === 'string' && !option.multiple) {
      throw new UsageError(`${token.rawName} is given more than once`);
    }
    seen.add(token.name);
  }
  if (!values.help) checkCount(command, positionals);
  return { args: positionals, values: values as Parsed['values'] };
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function checkValue({ rawName, value, inlineValue }: OptionToken, type: 'string' | 'boolean'): void {
  if (type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value, got ${JSON.stringify(value)}`);
    return;
  }
  // In `--name --json` the value of --name was forgotten. `--name=--json` sets it on purpose.
  if (value === undefined || (!inlineValue && value.startsWith('--'))) {
    throw new UsageError(`${rawName} needs a value`);
  }
}

function unknownOption(command: Command, rawName: string, known: readonly string[]): UsageError {
  const suggestion = closest(rawName.replace(/^-+/, ''), known);
  return new UsageError(
    `punctual ${command.name} has no option ${rawName}${suggestion ? `; did you mean --${suggestion}?` : ''}`,
  );
}

function checkCount({ name, usage, takes: [min, max] }: Command, args: readonly string[]): void {
  const expected = `punctual ${name} ${usage}`.trim();
  if (args.length < min) throw new UsageError(`an argument is missing: ${expected}`);
  const extra = args[max];
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}: ${expected}`);
}
