// Waits for the end of an execution or a background operation: polls with growing intervals.
import type { ClientClock } from './clock.ts';
import { PunctualTimeoutError } from './errors.ts';
import type { Execution, ExecutionStatus, Operation } from './types.ts';

export const ENDED = [
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const satisfies readonly ExecutionStatus[];

export const hasEnded = ({ status }: Pick<Execution, 'status'>): boolean =>
  (ENDED as readonly ExecutionStatus[]).includes(status);

export interface WaitOptions<State = Execution> {
  readonly signal?: AbortSignal;
  /** After this time the wait rejects with PunctualTimeoutError. Default: no timeout. */
  readonly timeoutMs?: number;
  /** The first polling interval. It grows by half with each poll. Default 200. */
  readonly intervalMs?: number;
  /** The maximum polling interval. Default 5000. */
  readonly maxIntervalMs?: number;
  /** Called at each change of the status, and of the progress of an operation. */
  readonly onChange?: (state: State) => void;
}

const GROWTH = 1.5;
/** The maximum delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The execution or operation to wait for. */
interface Subject<State> {
  read(signal: AbortSignal | undefined): Promise<State>;
  hasEnded(state: State): boolean;
  /** The part of the state whose changes are reported. */
  progressOf(state: State): string;
  /** The time before which the state does not change. */
  startsAt(state: State): number;
  timeoutError(timeoutMs: number, last: State | undefined): PunctualTimeoutError;
}

export const waitForExecution = (
  id: string,
  read: Subject<Execution>['read'],
  clock: ClientClock,
  options: WaitOptions,
): Promise<Execution> =>
  waitUntilEnded(
    {
      read,
      hasEnded,
      progressOf: ({ status }) => status,
      startsAt: ({ status, dueAt }) => (status === 'scheduled' ? Date.parse(dueAt) : 0),
      timeoutError: (ms, execution) => new PunctualTimeoutError(`execution ${id}`, ms, { execution }),
    },
    clock,
    options,
  );

export const waitForOperation = (
  id: string,
  read: Subject<Operation>['read'],
  clock: ClientClock,
  options: WaitOptions<Operation>,
): Promise<Operation> =>
  waitUntilEnded(
    {
      read,
      hasEnded: ({ status }) => status !== 'pending' && status !== 'running',
      progressOf: ({ status, done }) => `${status} ${done}`,
      startsAt: () => 0,
      timeoutError: (ms, operation) => new PunctualTimeoutError(`operation ${id}`, ms, { operation }),
    },
    clock,
    options,
  );

async function waitUntilEnded<State>(
  subject: Subject<State>,
  clock: ClientClock,
  options: WaitOptions<State>,
): Promise<State> {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY, maxIntervalMs = 5_000 } = options;
  const deadline = clock.now() + timeoutMs;
  let interval = options.intervalMs ?? 200;
  let last: State | undefined;
  for (;;) {
    const left = deadline - clock.now();
    if (left <= 0) throw subject.timeoutError(timeoutMs, last);
    const state = await withTimeout(left, signal, (readSignal) => subject.read(readSignal)).catch((error) => {
      signal?.throwIfAborted();
      // A request that outlasts the deadline ends as a timeout of the wait.
      throw clock.now() >= deadline ? subject.timeoutError(timeoutMs, last) : error;
    });
    if (last === undefined || subject.progressOf(state) !== subject.progressOf(last))
      options.onChange?.(state);
    last = state;
    if (subject.hasEnded(state)) return state;
    const untilStart = subject.startsAt(state) - clock.now();
    const pause = Math.max(interval, Math.min(untilStart, maxIntervalMs));
    await clock.sleep(Math.max(0, Math.min(pause, deadline - clock.now())), signal);
    interval = Math.min(interval * GROWTH, maxIntervalMs);
  }
}

async function withTimeout<T>(
  ms: number,
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (ms > MAX_TIMER_MS) return read(signal);
  const timeout = AbortSignal.timeout(Math.ceil(ms));
  return read(signal ? AbortSignal.any([signal, timeout]) : timeout);
}
