// How a local process runs: until SIGINT or SIGTERM, then what was started is stopped in reverse order, exit code 0.
// What the user can put right is told as a sentence, without a stack.
import { ConfigError } from '../runtime/config.ts';

/** Why the process could not start, and what to do about it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

const SAME_SIGNAL_MS = 500;

export interface Running {
  /** Aborted when the process is to stop. */
  readonly stopping: AbortSignal;
  /** Registers how to stop what was just started. */
  defer(stop: () => Promise<unknown> | unknown): void;
  /** Stops the process with this error: something it cannot do without has ended. */
  fail(error: Error): void;
}

export async function run(start: (running: Running) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const stops: (() => Promise<unknown> | unknown)[] = [];
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  over.catch(() => {});

  let askedAt: number | undefined;
  const onSignal = () => {
    // asked twice: do not wait any longer. (npm hands Ctrl-C on to a process that the terminal has sent it to already.)
    if (askedAt !== undefined && performance.now() - askedAt > SAME_SIGNAL_MS) process.exit(130);
    askedAt ??= performance.now();
    stopping.abort();
    resolve();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // a promise that some task forgot must not take everything else down
  process.on('unhandledRejection', (error) => console.error(tell(error)));

  try {
    const started = start({
      stopping: stopping.signal,
      defer: (stop) => void stops.push(stop),
      fail: reject,
    });
    // asked to stop while still starting: what is up by then is stopped
    await Promise.race([started, over]);
    await over;
  } catch (error) {
    process.exitCode = 1;
    console.error(tell(error));
  }
  stopping.abort();
  for (const stop of stops.reverse()) {
    try {
      await stop();
    } catch (error) {
      process.exitCode = 1;
      console.error(tell(error));
    }
  }
  // a connection that somebody keeps open is no reason to stay
  process.exit();
}

const tell = (error: unknown): string =>
  error instanceof StartError || error instanceof ConfigError
    ? `punctual: ${error.message}`
    : `punctual: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
