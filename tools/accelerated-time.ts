// Time that passes faster, for tests and benchmarks that need minutes of it: real processes, real engines, their clocks
// run `speed` times as fast, and what SQS is told to wait is shortened accordingly.
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

/** Delays are rounded down (the worker holds what comes early), visibility up. */
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
