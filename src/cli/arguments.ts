// From the words after `punctual <command>` to arguments and typed values. What is not understood is named, with what
// was probably meant.
import { parseArgs } from 'node:util';
import { closest } from '../domain/validation/closest.ts';
import { type Command, optionsOf, UsageError } from './command.ts';

export interface Parsed {
  readonly args: readonly string[];
  /** By the name of the option; of the types that the command's options say. */
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

export function parseArguments(command: Command, words: readonly string[]): Parsed {
  const options = optionsOf(command);
  // not strict: Node's own messages know neither the command nor what was meant
  const { values, positionals, tokens } = parseArgs({
    args: [...words],
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
      throw new UsageError(`${token.rawName} is given more than once; once is allowed`);
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
  // `--name --json`: the value was forgotten; `--name=--json` says that it is meant
  if (value === undefined || (!inlineValue && value.startsWith('--'))) {
    throw new UsageError(`${rawName} needs a value`);
  }
}

function unknownOption(command: Command, rawName: string, known: readonly string[]): UsageError {
  const meant = closest(rawName.replace(/^-+/, ''), known);
  return new UsageError(
    `punctual ${command.name} has no option ${rawName}${meant ? `; did you mean --${meant}?` : ''}`,
  );
}

function checkCount({ name, usage, takes: [least, most] }: Command, args: readonly string[]): void {
  const form = `punctual ${name} ${usage}`.trim();
  if (args.length < least) throw new UsageError(`something is missing: ${form}`);
  const extra = args[most];
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is one argument too many: ${form}`);
}
