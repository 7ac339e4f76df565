// Waiting until an execution or a background operation has ended: asks again and again, more and more rarely.
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

export interface WaitOptions<Seen = Execution> {
  readonly signal?: AbortSignal;
  /** Gives up with PunctualTimeoutError after this long. Default: never. */
  readonly timeoutMs?: number;
  /** The first interval; it grows by half each time. Default 200. */
  readonly intervalMs?: number;
  /** Default 5000. */
  readonly maxIntervalMs?: number;
  /** Called with what was seen whenever the status, or how much an operation has done, is another than before. */
  readonly onChange?: (seen: Seen) => void;
}

const GROWTH = 1.5;
/** Timers cannot count further. */
const MAX_TIMER = 2 ** 31 - 1;

/** What is waited for. */
interface Subject<Seen> {
  read(signal: AbortSignal | undefined): Promise<Seen>;
  hasEnded(seen: Seen): boolean;
  /** What makes two of them different to whoever waits. */
  shown(seen: Seen): string;
  /** Before then nothing happens. */
  startsAt(seen: Seen): number;
  timedOut(timeoutMs: number, seen: Seen | undefined): PunctualTimeoutError;
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
      shown: ({ status }) => status,
      startsAt: ({ status, dueAt }) => (status === 'scheduled' ? Date.parse(dueAt) : 0),
      timedOut: (ms, execution) => new PunctualTimeoutError(`execution ${id}`, ms, { execution }),
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
      shown: ({ status, done }) => `${status} ${done}`,
      startsAt: () => 0,
      timedOut: (ms, operation) => new PunctualTimeoutError(`operation ${id}`, ms, { operation }),
    },
    clock,
    options,
  );

async function waitUntilEnded<Seen>(
  subject: Subject<Seen>,
  clock: ClientClock,
  options: WaitOptions<Seen>,
): Promise<Seen> {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY, maxIntervalMs = 5_000 } = options;
  const until = clock.now() + timeoutMs;
  let interval = options.intervalMs ?? 200;
  let last: Seen | undefined;
  for (;;) {
    const left = until - clock.now();
    if (left <= 0) throw subject.timedOut(timeoutMs, last);
    const seen = await within(left, signal, (given) => subject.read(given)).catch((error) => {
      signal?.throwIfAborted();
      // a server that does not answer must not keep us beyond the deadline
      throw clock.now() >= until ? subject.timedOut(timeoutMs, last) : error;
    });
    if (last === undefined || subject.shown(seen) !== subject.shown(last)) options.onChange?.(seen);
    last = seen;
    if (subject.hasEnded(seen)) return seen;
    const untilStart = subject.startsAt(seen) - clock.now();
    const pause = Math.max(interval, Math.min(untilStart, maxIntervalMs));
    await clock.sleep(Math.max(0, Math.min(pause, until - clock.now())), signal);
    interval = Math.min(interval * GROWTH, maxIntervalMs);
  }
}

async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (ms > MAX_TIMER) return read(signal);
  const deadline = AbortSignal.timeout(Math.ceil(ms));
  return read(signal ? AbortSignal.any([signal, deadline]) : deadline);
}
