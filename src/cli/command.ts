// What a subcommand is: data that parsing and help are made from, and a function.
import type { PunctualClient } from '../client/client.ts';

export const EXIT = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** The command line cannot be understood: a sentence, and exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands for the value in the help. */
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

/** What a command works with; the process hands in the real ones. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the package. */
  readonly version: string;
  /** Of the terminal; endless when nobody looks. */
  readonly width: number;
  now(): number;
  /** A line on stdout: what was asked for. */
  out(line: string): void;
  /** A line on stderr: what a person may want to know beside it. */
  err(line: string): void;
  readFile(path: string): string;
  readInput(): Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Cli extends Surroundings {
  readonly json: boolean;
  /** Whether times are shown as they are, not as "3 min ago". */
  readonly absolute: boolean;
  /** Connected when it is first asked for. */
  client(): Promise<PunctualClient>;
}

export interface Command<O extends Options = Options> {
  readonly name: string;
  readonly summary: string;
  /** After the name, such as `<job> [--wait]`. */
  readonly usage: string;
  readonly options: O;
  /** How many arguments it takes beside its options. */
  readonly takes: readonly [least: number, most: number];
  /** Whether it talks to the server, and what the automatic local token may. */
  readonly server?: 'user' | 'operator';
  /** More to know, a paragraph each. */
  readonly notes?: readonly string[];
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** The exit code; none is 0. */
  run(cli: Cli, args: readonly string[], values: Values<O>): Promise<number | undefined>;
}

/** Keeps the exact type of the options, so that the values are typed by them. */
export const defineCommand = <const O extends Options>(command: Command<O>): Command =>
  command as unknown as Command;

/** Of every command. */
export const COMMON = {
  help: { type: 'boolean', short: 'h', about: 'this text' },
  json: { type: 'boolean', about: 'JSON for programs instead of text for people' },
} as const satisfies Options;

/** Of those that talk to a server. */
export const CONNECTION = {
  url: { type: 'string', value: '<url>', about: 'the server (PUNCTUAL_URL; default http://127.0.0.1:3000)' },
  token: {
    type: 'string',
    value: '<jwt>',
    about: 'who you are (PUNCTUAL_TOKEN; made up for a local server)',
  },
  absolute: { type: 'boolean', about: 'times as they are instead of "3 min ago"' },
} as const satisfies Options;

export const optionsOf = (command: Command): Options => ({
  ...command.options,
  ...(command.server && CONNECTION),
  ...COMMON,
});
