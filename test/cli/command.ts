// Runs the command as a process, with streams and an exit code.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import type { Outcome } from './in-process.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

interface Options {
  readonly env?: Record<string, string>;
  readonly input?: string;
  readonly cwd?: string;
  /** The Node binary and the file to run. */
  readonly node?: readonly [node: string, script: string];
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Outcome>;
  /** Resolves with the match as soon as the output contains it. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
}

export function start(words: readonly string[], { env, input, cwd, node }: Options = {}): Running {
  const [program, script] = node ?? [process.execPath, join(ROOT, 'bin/punctual.js')];
  const child = spawn(program, [script, ...words], {
    cwd: cwd ?? ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  child.stdin.end(input ?? '');
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, out, err }));
  return {
    child,
    ended,
    async printed(pattern) {
      for (;;) {
        const found = pattern.exec(out + err);
        if (found) return found;
        const more = Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]);
        const over = ended.then((outcome) => {
          throw new Error(`it ended without printing ${pattern}: ${JSON.stringify(outcome)}`);
        });
        await Promise.race([more, over]);
      }
    },
  };
}

export const execute = (words: readonly string[], options: Options = {}): Promise<Outcome> =>
  start(words, options).ended;
