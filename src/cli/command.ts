// The definition of a subcommand: the data for parsing and help, and the function that runs it.
import type { PunctualClient } from '../client/client.ts';

export const EXIT = { ok: 0, failure: 1, usage: 2, differences: 3, interrupted: 130 } as const;

/** A wrong command line. Its message is printed, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder of the value in the help, such as `<time>`. */
  readonly value?: string;
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

type Value<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O['multiple'] extends true
    ? string[]
    : string;

export type Values<O extends Options> = { readonly [Name in keyof O]?: Value<O[Name]> };

/** The process that a command runs in. Tests pass their own. */
export interface CliEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version of Punctual. */
  readonly version: string;
  /** The number of columns of the terminal. Infinite if stdout is not a terminal. */
  readonly width: number;
  now(): number;
  /** Prints a line of the result to stdout. */
  out(line: string): void;
  /** Prints a line to stderr: errors, progress and hints. */
  err(line: string): void;
  readFile(path: string): string;
  readStdin(): Promise<string>;
  /** Prints the question to stderr and reads a line from the terminal. Absent if there is no terminal. */
  ask?(question: string): Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The environment of a command: the process, the common options and the client. */
export interface Cli extends CliEnvironment {
  readonly json: boolean;
  /** Whether times are printed in ISO 8601 instead of relative to now. */
  readonly absolute: boolean;
  /** Creates the client at the first call. */
  client(): Promise<PunctualClient>;
}

export interface Command<O extends Options = Options> {
  readonly name: string;
  readonly summary: string;
  /** The usage line after the name, such as `<job> [--wait]`. */
  readonly usage: string;
  readonly options: O;
  /** The number of arguments that are not options. */
  readonly takes: readonly [min: number, max: number];
  /** The role of the automatic token for a local server. Undefined if the command does not call a server. */
  readonly server?: 'user' | 'operator';
  /** Paragraphs of the help. */
  readonly notes?: readonly string[];
  /** The exit codes that have a meaning of their own in this command. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  readonly examples: readonly (readonly [command: string, description: string])[];
  /** Resolves with the exit code. Undefined means 0. */
  run(cli: Cli, args: readonly string[], values: Values<O>): Promise<number | undefined>;
}

/** Infers the types of `values` from the options. */
export const defineCommand = <const O extends Options>(command: Command<O>): Command =>
  command as unknown as Command;

/** The options of every command. */
export const COMMON_FLAGS = {
  help: { type: 'boolean', short: 'h', about: 'show this help' },
  json: { type: 'boolean', about: 'print JSON instead of text' },
} as const satisfies Options;

/** The options of the commands that call a server. */
export const CONNECTION_FLAGS = {
  url: { type: 'string', value: '<url>', about: 'server URL (PUNCTUAL_URL; default http://127.0.0.1:3000)' },
  token: {
    type: 'string',
    value: '<jwt>',
    about: 'access token (PUNCTUAL_TOKEN; made automatically for the server of the data folder)',
  },
  absolute: { type: 'boolean', about: 'print times in ISO 8601 instead of "3 min ago"' },
} as const satisfies Options;

export const optionsOf = (command: Command): Options => ({
  ...command.options,
  ...(command.server && CONNECTION_FLAGS),
  ...COMMON_FLAGS,
});
