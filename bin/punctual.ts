// The process of the `punctual` command: streams, terminal and signals. bin/punctual.js starts it on Node 24.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { punctual } from '../src/cli/main.ts';
import { VERSION } from '../src/runtime/version.ts';

const [, , ...argv] = process.argv;

// A closed pipe is no error: `punctual list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const interrupted = new AbortController();
// `punctual start` handles signals itself.
if (argv[0] !== 'start') {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());
}

process.exitCode = await punctual(argv, {
  env: process.env,
  version: VERSION,
  width: widthOf(process.env.COLUMNS) ?? process.stdout.columns ?? Number.POSITIVE_INFINITY,
  now: () => Date.now(),
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  readFile: (path) => readFileSync(path, 'utf8'),
  readStdin: () => text(process.stdin),
  ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
  signal: interrupted.signal,
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question, { signal: interrupted.signal });
  } finally {
    terminal.close();
  }
}

function widthOf(columns: string | undefined): number | undefined {
  const width = Number(columns);
  return Number.isInteger(width) && width > 0 ? width : undefined;
}
