// Accelerated time for tests and benchmarks that need minutes. Real processes run on real engines, with clocks that run
// `speed` times as fast. Delays and visibility timeouts of SQS are shortened by the same factor.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '../src/runtime/clock/system-clock.ts';
import type { Clock } from '../src/scheduling/context.ts';

/** Processes that share `origin` (epoch milliseconds) and `speed` agree on the time. */
export function acceleratedClock(speed: number, origin: number): Clock {
  const now = (): number => Math.floor(origin + (Date.now() - origin) * speed);
  return {
    now,
    monotonic: () => systemClock.monotonic() * speed,
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}

interface Waits {
  DelaySeconds?: number;
  VisibilityTimeout?: number;
  Entries?: Waits[];
}

/** Rounds delays down, because a worker holds early messages, and visibility timeouts up. */
function shorten(input: Waits, speed: number): Waits {
  return {
    ...input,
    ...(input.DelaySeconds !== undefined && { DelaySeconds: Math.floor(input.DelaySeconds / speed) }),
    ...(input.VisibilityTimeout !== undefined && {
      VisibilityTimeout: Math.ceil(input.VisibilityTimeout / speed),
    }),
    ...(input.Entries && { Entries: input.Entries.map((entry) => shorten(entry, speed)) }),
  };
}

export function accelerateQueue(client: SQSClient, speed: number): void {
  client.middlewareStack.add(
    (next) => (args) =>
      next({
        ...args,
        input: { ...args.input, ...shorten(args.input as Waits, speed) } as typeof args.input,
      }),
    { step: 'initialize', name: 'accelerated-time' },
  );
}
