// The lifecycle of a local process. It runs until SIGINT or SIGTERM, then stops its components in reverse order and exits with
// code 0. An error that the user can fix is printed without a stack.
import { ConfigError } from '../runtime/config.ts';
import { StartError } from './start-error.ts';

/** npm forwards Ctrl-C to a process that the terminal has signalled already. Both signals arrive within this time. */
const SAME_SIGNAL_MS = 500;

export interface ProcessLifecycle {
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  /** Registers how to stop a component that was just started. */
  defer(stop: () => Promise<unknown> | unknown): void;
  /** Stops the process with this error, because a component that it needs has ended. */
  fail(error: Error): void;
}

/** Files of this process and of its children, such as the tables of dynoxide, are for its user alone. */
const PRIVATE_FILES = 0o077;

export async function runProcess(start: (lifecycle: ProcessLifecycle) => Promise<void>): Promise<void> {
  process.umask(PRIVATE_FILES);
  const stopping = new AbortController();
  const stops: (() => Promise<unknown> | unknown)[] = [];
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  stopped.catch(() => {});

  let signalledAt: number | undefined;
  const onSignal = () => {
    // a second signal ends the process without waiting
    if (signalledAt !== undefined && performance.now() - signalledAt > SAME_SIGNAL_MS) process.exit(130);
    signalledAt ??= performance.now();
    stopping.abort();
    resolve();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // an unhandled rejection of one task must not end the other tasks
  process.on('unhandledRejection', (error) => console.error(textOf(error)));

  try {
    const started = start({
      stopping: stopping.signal,
      defer: (stop) => void stops.push(stop),
      fail: reject,
    });
    // a signal during the start stops the components that are started by then
    await Promise.race([started, stopped]);
    await stopped;
  } catch (error) {
    process.exitCode = 1;
    console.error(textOf(error));
  }
  stopping.abort();
  for (const stop of stops.reverse()) {
    try {
      await stop();
    } catch (error) {
      process.exitCode = 1;
      console.error(textOf(error));
    }
  }
  // without this call an open connection would keep the process alive
  process.exit();
}

const textOf = (error: unknown): string =>
  error instanceof StartError || error instanceof ConfigError
    ? `punctual: ${error.message}`
    : `punctual: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
