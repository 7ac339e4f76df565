// Waiting until an execution has ended: asks again and again, more and more rarely.
import type { ClientClock } from './clock.ts';
import { PunctualTimeoutError } from './errors.ts';
import type { Execution, ExecutionStatus } from './types.ts';

export const ENDED = [
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const satisfies readonly ExecutionStatus[];

export const hasEnded = ({ status }: Pick<Execution, 'status'>): boolean =>
  (ENDED as readonly ExecutionStatus[]).includes(status);

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Gives up with PunctualTimeoutError after this long. Default: never. */
  readonly timeoutMs?: number;
  /** The first interval; it grows by half each time. Default 200. */
  readonly intervalMs?: number;
  /** Default 5000. */
  readonly maxIntervalMs?: number;
  /** Called with what was seen whenever the status is another than before. */
  readonly onChange?: (execution: Execution) => void;
}

const GROWTH = 1.5;
/** Timers cannot count further. */
const LONGEST_TIMER = 2 ** 31 - 1;

export async function waitUntilEnded(
  executionId: string,
  read: (signal: AbortSignal | undefined) => Promise<Execution>,
  clock: ClientClock,
  options: WaitOptions,
): Promise<Execution> {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY, maxIntervalMs = 5_000 } = options;
  const until = clock.now() + timeoutMs;
  let interval = options.intervalMs ?? 200;
  let seen: Execution | undefined;
  for (;;) {
    const left = until - clock.now();
    if (left <= 0) throw new PunctualTimeoutError(executionId, timeoutMs, seen);
    const execution = await within(left, signal, read).catch((error) => {
      signal?.throwIfAborted();
      // a server that does not answer must not keep us beyond the deadline
      throw clock.now() >= until ? new PunctualTimeoutError(executionId, timeoutMs, seen) : error;
    });
    if (execution.status !== seen?.status) options.onChange?.(execution);
    seen = execution;
    if (hasEnded(execution)) return execution;
    // nothing happens before it is due
    const untilDue = execution.status === 'scheduled' ? Date.parse(execution.dueAt) - clock.now() : 0;
    const pause = Math.max(interval, Math.min(untilDue, maxIntervalMs));
    await clock.sleep(Math.max(0, Math.min(pause, until - clock.now())), signal);
    interval = Math.min(interval * GROWTH, maxIntervalMs);
  }
}

async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (ms > LONGEST_TIMER) return read(signal);
  const deadline = AbortSignal.timeout(Math.ceil(ms));
  return read(signal ? AbortSignal.any([signal, deadline]) : deadline);
}
