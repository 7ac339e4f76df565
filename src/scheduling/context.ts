// What every use case is handed in. Nothing here or below reads the wall clock, a global random number or the environment.
import type { Queue } from '../queue/queue.ts';
import type { Store } from '../store/store.ts';
import type { NotificationPublisher } from './notification-publisher.ts';

export interface Clock {
  /** Epoch milliseconds, as the other machines see it, more or less. */
  now(): number;
  /**
   * How far the machine's own clock is ahead of what the reference clock allows, in milliseconds; negative: behind. `now`
   * is corrected by it. Absent: the clock is compared with nothing.
   */
  offBy?(): number;
  /** Milliseconds that never jump: what leases are measured with. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** A fresh id of `length` base-62 characters. */
  id(length: number): string;
  /** In [0, 1). */
  float(): number;
}

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** A log whose every line has these fields too. */
export const withFields = (log: Log, fields: Record<string, unknown>): Log => ({
  debug: (message, more) => log.debug(message, { ...fields, ...more }),
  info: (message, more) => log.info(message, { ...fields, ...more }),
  warn: (message, more) => log.warn(message, { ...fields, ...more }),
  error: (message, more) => log.error(message, { ...fields, ...more }),
});

export interface Settings {
  readonly shards: number;
  /** The horizon: what is due within it is in SQS. */
  readonly lookAheadMs: number;
  /** How often the watcher comes by. */
  readonly watchPeriodMs: number;
  /** A writer gives up after this long; must be shorter than settleLagMs and marginMs. */
  readonly writerDeadlineMs: number;
  /** Planned beyond look-ahead and watch period, so that a writer's entries are never behind the cursor unsent. */
  readonly marginMs: number;
  /** A slot is settled this long after its end. */
  readonly settleLagMs: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /**
   * How far the clocks of two machines may be apart. A lease counts as over this much later, and is given up this much
   * earlier. A worker whose own clock is off by more than half of it takes no work.
   */
  readonly clockSkewMs: number;
  /** How long the watcher holds a shard without committing. */
  readonly shardLeaseMs: number;
  /**
   * How long a process holds a background operation without committing. Decisions are sent in its first half. A stop waits for
   * its end when the holder has died, so it is shorter than a request may take on AWS (29 s).
   */
  readonly operationLeaseMs: number;
}

export const DEFAULT_SETTINGS: Settings = {
  shards: 16,
  lookAheadMs: 300_000,
  watchPeriodMs: 60_000,
  writerDeadlineMs: 30_000,
  marginMs: 60_000,
  settleLagMs: 120_000,
  leaseMs: 30_000,
  heartbeatMs: 10_000,
  clockSkewMs: 2_000,
  shardLeaseMs: 30_000,
  operationLeaseMs: 20_000,
};

/** Each machine may be off by half of what two may be apart. */
export const isClockRight = ({ clock, settings }: Pick<Context, 'clock' | 'settings'>): boolean =>
  Math.abs(clock.offBy?.() ?? 0) <= settings.clockSkewMs / 2;

export interface Context {
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly settings: Settings;
  /** Absent if notifications are off. */
  readonly publisher?: NotificationPublisher;
  /**
   * The id of this start of an embedded server. Its one process has locked the data folder, so no holder of another boot
   * lives. Absent: holders may live in other processes, and only their leases say for how long.
   */
  readonly boot?: string;
}
