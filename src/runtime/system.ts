// The real clock, the real random numbers and the log: what every runtime hands to the use cases, which never read
// these themselves.
import { randomFillSync } from 'node:crypto';
import { uptime } from 'node:os';
import { base62 } from '../domain/executions/ids.ts';
import type { Clock, Log, Random } from '../scheduling/context.ts';

/** setTimeout takes a signed 32-bit number; more than this fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock & { uptime(): number } = {
  now: () => Date.now(),
  monotonic: () => performance.now(),

  /** Milliseconds since the machine was started. 0 where the platform does not say. */
  uptime() {
    try {
      return uptime() * 1000;
    } catch {
      return 0;
    }
  },

  // A timer may fire up to a millisecond early (libuv counts whole milliseconds), so it only ever proposes an end.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted || !(ms > 0)) return resolve();
      const end = performance.now() + ms;
      let timer: NodeJS.Timeout | undefined;
      const done = () => {
        clearTimeout(timer);
        if (signal) sleepersOf(signal).delete(done);
        resolve();
      };
      const wait = () => {
        const left = end - performance.now();
        if (left <= 0) return done();
        timer = setTimeout(wait, Math.min(Math.ceil(left), MAX_TIMER_MS));
      };
      if (signal) sleepersOf(signal).add(done);
      wait();
    }),
};

/**
 * Who sleeps until a signal. One listener for all of them: thousands of messages sleep until the same one, and to add or
 * remove a listener an event target walks through all it has.
 */
const sleepers = new WeakMap<AbortSignal, Set<() => void>>();

function sleepersOf(signal: AbortSignal): Set<() => void> {
  const known = sleepers.get(signal);
  if (known) return known;
  const waking = new Set<() => void>();
  sleepers.set(signal, waking);
  const wakeAll = () => {
    for (const wake of waking) wake();
  };
  signal.addEventListener('abort', wakeAll, { once: true });
  return waking;
}

/** Random bytes for the next ids: to ask for a few costs as much as to ask for thousands. */
const pool = new Uint8Array(4096);
let unused = 0;

function randomBytes(count: number): Uint8Array {
  if (unused < count) {
    randomFillSync(pool);
    unused = pool.length;
  }
  unused -= count;
  return pool.subarray(unused, unused + count);
}

export const systemRandom: Random = {
  id: (length) => base62(randomBytes(length), length),
  float: () => Math.random(),
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One JSON object per line; `fields` are on every line. */
export function createLog(
  level: LogLevel,
  fields: Record<string, unknown> = {},
  write: (line: string) => void = (line) => process.stdout.write(line),
): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  const at =
    (name: LogLevel) =>
    (message: string, more: Record<string, unknown> = {}) => {
      if (LOG_LEVELS.indexOf(name) < lowest) return;
      write(`${toJson({ time: new Date().toISOString(), level: name, message, ...fields, ...more })}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Never throws: a log line that cannot be written must not become the failure that it tells of. */
function toJson(line: Record<string, unknown>): string {
  try {
    return JSON.stringify(line, (_key, value: unknown) => {
      if (value instanceof Error) {
        const { name, message, stack, cause } = value;
        return { ...value, name, message, stack, cause };
      }
      return typeof value === 'bigint' ? String(value) : value;
    });
  } catch (error) {
    return JSON.stringify({
      time: line.time,
      level: line.level,
      message: line.message,
      unloggable: String(error),
    });
  }
}
