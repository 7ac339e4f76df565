// The arguments of `npm run test:account`, and the outputs of the stack that they name.
import { parseArgs } from 'node:util';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `usage: npm run test:account -- --outputs <file> [--stack <name>] [--operators-group <name>] [--yes]

Uses a deployed stack through its URL: tokens, every way to create a job, every kind of schedule, changes, retries, dead letters and
reports. Prints what it will do and what it costs first. It creates three users of the user pool, and deletes them at the end.
Needs credentials for the account, python3 and PyPI.

  --outputs <file>           the file that \`cdk deploy --outputs-file <file>\` has written
  --stack <name>             the stack, if the file has several
  --operators-group <name>   the setting operatorsGroup of the stack. Default: punctual-operators
  --yes                      continue after the estimate`;

export interface AccountArguments {
  readonly outputs: string;
  /** Undefined if the file has one stack only. */
  readonly stack?: string;
  readonly operatorsGroup: string;
  readonly yes: boolean;
}

/** Undefined if the help is asked for. */
export function readArguments(args: readonly string[]): AccountArguments | undefined {
  const { values } = parse(args);
  if (values.help) return undefined;
  if (values.outputs === undefined)
    throw new UsageError(
      '--outputs is missing: the file that `cdk deploy --outputs-file <file>` has written',
    );
  return {
    outputs: values.outputs,
    ...(values.stack !== undefined && { stack: values.stack }),
    operatorsGroup: values['operators-group'],
    yes: values.yes,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        outputs: { type: 'string' },
        stack: { type: 'string' },
        'operators-group': { type: 'string', default: 'punctual-operators' },
        yes: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export type Outputs = Readonly<Record<string, string>>;

const NEEDED = ['Url', 'UserPoolId', 'Audience'] as const;

/** The outputs of one stack, by their short names. `text` is the content of the file. */
export function readOutputs(text: string, { outputs: file, stack }: AccountArguments): Outputs {
  const stacks = stacksOf(text, file);
  const names = Object.keys(stacks);
  const name = stack ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined)
    throw new UsageError(
      `--stack must name one of the stacks of ${file}: ${names.join(', ') || 'it has none'}`,
    );
  const given = stacks[name];
  if (!given) throw new UsageError(`--stack must be one of ${names.join(', ')}, got "${name}"`);
  const prefix = prefixOf(given, name);
  const short = Object.fromEntries(
    NEEDED.map((one) => [one, given[Object.keys(given).find(isOutput(`${prefix}${one}`)) ?? '']]),
  );
  const missing = NEEDED.filter((one) => !short[one]);
  if (missing.length > 0) throw missingOutputs(name, missing);
  return short as Outputs;
}

/** CDK adds eight characters to the name of an output. */
const isOutput = (name: string) => (key: string) => key.slice(0, -8) === name && /[0-9A-F]{8}$/.test(key);

/**
 * The id of the construct, which the names of its outputs start with: `PunctualUrlE79DDA4A`. It is another one in a stack of one's own,
 * which may have outputs of other constructs, too.
 */
function prefixOf(outputs: Outputs, stack: string): string {
  const pools = Object.keys(outputs).filter((key) => /UserPoolId[0-9A-F]{8}$/.test(key));
  const [pool] = pools;
  if (pool === undefined) throw missingOutputs(stack, ['UserPoolId']);
  if (pools.length > 1)
    throw new UsageError(`the stack ${stack} has several outputs UserPoolId: ${pools.join(', ')}`);
  return pool.replace(/UserPoolId[0-9A-F]{8}$/, '');
}

const missingOutputs = (stack: string, names: readonly string[]): UsageError =>
  new UsageError(
    `the stack ${stack} has no output ${names.join(', ')}. test:account needs a stack with its own user pool: without issuer, and without authorization iam`,
  );

function stacksOf(text: string, file: string): Readonly<Record<string, Outputs>> {
  const wrong = new UsageError(
    `${file} is not a file of \`cdk deploy --outputs-file\`: it must have an object of outputs for each stack`,
  );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong;
  }
  const isRecord = (one: unknown): one is object =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!isRecord(value) || !Object.values(value).every(isRecord)) throw wrong;
  return value as Readonly<Record<string, Outputs>>;
}
