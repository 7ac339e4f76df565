// Runs the command in this process: its output and its exit code.
import { readFileSync } from 'node:fs';
import { punctual } from '../../src/cli/main.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Around {
  readonly env?: Record<string, string>;
  readonly now?: number;
  readonly width?: number;
  readonly input?: string;
}

export async function cli(words: readonly string[], around: Around = {}): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await punctual(words, {
    env: { PUNCTUAL_DATA: '/nowhere', ...around.env },
    version: '1.2.3',
    width: around.width ?? 120,
    now: () => around.now ?? Date.UTC(2026, 10, 16, 12),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    readFile: () => around.input ?? '',
    readStdin: async () => around.input ?? '',
    signal: new AbortController().signal,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** As the process of the command does: the system clock, real files, and a line break after each line. */
export async function onSystem(
  words: readonly string[],
  { env, input, width = Number.POSITIVE_INFINITY }: Omit<Around, 'now'> = {},
): Promise<Outcome> {
  let [out, err] = ['', ''];
  const code = await punctual(words, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    version: '1.2.3',
    width,
    now: () => Date.now(),
    out: (line) => (out += `${line}\n`),
    err: (line) => (err += `${line}\n`),
    readFile: (path) => readFileSync(path, 'utf8'),
    readStdin: async () => input ?? '',
    signal: new AbortController().signal,
  });
  return { code, out, err };
}
